"""Shared mathematics of extractors: text densities, smoothing, thresholds, tag paths, alignment, segmentation."""
