"""Why a request came to nothing: one word for the statistics, and a few words for a sentence."""

from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.spidermiddlewares.httperror import HttpError


class RequestRefused(IgnoreRequest):
    """A request that this crawl does not make; `reason` is one word, the message a clause about the URL."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotAsked(IgnoreRequest):
    """A request that waited for its turn when the crawl was told to stop: it is asked for another time."""


#: What the network can do to a request: exception, reason, clause about the URL.
FAILURES: tuple[tuple[type[BaseException], str, str], ...] = (
    (CannotResolveHostError, "no_such_host", "its host has no address"),
    (DownloadConnectionRefusedError, "no_connection", "its host refuses the connection"),
    (DownloadTimeoutError, "timeout", "it did not answer in time"),
    (DownloadCancelledError, "too_large", "it is larger than DOWNLOAD_MAXSIZE"),
    (ResponseDataLossError, "cut_off", "the connection ended in the middle of the page"),
    (UnsupportedURLSchemeError, "scheme_refused", "only http and https are fetched"),
    (DownloadFailedError, "no_connection", "the connection failed"),
    (OSError, "no_connection", "the connection failed"),
)


def failure_of(error: BaseException, request: Request | None = None) -> tuple[str, str]:
    """The reason in one word, and the clause about the URL."""
    if isinstance(error, RequestRefused):
        return error.reason, str(error)
    if isinstance(error, HttpError):
        return f"http_{error.response.status}", f"it answers {error.response.status}"
    if isinstance(error, IgnoreRequest):
        return _ignored(error, request)
    for kind, reason, clause in FAILURES:
        if isinstance(error, kind):
            return reason, clause
    return "failed", f"it could not be fetched ({type(error).__name__}: {str(error)[:200]})"


def _ignored(error: IgnoreRequest, request: Request | None) -> tuple[str, str]:
    """Scrapy raises the same exception for a page unpacked beyond the limit and for too many redirects."""
    if error.__cause__ is not None:
        return "too_large", "it is larger than DOWNLOAD_MAXSIZE"
    if request is not None and request.meta.get("redirect_times"):
        return "redirects", "it redirects without end"
    return "ignored", str(error)[:200]
