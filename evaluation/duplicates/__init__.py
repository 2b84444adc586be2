"""Benchmarks of near-duplicate detection: edits that leave a copy or not, costs, and the libraries for MinHash."""
