"""One tree of errors. A command prints the message and ends with `exit_status`; a user never sees a traceback."""


class NewsextractError(Exception):
    """Root of all errors that a caller can cause or meet; the message names the thing and what would be right."""

    exit_status = 1


class WrongCall(NewsextractError):
    """The call itself is wrong: an unknown name, option, setting, argument or file."""

    exit_status = 2


class UnknownExtractor(WrongCall):
    """No extractor has that name."""


class WrongOption(WrongCall):
    """An extractor does not take that option or value."""


class WrongSetting(WrongCall):
    """A setting has a value that it can't have."""


class PageError(NewsextractError):
    """The bytes given are no page that can be read."""


class PeerNeeded(NewsextractError):
    """The extractor compares two pages of one template and was given one."""


class ExtractionFailed(NewsextractError):
    """A page could not be extracted; the crawl goes on without it."""


class WorkerDied(ExtractionFailed):
    """The page killed the process that read it."""


class WorkerTimeout(ExtractionFailed):
    """Reading the page took too long."""


class WorkersUnusable(NewsextractError):
    """No worker process can be started, so that no page can be read."""


class AddressRefused(NewsextractError):
    """The address guard does not let a crawl go there."""


class DatabaseError(NewsextractError):
    """The database is locked, missing, read-only, full, unreachable or of a newer schema."""


class StorageError(NewsextractError):
    """A file of results can't be written."""


class ArchiveError(NewsextractError):
    """A WARC file or folder of pages can't be read."""
