"""Peers of an archive's pages, parsed: the reference pages are kept packed, those used last also as pages."""

from collections import OrderedDict

from newsextract.compression import decompress
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import PeerIndex, template_of

#: Parsed peers kept in memory: the templates of one site.
MOST_PARSED = 8


class ParsedPeers:
    """Finds peers among the pages of an index, which have packed bodies."""

    def __init__(self, index: PeerIndex) -> None:
        self._index = index
        self._parsed: OrderedDict[str, Page] = OrderedDict()

    def find(self, fetched: FetchedPage, page: Page) -> Page | None:
        """The page of the same template with the most similar URL; None if there is none. Sets `fetched.template`."""
        fetched.template = template_of(page)
        reference = self._index.find_peer(fetched)
        if reference is None:
            return None
        if reference.id not in self._parsed:
            self._parsed[reference.id] = Page(decompress(reference.body), reference.url, encoding=reference.encoding)
        self._parsed.move_to_end(reference.id)
        if len(self._parsed) > MOST_PARSED:
            self._parsed.popitem(last=False)
        return self._parsed[reference.id]
