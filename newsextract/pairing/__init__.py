"""Which two pages of a site are of one template: likeness of URLs, the index of pages seen, and whether those of
earlier runs still are.

No Scrapy, no database, no waiting: the crawl holds pages back, the store keeps references, this room only chooses.
"""

from newsextract.pairing.index import PeerIndex
from newsextract.pairing.references import References, Verdict
from newsextract.pairing.shape import Shape, likeness, shape_of
from newsextract.pairing.template import same_template, template_of

__all__ = ["PeerIndex", "References", "Shape", "Verdict", "likeness", "same_template", "shape_of", "template_of"]
