"""Training: weights of the default extractor (fusion) and of the linear models of the metadata."""
