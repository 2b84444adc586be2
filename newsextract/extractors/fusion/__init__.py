"""The default extractor: all evidence of a page about each of its blocks, weighed together by a small trained model.

One module a kind of evidence, each a function from the sheet of a page (`sheet`) to columns; `evidence` joins them,
`model` weighs them, `choice` decides, `belief` says why. What may not be here: training (the bench's), a rule for a
site, a convention of some benchmark, any package but numpy.
"""

from newsextract.extractors.fusion.extractor import Fusion

__all__ = ["Fusion"]
