"""`Page`: a page as fetched, parsed once; each view of it is computed on first use and cached."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from turbohtml.etree import ElementView

from newsextract.errors import WrongCall
from newsextract.items import Listing
from newsextract.page import json_ld, parse, titles
from newsextract.page.access import FREE_NAME, is_free
from newsextract.page.blocks import Blocks, read_blocks
from newsextract.page.data.article import DataArticle, article_page_html, find_data_article, work_of
from newsextract.page.decode import decode, without_surrogates
from newsextract.page.drop_caps import join_drop_caps
from newsextract.page.lines import Lines, read_lines
from newsextract.page.meta import Meta
from newsextract.page.parse import count_openings
from newsextract.page.style_sheets import hiding_selectors
from newsextract.page.tag_sequence import TagSequence, read_tag_sequence
from newsextract.page.text_nodes import TextNodes, read_text_nodes
from newsextract.page.titles import Title
from newsextract.page.walk import styled_kinds
from newsextract.urls import absolute_url

View = TypeVar("View")


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
            self._openings: int | None = None
        else:
            self.source, self.encoding = decode(bytes(html), encoding, url)
            self._openings = count_openings(html)

    def __repr__(self) -> str:
        return f"<Page {self.url or 'without URL'}, {len(self.source)} characters>"

    @cached_property
    def _parsed(self) -> tuple[ElementView, list[parse.Listed]]:
        """The root element, and the elements of `parse.LISTED`."""
        return parse.parse_page(self.source, self._openings)

    @property
    def tree(self) -> ElementView:
        """The root element (lxml's API); even an empty page has one, as in a browser."""
        return self._parsed[0]

    @property
    def listed(self) -> list[parse.Listed]:
        """The elements of `parse.LISTED`, in document order."""
        return self._parsed[1]

    def drop(self, xpaths: Collection[str]) -> None:
        """Remove the elements that XPaths select from the tree; to be called before any view is used."""
        if xpaths:
            parse.drop(self.tree, xpaths)
            self._parsed = self.tree, parse.listed_elements(self.tree)

    def selected(self, key: str) -> list[Any]:
        """What the first of the site's selectors of a key that finds anything finds: elements, values of attributes."""
        results: Iterator[Any] = (self.tree.xpath(path) for path in self.selectors.get(key, ()))
        return next((found for found in results if found and isinstance(found, list)), [])

    @cached_property
    def body(self) -> ElementView:
        """The `body` element, or the root without one."""
        body = self.tree.find("body")
        return self.tree if body is None else body

    @cached_property
    def styled(self) -> dict[Any, int]:
        """Nodes of the body that attributes or style sheets hide, or lay out otherwise than their tag."""
        sheets = (element.text for tag, element, _ in self.listed if tag == "style")
        return styled_kinds(self.body.node, hiding_selectors(sheets))

    @cached_property
    def blocks(self) -> Blocks:
        """Blocks of text in reading order, drop caps before the texts they begin."""
        blocks = read_blocks(self.body, self.styled)
        return read_blocks(self.body, self.styled) if join_drop_caps(blocks) else blocks

    def view(self, read: "Callable[[Page], View]") -> View:
        """What a function reads from the page, read once."""
        if read not in self._views:
            self._views[read] = read(self)
        found: View = self._views[read]
        return found

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """The typed objects of the page's JSON-LD, flattened."""
        return json_ld.objects(self.meta.scripts)

    @cached_property
    def declares_article(self) -> bool:
        """Whether the page declares to be an article."""
        types = (name for thing in self.json_ld for name in json_ld.types(thing))
        return json_ld.declares_article(types, self.meta.get("og:type"))

    @cached_property
    def data_article(self) -> DataArticle | None:
        """The article's text in the page's data (JSON-LD, states of frameworks), or None."""
        return find_data_article(self)

    @cached_property
    def data_page(self) -> "Page | None":
        """A page with the text of `data_article` as its body and the head of this one, or None."""
        return None if self.data_article is None else _DataPage(self, self.data_article)

    @cached_property
    def is_free(self) -> bool | None:
        """Whether the page declares its article free to read; None if it doesn't say."""
        objects, in_json_ld = [*self.json_ld], sum(text.count(FREE_NAME) for text in self.meta.scripts)
        if self.source.count(FREE_NAME) > in_json_ld and self.data_article is not None:  # finding it is expensive
            objects += self.data_article.owners
        return is_free(objects, self.meta.all("article:content_tier"))

    @cached_property
    def meta(self) -> Meta:
        """Declarations of `meta`, `link`, `title` and `base`."""
        return Meta(*self._parsed)

    @cached_property
    def base(self) -> str:
        """The URL against which relative URLs of the page are resolved."""
        return absolute_url(self.meta.base, self.url or "") or self.url or ""

    @cached_property
    def titles(self) -> list[Title]:
        """Candidates for the article's headline."""
        return titles.candidates(self)

    @cached_property
    def text_nodes(self) -> TextNodes:
        """Text nodes in document order, with tag paths."""
        return read_text_nodes(self.body, self.styled)

    @cached_property
    def lines(self) -> Lines:
        """Lines of markup: text against tags."""
        return read_lines(self.body, self.styled)

    @cached_property
    def tag_sequence(self) -> TagSequence:
        """Tags that break the text flow, with region codes."""
        return read_tag_sequence(self.body, self.styled)


class _DataPage(Page):
    """The page made from the data of another one, whose declarations it has; its own data are its text."""

    def __init__(self, shown: Page, article: DataArticle) -> None:
        super().__init__(article_page_html(shown, article), shown.url, anchor_text=shown.anchor_text)
        self.listing, self.selectors = shown.listing, shown.selectors
        work = work_of(article.owners) if article.source != "json-ld" else {}
        self._declared = [*shown.json_ld, *([work] if work else [])]

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """The objects of the other page's JSON-LD, and those of its data as one."""
        return self._declared

    @cached_property
    def data_article(self) -> DataArticle | None:
        """None: the text is there already."""
        return None
