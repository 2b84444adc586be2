"""HTTP responses: status, headers and body, validators (ETag, Last-Modified), and conditional requests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

#: Values of `Site.validators`: they change with the page; they never change, so that a 304 may be wrong; none.
VALIDATORS = ("honest", "lying", "none")

_NEVER = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Response:
    """Status, headers, body. `chunks`: generates a body too large for memory; `delay`: seconds before the response."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    chunks: Callable[[], Iterator[bytes]] | None = None
    delay: float = 0.0

    def header(self, name: str) -> str | None:
        """The value of a header; its name is case-insensitive."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def answer(body: bytes, content_type: str, status: int = 200) -> Response:
    """A response with this body and media type."""
    return Response(status, (("Content-Type", content_type),), body)


def redirect(location: str, status: int = 302) -> Response:
    """A redirect."""
    return Response(status, (("Location", location), ("Content-Type", "text/html; charset=utf-8")), b"")


def validated(response: Response, path: str, changed: datetime, validators: str) -> Response:
    """The response with ETag and Last-Modified; only responses with status 200 and a body in memory get them."""
    if validators == "none" or response.status != 200 or response.chunks:
        return response
    lying = validators == "lying"
    etag = hashlib.sha256(path.encode() if lying else response.body).hexdigest()[:20]
    when = format_datetime((_NEVER if lying else changed).astimezone(UTC), usegmt=True)
    return replace(response, headers=(*response.headers, ("ETag", f'"{etag}"'), ("Last-Modified", when)))


def conditional(response: Response, request_headers: Mapping[str, str]) -> Response:
    """The response, or 304 if the request's validators match. If-None-Match takes precedence (RFC 9110, 13.2.2)."""
    etag = response.header("ETag")
    if etag is None:
        return response
    if_none_match = request_headers.get("If-None-Match")
    if if_none_match is not None:
        tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
        fresh = "*" in tags or etag in tags
    else:
        fresh = _not_later(response.header("Last-Modified"), request_headers.get("If-Modified-Since"))
    validators = tuple((name, value) for name, value in response.headers if name in ("ETag", "Last-Modified"))
    return Response(304, validators) if fresh else response


def _not_later(changed: str | None, since: str | None) -> bool:
    try:
        return bool(changed and since) and parsedate_to_datetime(str(changed)) <= parsedate_to_datetime(str(since))
    except (ValueError, TypeError):  # RFC 9110: an invalid date is ignored
        return False
