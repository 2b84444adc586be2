"""Pairing: finds, for a page, another page of the same site and template (its peer), by URL shape and markup.

No Scrapy, no database, no waiting: `store` keeps reference pages, this package only chooses.
"""

from newsextract.pairing.peer_index import PeerIndex
from newsextract.pairing.templates import same_template, template_of
from newsextract.pairing.url_shapes import UrlShape, shape_similarity, url_shape

__all__ = ["PeerIndex", "UrlShape", "same_template", "shape_similarity", "template_of", "url_shape"]
