"""The demonstration site: a fictional news site on loopback, for `newsextract demo`, whole-crawl tests and benchmarks.

The package has the site's texts (written for this project), templates, bad pages, gold standard and server. `Site.page`
is a pure function, so tests of single pages need no HTTP. Nothing here fetches, extracts or stores anything.
"""

from newsextract.demo.rendering import Response
from newsextract.demo.server import DemoServer, Seen, serve, serve_in_process
from newsextract.demo.site import Site
from newsextract.demo.texts import Story

__all__ = ["DemoServer", "Response", "Seen", "Site", "Story", "serve", "serve_in_process"]
