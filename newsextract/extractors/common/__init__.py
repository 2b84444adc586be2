"""Mathematics that several extractors share: text densities, smoothing, thresholds, tag paths, alignment,
segmentation."""
