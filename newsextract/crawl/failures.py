"""Exceptions with a reason (`newsextract.reasons`), the reasons of all other errors, and when a site says to retry."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from scrapy import Request, exceptions
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.statscollectors import StatsCollector

from newsextract.health.counts import CrawlCounts
from newsextract.items import Article
from newsextract.reasons import reason_of


class RequestRefused(exceptions.IgnoreRequest):
    """A request that the crawl's own rules forbid; `reason` is one word, the message a clause about the URL."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class RequestNotSent(exceptions.IgnoreRequest):
    """A request that was still queued in the downloader when the crawl had to stop; its lease is released."""


class InvalidCertificate(Exception):
    """A host's TLS certificate can't be trusted; the message is a clause about the URL."""


class PageDropped(exceptions.DropItem):
    """A page or article that leaves the item pipelines without being exported, with a one-word `reason`."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason, log_level="DEBUG")
        self.reason = reason

    @classmethod
    def counted(cls, stats: StatsCollector, reason: str, message: object = "") -> "PageDropped":
        """A PageDropped that is also counted."""
        CrawlCounts(stats).dropped[reason] += 1
        return cls(reason, str(message))


#: Network errors: exception, reason, clause about the URL. The first match counts.
NETWORK_FAILURES: tuple[tuple[type[BaseException], str, str], ...] = (
    (exceptions.CannotResolveHostError, "no_such_host", "its host name can't be resolved"),
    (exceptions.DownloadConnectionRefusedError, "no_connection", "its host refused the connection"),
    (exceptions.DownloadTimeoutError, "timeout", "it did not answer in time"),
    (exceptions.DownloadCancelledError, "too_large", "it is larger than DOWNLOAD_MAXSIZE"),
    (exceptions.ResponseDataLossError, "cut_off", "the connection broke off"),
    (exceptions.UnsupportedURLSchemeError, "scheme_refused", "only http and https are fetched"),
    (exceptions.DownloadFailedError, "no_connection", "the connection failed"),
    (OSError, "no_connection", "the connection failed"),
)


def describe_failure(error: BaseException, request: Request | None = None) -> tuple[str, str]:
    """The reason for a failed request in one word, and a clause about its URL for messages."""
    if isinstance(error, RequestRefused):
        return error.reason, str(error)
    if isinstance(error, HttpError):
        return f"http_{error.response.status}", f"it answers {error.response.status}"
    if isinstance(error, exceptions.IgnoreRequest):
        # Scrapy raises a bare one for bodies that are too large once unpacked, and for endless redirects
        if error.__cause__ is not None:
            return "too_large", "it is larger than DOWNLOAD_MAXSIZE"
        if request is not None and request.meta.get("redirect_times"):
            return "redirects", "it redirects endlessly"
        return "ignored", str(error)[:200]
    if (invalid := _invalid_certificate(error)) is not None:
        return "certificate", str(invalid)
    for exception_type, reason, clause in NETWORK_FAILURES:
        if isinstance(error, exception_type):
            return reason, clause
    return "failed", f"it could not be fetched ({type(error).__name__}: {str(error)[:200]})"


def _invalid_certificate(error: BaseException | None) -> InvalidCertificate | None:
    """The InvalidCertificate behind an error: Scrapy wraps Twisted's errors, which have a list of failures."""
    while error is not None and not isinstance(error, InvalidCertificate):
        failures = getattr(error, "reasons", None)
        error = failures[0].value if isinstance(failures, list) and failures else error.__cause__
    return error


def retry_after(response: Response) -> float | None:
    """The seconds in a Retry-After header, given as a number or a date; None if it can't be parsed."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def was_article(item: object, exception: BaseException | None) -> bool | None:
    """Whether an item that was scraped, or dropped by this exception, was an article; None if unknown."""
    if exception is None:
        return True if isinstance(item, Article) else None
    return reason_of(exception.reason).was_article if isinstance(exception, PageDropped) else None
