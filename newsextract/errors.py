"""All exceptions. A command prints the message and exits with `exit_status`; users see no traceback."""

from collections.abc import Iterable
from difflib import get_close_matches


class NewsextractError(Exception):
    """Base class of all errors that a caller can cause; the message names what is wrong and what would be right."""

    exit_status = 1


class WrongCall(NewsextractError):
    """Invalid call: an unknown name, option, setting, argument or file."""

    exit_status = 2


class UnknownExtractor(WrongCall):
    """No extractor has that name."""


class WrongOption(WrongCall):
    """An extractor does not take that option or value."""


class WrongSetting(WrongCall):
    """A setting has an invalid value."""


class PageError(NewsextractError):
    """The bytes aren't a page that can be parsed."""


class PeerNeeded(NewsextractError):
    """The extractor needs a second page of the same template and got none."""


class ExtractionFailed(NewsextractError):
    """A page could not be extracted; a crawl drops it and continues."""


class WorkerDied(ExtractionFailed):
    """The worker process died while it extracted the page."""


class WorkerTimeout(ExtractionFailed):
    """The extraction of the page exceeded its time limit."""


class WorkersUnusable(NewsextractError):
    """No worker process can be started."""


class BrowserUnusable(NewsextractError):
    """The browser that should render pages doesn't start."""


class AddressRefused(NewsextractError):
    """The address guard refused to connect to this address."""


class DatabaseError(NewsextractError):
    """The database is locked, missing, read-only, full, unreachable or of a newer schema."""


class StorageError(NewsextractError):
    """An output file cannot be written."""


class ArchiveError(NewsextractError):
    """A WARC file or a folder of saved pages cannot be read."""


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Asks "did you mean …?" with the most similar known name; `otherwise` if there is none."""
    close = get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else otherwise
