"""Which two pages of a site are of one template: likeness of URLs, the index of pages seen, and whether those of
earlier runs still are.

No Scrapy, no database, no waiting: the crawl holds pages back, the store keeps references, this room only chooses.
"""

from newsextract.pairing.peer_index import PeerIndex
from newsextract.pairing.references import References, Verdict
from newsextract.pairing.templates import same_template, template_of
from newsextract.pairing.url_shapes import Shape, likeness, shape_of

__all__ = ["PeerIndex", "References", "Shape", "Verdict", "likeness", "same_template", "shape_of", "template_of"]
