"""Rendering of pages: the layout of each template in each design, and the charset in which it is served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.demo.gold import credit_line
from newsextract.demo.list_pages import listed, tag_slug
from newsextract.demo.response import Response, answer
from newsextract.demo.texts import Block, Publication


@dataclass(frozen=True)
class Charset:
    """The charset that a page declares in its meta element and HTTP header, and the codec of its bytes."""

    meta: str
    header: str | None
    codec: str


UTF8 = Charset("utf-8", "utf-8", "utf-8")
#: Chinese portals declare gb2312 and use characters of gb18030; their servers declare nothing.
PORTAL = Charset("gb2312", None, "gb18030")
#: UTF-8 that header and meta element declare as Latin-1.
MISLABELLED = Charset("iso-8859-1", "iso-8859-1", "utf-8")

#: Layout of each template's pages, without its ending; generated stories use the newspaper's.
LAYOUTS = {"broadsheet": "courier", "portal": "portal", "blog": "blog", "notes": "notes", "load": "courier"}
#: Templates that design 2 changes.
REDESIGNED = ("broadsheet", "blog", "load")

_GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


@cache
def environment() -> Environment:
    """The Jinja environment of this package; undefined names are errors."""
    loader = PackageLoader("newsextract.demo")
    jinja = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    jinja.filters |= {"german_date": _german_date, "tag_slug": tag_slug, "grouped": grouped}
    jinja.globals |= {"credit_line": credit_line}
    return jinja


def layout_of(template: str, design: int) -> str:
    """The layout of a template's pages."""
    return f"{LAYOUTS[template]}{_ending(template, design)}"


def story_template(template: str, design: int) -> str:
    """The Jinja template of a template's stories."""
    return f"story_{'broadsheet' if template == 'load' else template}{_ending(template, design)}"


def _ending(template: str, design: int) -> str:
    return "_2.html" if design == 2 and template in REDESIGNED else ".html"


def charset_of(template: str, mislabelled: bool = False) -> Charset:
    """The charset of a template's pages."""
    return MISLABELLED if mislabelled else PORTAL if template == "portal" else UTF8


def html(template: str, names: Mapping[str, object], charset: Charset = UTF8, status: int = 200) -> Response:
    """The response with a rendered template; `names`: its variables."""
    text = environment().get_template(template).render(names, charset=charset.meta)
    content_type = "text/html" + (f"; charset={charset.header}" if charset.header else "")
    return answer(text.encode(charset.codec), content_type, status)


@dataclass(frozen=True)
class SiteContent:
    """What the pages are made from: the design (1 or 2), seconds of the slow page, publications by template.

    `has_rendered`: whether there is a section that scripts render (`rendered`).
    """

    design: int
    slow_seconds: float
    publications: dict[str, Publication]
    has_rendered: bool = False

    def page(
        self,
        template: str,
        base: str,
        style: str = "broadsheet",
        charset: Charset | None = None,
        status: int = 200,
        **names: object,
    ) -> Response:
        """The response with a Jinja template in the layout of a publication; `names`: its own variables."""
        shared: dict[str, object] = {
            "layout": layout_of(style, self.design),
            "base": base,
            "other_base": other_base(base),
            "publications": self.publications,
            "newest": listed(self.publications["broadsheet"].stories)[:3],
        }
        return html(template, shared | names, charset or charset_of(style), status)


def other_base(base: str) -> str:
    """The site's address under another loopback host, which a crawl of the site must not request."""
    address = urlsplit(base)
    host = "127.0.0.3" if address.hostname == "127.0.0.2" else "127.0.0.2"
    return f"http://{host}" + (f":{address.port}" if address.port else "")


def grouped(blocks: tuple[Block, ...]) -> list[tuple[str, list[Block]]]:
    """Runs of blocks of the same kind, so that list items share a list."""
    return [(kind, list(group)) for kind, group in groupby(blocks, key=lambda block: block.kind)]


def _german_date(when: datetime) -> str:
    return f"{when.day}. {_GERMAN_MONTHS[when.month - 1]} {when.year}, {when:%H:%M} Uhr"
