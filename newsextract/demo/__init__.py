"""The demonstration site: a fictional news site on loopback, for `newsextract demo`, whole-crawl tests and benchmarks.

Here live its texts (written for this project), its templates, its bad pages, its gold and its server. `Site.page` is
pure, so tests of single pages need no HTTP. Nothing here may fetch, extract or store anything.
"""

from newsextract.demo.gold import GoldArticle
from newsextract.demo.response import Response
from newsextract.demo.server import DemoServer, Seen, serve
from newsextract.demo.site import Site

__all__ = ["DemoServer", "GoldArticle", "Response", "Seen", "Site", "serve"]
