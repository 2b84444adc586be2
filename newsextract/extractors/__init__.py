"""Published extraction methods, one paper a file, behind one call: `extractor(page, peer=None) -> Extraction`.

An extractor chooses blocks of a page; some compare it with a peer, another page of the same template. It knows nothing
about sites, crawls or the store. `common/` has shared mathematics, `fusion/` the default extractor.
"""

from newsextract.extractors.base import Block, Extraction, Extractor, accepts_peer
from newsextract.extractors.registry import EXTRACTORS, make_extractor
from newsextract.extractors.with_data import extract_with_data

__all__ = ["EXTRACTORS", "Block", "Extraction", "Extractor", "accepts_peer", "extract_with_data", "make_extractor"]
