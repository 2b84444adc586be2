"""Mathematics that several extractors share: densities, smoothing, thresholds, tag paths, alignment."""
