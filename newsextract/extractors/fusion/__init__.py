"""Fusion, the default extractor: many features of each block, combined by a small trained model.

`features` computes the columns that all features are made of and most features, `class_words`, `phrases` and `declared`
those of words and declarations; `model` joins, weighs and explains them; `selection` chooses the blocks;
`units` keeps or drops tables, lists and quotations as a whole; `extractor` puts them together, with the evidence of
siblings, other articles on the page, a peer and the site. Training is in `evaluation`. No rules for single sites, no
conventions of a benchmark.
"""

from newsextract.extractors.fusion.extractor import Fusion

__all__ = ["Fusion"]
