"""What the page's head declares: `meta`, `link`, `title`, `base`, the language of `html`. One pass, no judgement.

The pass also collects the scripts of JSON-LD and the headings, whose own views need no second walk over the page.

Strays in the body are read too: many pages put `<meta itemprop=...>` inside the article, and parsers move a broken
head's elements down.
"""

from typing import Any

from turbohtml import Element
from turbohtml.etree import ElementView

TAGS = ("meta", "link", "title", "base", "script", "h1", "h2")
#: Attributes by which a `meta` says what it declares, and what its name is prefixed with.
NAMED = (("property", ""), ("name", ""), ("itemprop", "itemprop:"), ("http-equiv", ""))
#: What most links of a head are: no declaration.
LOADED = frozenset("stylesheet preload prefetch dns-prefetch preconnect modulepreload icon apple-touch-icon".split())
#: Elements that are read at most: a page of 100,000 metas declares nothing.
MAX_ELEMENTS = 3_000


class Meta:
    """Declarations by lower-cased name; an `itemprop` is named `itemprop:` and its name."""

    def __init__(self, tree: Any) -> None:
        self.contents: dict[str, list[str]] = {}
        self.links: dict[str, list[str]] = {}
        self.alternates: dict[str, str] = {}
        self.scripts: list[Any] = []
        self.headings: dict[str, list[Any]] = {"h1": [], "h2": []}
        self.title = ""
        self.base: str | None = None
        self.html_lang: str | None = None
        if tree is not None:
            self.html_lang = tree.get("lang") or tree.get("xml:lang")
            self._read(tree)

    def get(self, name: str) -> str | None:
        """The first content declared under that name."""
        values = self.contents.get(name)
        return values[0] if values else None

    def all(self, name: str) -> list[str]:
        """All contents declared under that name, in document order."""
        return self.contents.get(name, [])

    def _read(self, tree: Any) -> None:
        for count, element in enumerate(tree.node.iter_elements(TAGS)):
            tag = element.tag
            if tag == "script":
                if "ld+json" in (element.attr("type") or "").lower():
                    self.scripts.append(ElementView(element))
            elif tag in self.headings:
                self.headings[tag].append(ElementView(element))
            elif count >= MAX_ELEMENTS:
                continue
            elif tag == "meta":
                self._add_meta(element)
            elif tag == "link":
                self._add_link(element)
            elif tag == "title":
                self.title = self.title or " ".join(element.text.split())
            elif self.base is None:
                self.base = element.attr("href")

    def _add_meta(self, element: Element) -> None:
        content = (element.attr("content") or "").strip()
        if not content:
            return
        for attribute, prefix in NAMED:
            if name := element.attr(attribute):
                self.contents.setdefault(prefix + name.strip().lower(), []).append(content)

    def _add_link(self, element: Element) -> None:
        rels = (element.attr("rel") or "").lower()
        href = "" if rels in LOADED else (element.attr("href") or "").strip()
        if not href:
            return
        for rel in rels.split():
            self.links.setdefault(rel, []).append(href)
            if rel == "alternate" and (language := element.attr("hreflang")):
                self.alternates.setdefault(language, href)
