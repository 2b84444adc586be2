"""What methods share: densities, smoothing, thresholds, tag paths, alignment, views of a page that only they read."""
