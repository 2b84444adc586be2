"""Bad pages, each linked as if it were an article: errors, loops, huge and deep pages, consent and login pages."""

from collections.abc import Iterator
from dataclasses import dataclass

from newsextract.demo.rendering import Response, other_base
from newsextract.demo.texts import SITE

HUGE_BYTES = 30_000_000
DEEP_LEVELS = 100_000
_START = b"<!DOCTYPE html><html><head><title>%s</title></head><body>"
#: An empty PDF document, declared as HTML.
_PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


@dataclass(frozen=True)
class BadPage:
    """A bad page: kind, path, link text; its template or the target of its redirect, and status."""

    kind: str
    slug: str
    title: str
    template: str | None = None
    location: str | None = None
    status: int = 200

    @property
    def path(self) -> str:
        return f"/news/town/2026/03/{self.slug}.html"

    def response(self, base: str) -> Response:
        """The response of a page without template."""
        if self.location:
            return Response(b"", status=self.status, location=self.location.format(other=other_base(base)))
        if self.kind == "bad:huge":
            return Response(b"", chunks=_huge_chunks)
        return Response({"bad:empty": b"", "bad:pdf": _PDF, "bad:deep": _deep()}[self.kind])


def _huge_chunks() -> Iterator[bytes]:
    """A table of tide readings of HUGE_BYTES."""
    yield _START % b"Tide gauge readings, raw" + b"<table>\n"
    row = b"".join(b"<tr><td>%05d</td><td>%d.%02d</td><td>mm</td></tr>\n" % (n, n % 7, n % 89) for n in range(2000))
    for _ in range(HUGE_BYTES // len(row) + 1):
        yield row
    yield b"</table></body></html>"


def _deep() -> bytes:
    body = b"<div>" * DEEP_LEVELS + b"The tide tables of the harbour office." + b"</div>" * DEEP_LEVELS
    return _START % b"Tide tables" + body + b"</body></html>"


BAD_PAGES = tuple(BadPage(**entry) for entry in SITE["bad_page"])
