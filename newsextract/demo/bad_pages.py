"""Bad pages, each linked as if it were an article: errors, loops, huge and deep pages, consent and login pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from newsextract.demo.render import SiteContent, other_base
from newsextract.demo.response import Response, answer, redirect

HUGE_BYTES = 30_000_000
DEEP_LEVELS = 100_000

_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class BadPage:
    """A bad page: its path, its kind, the text of the links to it, and the response under a base URL."""

    path: str
    kind: str
    title: str
    respond: Callable[[SiteContent, str], Response]


def _huge_chunks() -> Iterator[bytes]:
    """A table of tide readings of HUGE_BYTES."""
    yield b"<!DOCTYPE html><html><head><title>Tide gauge readings, raw</title></head><body><table>\n"
    row = b"".join(b"<tr><td>%05d</td><td>%d.%02d</td><td>mm</td></tr>\n" % (n, n % 7, n % 89) for n in range(2000))
    for _ in range(HUGE_BYTES // len(row) + 1):
        yield row
    yield b"</table></body></html>"


def _huge(content: SiteContent, base: str) -> Response:
    return replace(answer(b"", _HTML), chunks=_huge_chunks)


def _deep(content: SiteContent, base: str) -> Response:
    start = b"<!DOCTYPE html><html><head><title>Tide tables</title></head><body>"
    body = b"<div>" * DEEP_LEVELS + b"The tide tables of the harbour office." + b"</div>" * DEEP_LEVELS
    return answer(start + body + b"</body></html>", _HTML)


def _pdf(content: SiteContent, base: str) -> Response:
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
        b"<< /Length 44 >>\nstream\nBT /F1 18 Tf 72 720 Td (Harbour accounts) Tj ET\nendstream",
    )
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, content) for number, content in enumerate(objects, 1))
    return answer(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + body + b"trailer << /Root 1 0 R >>\n%%EOF\n", _HTML)


def _slow(content: SiteContent, base: str) -> Response:
    return replace(content.page("notice_slow.html", base), delay=content.slow_seconds)


def _notice(template: str, status: int = 200) -> Callable[[SiteContent, str], Response]:
    return lambda content, base: content.page(template, base, status=status)


_NEWS = "/news/town/2026/03/"

#: All bad pages, linked from the front page; those of the kinds IN_SECTION also from a section.
BAD_PAGES = (
    BadPage(_NEWS + "lighthouse-keeper-retires.html", "bad:404", "Lighthouse keeper retires",
           _notice("notice_missing.html", 404)),
    BadPage(_NEWS + "budget-vote-live.html", "bad:500", "Budget vote: the result", _notice("notice_broken.html", 500)),
    BadPage(_NEWS + "council-archive-opens.html", "bad:slow", "Council archive opens its cellar", _slow),
    BadPage(_NEWS + "round-and-round.html", "bad:redirect-loop", "The roundabout that leads nowhere",
           lambda content, base: redirect(_NEWS + "round-again.html")),
    BadPage(_NEWS + "round-again.html", "bad:redirect-loop", "The roundabout, continued",
           lambda content, base: redirect(_NEWS + "round-and-round.html")),
    BadPage(_NEWS + "partner-report.html", "bad:redirect-host", "From our partner: the mainland line",
           lambda content, base: redirect(other_base(base) + "/elsewhere/partner-story.html", 301)),
    BadPage(_NEWS + "pier-photographs.html", "bad:empty", "The old pier in photographs",
           lambda content, base: answer(b"", _HTML)),
    BadPage(_NEWS + "harbour-accounts.html", "bad:pdf", "Harbour accounts in full", _pdf),
    BadPage(_NEWS + "tide-readings.html", "bad:huge", "A century of tide readings", _huge),
    BadPage(_NEWS + "tide-tables.html", "bad:deep", "Tide tables for the year", _deep),
    BadPage(_NEWS + "storm-diary.html", "bad:consent", "Storm diary", _notice("notice_consent.html")),
    BadPage(_NEWS + "market-hall-plans.html", "bad:soft-404", "Market hall plans on show", _notice("notice_gone.html")),
    BadPage(_NEWS + "members-letter.html", "bad:login", "The members' letter", _notice("notice_login.html")),
)  # fmt: skip
IN_SECTION = ("bad:404", "bad:500")


def truncate_page(page: Response, text: str) -> tuple[bytes, str]:
    """The body of a page cut off in a tag after half of the third line of its text, and the text that it still has."""
    lines = text.split("\n")
    words = lines[2].split()
    half = " ".join(words[: len(words) // 2])
    end = page.body.index(half.encode()) + len(half.encode())
    return page.body[:end] + b' <a class="inl', "\n".join([*lines[:2], half])
