"""`Page`: a page as fetched, parsed once, with what is read from it.

A view is what a function or a class reads from a page: `page.view(TextNodes)`. Each page keeps its views, each is read
on first use, and depends on the document alone. Those that most code needs are also properties.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from turbohtml.etree import ElementView

from newsextract.errors import WrongCall
from newsextract.items import Listing
from newsextract.page import json_ld, parse
from newsextract.page.blocks import Blocks
from newsextract.page.decode import decode, without_surrogates
from newsextract.page.drop_caps import read_joined_blocks
from newsextract.page.meta import Meta
from newsextract.page.style_sheets import styled_nodes
from newsextract.urls import absolute_url

View = TypeVar("View")
#: The views that are properties.
PROPERTIES = ("body", "styled", "blocks", "json_ld", "meta", "base")


class Page:
    """One HTML page.

    `html`: bytes as fetched, or text; `url`: its URL; `anchor_text`: text of the link to it; `encoding`: charset of the
    HTTP header. Any bytes are a page. Raises `WrongCall` for other types. `listing`: what a feed or sitemap says about
    the page; `fetched_at`, `discovered_from`: how the page was found; `selectors`, `is_cut_off`: see `FetchedPage`.
    """

    def __init__(
        self, html: bytes | str, url: str | None = None, *, anchor_text: str | None = None, encoding: str | None = None
    ) -> None:
        if not isinstance(html, bytes | bytearray | memoryview | str):
            raise WrongCall(f"a page is bytes or str, not {type(html).__name__}")
        for name, value in (("url", url), ("anchor_text", anchor_text), ("encoding", encoding)):
            if value is not None and not isinstance(value, str):
                raise WrongCall(f"{name} is a str or None, not {type(value).__name__}")
        self.url = url
        self.anchor_text = anchor_text
        self.listing: Listing | None = None
        self.fetched_at: datetime | None = None
        self.discovered_from: str | None = None
        self.selectors: Mapping[str, Sequence[str]] = {}
        self.template: frozenset[int] | None = None
        self.is_cut_off = False
        self._views: dict[Any, Any] = {}
        if isinstance(html, str):
            self.source, self.encoding = without_surrogates(html.removeprefix("\ufeff")), "utf-8"
            self._formatting: int | None = None
        else:
            self.source, self.encoding = decode(bytes(html), encoding, url)
            is_wide = self.encoding.startswith(("utf-16", "utf-32"))
            self._formatting = None if is_wide else parse.reopened(bytes(html))

    def __repr__(self) -> str:
        return f"<Page {self.url or 'without URL'}, {len(self.source)} characters>"

    @cached_property
    def _parsed(self) -> tuple[ElementView, list[parse.Listed]]:
        """The root element, and the elements of `parse.LISTED`."""
        return parse.parse_page(self.source, self._formatting)

    @property
    def tree(self) -> ElementView:
        """The root element (lxml's API); even an empty page has one, as in a browser."""
        return self._parsed[0]

    @property
    def listed(self) -> list[parse.Listed]:
        """The elements of `parse.LISTED`, in document order."""
        return self._parsed[1]

    def drop(self, xpaths: Collection[str]) -> None:
        """Remove the elements that XPaths select from the tree."""
        if xpaths and parse.drop(self.tree, xpaths):
            self._parsed = self.tree, parse.listed_elements(self.tree)
            self._views.clear()
            for name in PROPERTIES:
                if name in vars(self):
                    delattr(self, name)  # so that it is read again

    def selected(self, key: str) -> list[Any]:
        """What the first of the site's selectors of a key that finds anything finds: elements, values of attributes."""
        results: Iterator[Any] = (self.tree.xpath(path) for path in self.selectors.get(key, ()))
        return next((found for found in results if found and isinstance(found, list)), [])

    def view(self, read: "Callable[[Page], View]") -> View:
        """What a function or class reads from the page's document; read once.

        It mustn't hold the page, which holds it.
        """
        if read not in self._views:
            self._views[read] = read(self)
        found: View = self._views[read]
        return found

    @cached_property
    def body(self) -> ElementView:
        """The `body` element, or the root without one."""
        body = self.tree.find("body")
        return self.tree if body is None else body

    @cached_property
    def styled(self) -> dict[Any, int]:
        """Nodes of the body that attributes or style sheets hide, or lay out otherwise than their tag."""
        return styled_nodes(self.body.node, (element for tag, element, _ in self.listed if tag == "style"))

    @cached_property
    def blocks(self) -> Blocks:
        """Blocks of text in reading order, drop caps before the texts they begin."""
        return read_joined_blocks(self.body, self.styled)

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """The typed objects of the page's JSON-LD, flattened."""
        return json_ld.objects(self.meta.scripts)

    @cached_property
    def meta(self) -> Meta:
        """Declarations of `meta`, `link`, `title` and `base`."""
        return Meta(*self._parsed)

    @cached_property
    def base(self) -> str:
        """The URL against which relative URLs of the page are resolved."""
        return absolute_url(self.meta.base, self.url or "") or self.url or ""
