"""What the site answers: a response, its validators, and the answer 304."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

#: What `Site.validators` may be: they change with the page; they never do, so that a 304 can be a lie; there are none.
VALIDATORS = ("honest", "lying", "none")

_NEVER = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Response:
    """Status, headers, body. `chunks` streams a body that is too large to keep; `delay` is waited before answering."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    chunks: Callable[[], Iterator[bytes]] | None = None
    delay: float = 0.0

    def header(self, name: str) -> str | None:
        """The value of a header, by its name in any case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def answer(body: bytes, content_type: str, status: int = 200) -> Response:
    """A response with this body and media type."""
    return Response(status, (("Content-Type", content_type),), body)


def redirect(location: str, status: int = 302) -> Response:
    """Elsewhere."""
    return Response(status, (("Location", location), ("Content-Type", "text/html; charset=utf-8")), b"")


def validated(response: Response, path: str, changed: datetime, validators: str) -> Response:
    """The response with ETag and Last-Modified as the site gives them; only pages that are there get them."""
    if validators == "none" or response.status != 200 or response.chunks:
        return response
    lying = validators == "lying"
    etag = hashlib.sha256(path.encode() if lying else response.body).hexdigest()[:20]
    when = format_datetime((_NEVER if lying else changed).astimezone(UTC), usegmt=True)
    return replace(response, headers=(*response.headers, ("ETag", f'"{etag}"'), ("Last-Modified", when)))


def conditional(response: Response, request_headers: Mapping[str, str]) -> Response:
    """The response, or 304 where the caller has it already. If-None-Match goes before If-Modified-Since (RFC 9110)."""
    etag = response.header("ETag")
    if etag is None:
        return response
    known = request_headers.get("If-None-Match")
    if known is not None:
        tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
        fresh = "*" in tags or etag in tags
    else:
        fresh = _not_later(response.header("Last-Modified"), request_headers.get("If-Modified-Since"))
    kept = tuple((name, value) for name, value in response.headers if name in ("ETag", "Last-Modified"))
    return Response(304, kept) if fresh else response


def _not_later(changed: str | None, since: str | None) -> bool:
    try:
        return bool(changed and since) and parsedate_to_datetime(str(changed)) <= parsedate_to_datetime(str(since))
    except (ValueError, TypeError):  # a date that is none is ignored, as the standard says
        return False
