"""The interface of extractors, `extractor(page, peer=None) -> Extraction`, and fusion, the default one.

An extractor chooses blocks of a page; some compare it with a peer, another page of the same template. It knows nothing
about sites, crawls or the store. The published methods are in `newsextract/methods/`.
"""

from newsextract.extractors.base import Block, Extraction, Extractor, accepts_peer
from newsextract.extractors.registry import EXTRACTORS, make_extractor
from newsextract.extractors.with_data import extract_with_data

__all__ = ["EXTRACTORS", "Block", "Extraction", "Extractor", "accepts_peer", "extract_with_data", "make_extractor"]
