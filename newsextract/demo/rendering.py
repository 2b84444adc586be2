"""Responses, and the rendering of Jinja templates in the charset in which each publication is served."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.demo.texts import SITE, Block

HTML = "text/html; charset=utf-8"
_GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


@dataclass(frozen=True)
class Response:
    """An answer of the site. `chunks`: generates a body too large for memory; `delay`: seconds before the response."""

    body: bytes
    content_type: str = HTML
    status: int = 200
    location: str | None = None
    chunks: Callable[[], Iterator[bytes]] | None = None
    delay: float = 0.0


@cache
def environment() -> Environment:
    """The Jinja environment of this package; undefined names are errors."""
    loader = PackageLoader("newsextract.demo")
    jinja = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    jinja.filters |= {"german_date": _german_date, "tag_slug": tag_slug, "grouped": _grouped}
    return jinja


def render(template: str, content_type: str, base: str, **names: object) -> Response:
    """The response with a template that isn't a page in a layout."""
    return Response(environment().get_template(template).render(names, base=base).encode(), content_type)


def render_page(template: str, base: str, style: str, status: int, names: dict[str, object]) -> Response:
    """The response with a template in one of the styles of the site."""
    shared: dict[str, str] = SITE["styles"]["default"] | SITE["styles"][style]
    text = environment().get_template(template).render(shared, base=base, other_base=other_base(base), **names)
    return Response(text.encode(shared["codec"]), shared["content_type"], status)


def other_base(base: str) -> str:
    """The site's URL under another name of this machine, which a crawl of the site must not request."""
    address = urlsplit(base)
    host = "127.0.0.1" if address.hostname == "localhost" else "localhost"
    return f"http://{host}" + (f":{address.port}" if address.port else "")


def tag_slug(tag: str) -> str:
    ascii_like = tag.lower().replace("ß", "ss").replace(" ", "-")
    return unicodedata.normalize("NFKD", ascii_like).encode("ascii", "ignore").decode()


def _grouped(blocks: tuple[Block, ...]) -> list[tuple[str, list[Block]]]:
    """Runs of blocks of the same kind, so that list items share a list."""
    return [(kind, list(group)) for kind, group in groupby(blocks, key=lambda block: block.kind)]


def _german_date(when: datetime) -> str:
    return f"{when.day}. {_GERMAN_MONTHS[when.month - 1]} {when.year}, {when:%H:%M} Uhr"
