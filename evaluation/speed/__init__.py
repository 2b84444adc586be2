"""Benchmarks of speed and durability: extractors, crawls, kills, workers, clusters, near-duplicates."""
