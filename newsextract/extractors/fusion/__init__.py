"""Fusion, the default extractor: many features of each block, combined by a small trained model.

`features` computes the columns that all features are made of; `block`, `surroundings`, `groups`, `class_words`,
`phrases` and `declared` compute one kind of feature each; `model` joins and weighs them; `peer` adds the comparison
with another page; `selection` chooses the blocks; `explain` gives the weight of evidence of each source. Training is in
`evaluation`; there are no rules for single sites, no conventions of a benchmark, and no packages but numpy here.
"""

from newsextract.extractors.fusion.extractor import Fusion

__all__ = ["Fusion"]
