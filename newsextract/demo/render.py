"""Rendering of templates: the layout of each template in each design, and the charset in which it is served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.demo.gold import credit_line
from newsextract.demo.list_pages import tag_slug
from newsextract.demo.response import Response, answer
from newsextract.demo.texts import Block, Story


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

#: Layout of each template's pages by design. Design 2 changes the newspaper and the blog.
LAYOUTS = {
    1: {"broadsheet": "courier.html", "portal": "portal.html", "blog": "blog.html", "notes": "notes.html"},
    2: {"broadsheet": "courier_2.html", "portal": "portal.html", "blog": "blog_2.html", "notes": "notes.html"},
}
#: Template of each template's stories, by design.
STORIES = {
    1: {"broadsheet": "story_broadsheet.html", "blog": "story_blog.html"},
    2: {"broadsheet": "story_broadsheet_2.html", "blog": "story_blog_2.html"},
}
UNCHANGED = {"portal": "story_portal.html", "notes": "story_notes.html"}

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
    """The layout of a template's pages; generated stories use the newspaper's."""
    return LAYOUTS[design]["broadsheet" if template == "load" else template]


def story_template(story: Story, design: int) -> str:
    """The template of a story."""
    template = "broadsheet" if story.template == "load" else story.template
    return UNCHANGED.get(template) or STORIES[design][template]


def charset_of(template: str, mislabelled: bool = False) -> Charset:
    """The charset of a template's pages."""
    return MISLABELLED if mislabelled else PORTAL if template == "portal" else UTF8


def html(template: str, names: Mapping[str, object], charset: Charset = UTF8, status: int = 200) -> Response:
    """The response with a rendered template; `names`: its variables."""
    text = environment().get_template(template).render(names, charset=charset.meta)
    content_type = "text/html" + (f"; charset={charset.header}" if charset.header else "")
    return answer(text.encode(charset.codec), content_type, status)


def grouped(blocks: tuple[Block, ...]) -> list[tuple[str, list[Block]]]:
    """Runs of blocks of the same kind, so that list items share a list."""
    return [(kind, list(group)) for kind, group in groupby(blocks, key=lambda block: block.kind)]


def _german_date(when: datetime) -> str:
    return f"{when.day}. {_GERMAN_MONTHS[when.month - 1]} {when.year}, {when:%H:%M} Uhr"
