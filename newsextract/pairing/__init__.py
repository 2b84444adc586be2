"""Which two pages of a site are of one template: likeness of URLs, and the index of pages seen.

No Scrapy, no database, no waiting: the crawl holds pages back, the store keeps references, this room only chooses.
"""

from newsextract.pairing.index import PeerIndex
from newsextract.pairing.shape import Shape, likeness, shape_of
from newsextract.pairing.template import same_template, template_of

__all__ = ["PeerIndex", "Shape", "likeness", "same_template", "shape_of", "template_of"]
