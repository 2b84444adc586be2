"""What the page declares in `meta`, `link`, `title`, `base` and the language of `html`.

The whole page is read, not only the head: many pages have `<meta itemprop=...>` inside the article, and the parser
moves a broken head's elements into the body. JSON-LD scripts and headings are collected for their views.
"""

import re
from collections.abc import Iterable

from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.limits import MAX_ELEMENTS
from newsextract.page.parse import Listed
from newsextract.text import is_placeholder

#: Attributes that name what a `meta` declares, and the prefix of the name here.
NAMED = (("property", ""), ("name", ""), ("itemprop", "itemprop:"), ("http-equiv", ""))
#: Link relations that load resources and declare nothing about the page.
LOADED = frozenset("stylesheet preload prefetch dns-prefetch preconnect modulepreload icon apple-touch-icon".split())
#: The beginning of JSON-LD in a script without a declared type.
JSON_LD = re.compile(r'\s*[\[{]\s*"@(?:context|graph|type)"')
#: Headings of each level that are kept: candidates for the title.
MAX_HEADINGS = 12


class Meta:
    """Declarations of one page.

    `contents`: contents of `meta` by lower-cased name (an `itemprop` as `itemprop:name`), `elements`: their elements;
    `links`: hrefs of `link` by relation; `scripts`: texts of JSON-LD; `headings`: the first h1 and h2 elements.
    """

    def __init__(self, tree: ElementView, elements: Iterable[Listed]) -> None:
        self.contents: dict[str, list[str]] = {}
        self.elements: dict[str, list[Element]] = {}
        self.links: dict[str, list[str]] = {}
        self.scripts: list[str] = []
        self.headings: dict[str, list[ElementView]] = {"h1": [], "h2": []}
        self.title = ""
        self.base: str | None = None
        self.html_lang: str | None = tree.get("lang") or tree.get("xml:lang")
        self._read(elements)

    def get(self, name: str) -> str | None:
        """The first content declared under a name; None without one."""
        values = self.contents.get(name)
        return values[0] if values else None

    def all(self, name: str) -> list[str]:
        """All contents declared under a name, in document order."""
        return self.contents.get(name, [])

    def _read(self, elements: Iterable[Listed]) -> None:
        for count, (tag, element, text) in enumerate(elements):
            if tag == "script":
                kind = element.attr("type")
                if "ld+json" in kind.lower() if kind else JSON_LD.match(text):
                    self.scripts.append(text)
            elif tag in self.headings:
                if len(self.headings[tag]) < MAX_HEADINGS:
                    self.headings[tag].append(ElementView(element))
            elif count >= MAX_ELEMENTS:
                continue
            elif tag == "meta":
                self._add_meta(element)
            elif tag == "link":
                self._add_link(element)
            elif tag == "title":
                self.title = self.title or " ".join(text.split())
            elif tag == "base" and self.base is None:
                self.base = element.attr("href")

    def _add_meta(self, element: Element) -> None:
        if not (content := element.attr("content")) or not (content := content.strip()) or is_placeholder(content):
            return
        attributes = [*element.attrs]  # a look-up in the parser's mapping is slow
        for attribute, prefix in NAMED:
            if attribute in attributes and (name := element.attr(attribute)):
                name = prefix + name.strip().lower()
                self.contents.setdefault(name, []).append(content)
                self.elements.setdefault(name, []).append(element)

    def _add_link(self, element: Element) -> None:
        rels = (element.attr("rel") or "").lower()
        if rels in LOADED or not (href := element.attr("href")) or not (href := href.strip()):
            return
        for rel in rels.split():
            self.links.setdefault(rel, []).append(href)
