"""Templates to pages: which layout a template has in each design, and in which bytes it is served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.demo.gold import credit_line
from newsextract.demo.response import Response, answer
from newsextract.demo.shelves import tag_slug
from newsextract.demo.texts import Block, Story


@dataclass(frozen=True)
class Charset:
    """What a page declares in its meta element and in the HTTP header, and how it is in fact encoded."""

    meta: str
    header: str | None
    codec: str


UTF8 = Charset("utf-8", "utf-8", "utf-8")
#: Chinese portals declare gb2312 and use the characters of its successor; their servers say nothing.
PORTAL = Charset("gb2312", None, "gb18030")
#: UTF-8 that header and meta call Latin-1.
MISLABELLED = Charset("iso-8859-1", "iso-8859-1", "utf-8")

#: Layout of each template's pages, by design. The second design changes those of the newspaper and the blog.
LAYOUTS = {
    1: {"broadsheet": "courier.html", "portal": "portal.html", "blog": "blog.html", "pieces": "pieces.html"},
    2: {"broadsheet": "courier_2.html", "portal": "portal.html", "blog": "blog_2.html", "pieces": "pieces.html"},
}
#: Template of each template's stories, by design.
STORIES = {
    1: {"broadsheet": "story_broadsheet.html", "blog": "story_blog.html"},
    2: {"broadsheet": "story_broadsheet_2.html", "blog": "story_blog_2.html"},
}
UNCHANGED = {"portal": "story_portal.html", "pieces": "story_pieces.html"}

_GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


@cache
def environment() -> Environment:
    """The templates of this room; an undefined name is an error, not an empty place."""
    loader = PackageLoader("newsextract.demo")
    made = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    made.filters |= {"german_date": _german_date, "tag_slug": tag_slug, "grouped": grouped}
    made.globals |= {"credit_line": credit_line}
    return made


def layout_of(template: str, design: int) -> str:
    """The layout for pages of a template; dispatches look like the newspaper."""
    return LAYOUTS[design]["broadsheet" if template == "load" else template]


def story_template(story: Story, design: int) -> str:
    """The template for a story."""
    template = "broadsheet" if story.template == "load" else story.template
    return UNCHANGED.get(template) or STORIES[design][template]


def charset_of(template: str, mislabelled: bool = False) -> Charset:
    """In which bytes a page of this template is served."""
    return MISLABELLED if mislabelled else PORTAL if template == "portal" else UTF8


def html(template: str, names: Mapping[str, object], charset: Charset = UTF8, status: int = 200) -> Response:
    """A page made from a template and the names it uses."""
    text = environment().get_template(template).render(names, charset=charset.meta)
    content_type = "text/html" + (f"; charset={charset.header}" if charset.header else "")
    return answer(text.encode(charset.codec), content_type, status)


def grouped(blocks: tuple[Block, ...]) -> list[tuple[str, list[Block]]]:
    """Neighbouring blocks of one kind together, so that list items share a list."""
    return [(kind, list(group)) for kind, group in groupby(blocks, key=lambda block: block.kind)]


def _german_date(when: datetime) -> str:
    return f"{when.day}. {_GERMAN_MONTHS[when.month - 1]} {when.year}, {when:%H:%M} Uhr"
