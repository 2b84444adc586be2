"""Bad pages, each linked as if it were an article: errors, loops, huge and deep pages, consent and login pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from newsextract.demo.rendering import Response, other_base

HUGE_BYTES = 30_000_000
DEEP_LEVELS = 100_000
_NEWS = "/news/town/2026/03/"
_START = b"<!DOCTYPE html><html><head><title>%s</title></head><body>"
#: An empty PDF document, declared as HTML.
_PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


@dataclass(frozen=True)
class BadPage:
    """A bad page: kind, path, link text; template and status, or a function from the base URL to the response."""

    kind: str
    slug: str
    title: str
    content: str | Callable[[str], Response]
    status: int = 200

    @property
    def path(self) -> str:
        return f"{_NEWS}{self.slug}.html"


def _huge_chunks() -> Iterator[bytes]:
    """A table of tide readings of HUGE_BYTES."""
    yield _START % b"Tide gauge readings, raw" + b"<table>\n"
    row = b"".join(b"<tr><td>%05d</td><td>%d.%02d</td><td>mm</td></tr>\n" % (n, n % 7, n % 89) for n in range(2000))
    for _ in range(HUGE_BYTES // len(row) + 1):
        yield row
    yield b"</table></body></html>"


def _deep(base: str) -> Response:
    body = b"<div>" * DEEP_LEVELS + b"The tide tables of the harbour office." + b"</div>" * DEEP_LEVELS
    return Response(_START % b"Tide tables" + body + b"</body></html>")


def _redirect(slug: str) -> Callable[[str], Response]:
    return lambda base: Response(b"", status=302, location=f"{_NEWS}{slug}.html")


def _redirect_host(base: str) -> Response:
    return Response(b"", status=301, location=f"{other_base(base)}/elsewhere/partner-story.html")


#: All bad pages, linked from the front page.
BAD_PAGES = (
    BadPage("bad:404", "lighthouse-keeper-retires", "Lighthouse keeper retires", "notice_missing.html", 404),
    BadPage("bad:500", "budget-vote-live", "Budget vote: the result", "notice_broken.html", 500),
    BadPage("bad:slow", "council-archive-opens", "Council archive opens its cellar", "notice_slow.html"),
    BadPage("bad:consent", "storm-diary", "Storm diary", "notice_consent.html"),
    BadPage("bad:soft-404", "market-hall-plans", "Market hall plans on show", "notice_gone.html"),
    BadPage("bad:login", "members-letter", "The members' letter", "notice_login.html"),
    BadPage("bad:empty", "pier-photographs", "The old pier in photographs", lambda base: Response(b"")),
    BadPage("bad:pdf", "harbour-accounts", "Harbour accounts in full", lambda base: Response(_PDF)),
    BadPage("bad:huge", "tide-readings", "A century of tide readings", lambda base: Response(b"", chunks=_huge_chunks)),
    BadPage("bad:deep", "tide-tables", "Tide tables for the year", _deep),
    BadPage("bad:redirect-loop", "round-and-round", "The roundabout that leads nowhere", _redirect("round-again")),
    BadPage("bad:redirect-loop", "round-again", "The roundabout, continued", _redirect("round-and-round")),
    BadPage("bad:redirect-host", "partner-report", "From our partner: the mainland line", _redirect_host),
)
