"""One paper, one file. An extractor sees a page, and its peer where it needs one; never a queue, a site or a store."""

from newsextract.extractors.base import Block, Extraction, Extractor
from newsextract.extractors.registry import EXTRACTORS, make_extractor

__all__ = ["EXTRACTORS", "Block", "Extraction", "Extractor", "make_extractor"]
