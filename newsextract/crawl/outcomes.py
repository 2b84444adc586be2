"""How a page's way through the pipelines ends, where it does not end in an item for the feeds."""

from typing import Any

from scrapy.exceptions import DropItem

from newsextract.items import Article

#: Reasons why an article goes no further though it is one.
STILL_ARTICLES = frozenset({"unchanged", "before_since"})
#: Reasons that say nothing of what kind of page it was.
UNKNOWN_KIND = frozenset({"no_page", "error", "database", "not_storable", "worker_died", "worker_timeout", "held"})


class Dropped(DropItem):
    """An item that ends in the pipelines; `reason` is the word under which it is counted."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message or reason, log_level="DEBUG")
        self.reason = reason


def kind_of(item: Any, exception: BaseException | None) -> bool | None:
    """Whether an item that left the pipelines was an article; None where that is not known."""
    if exception is None:
        return True if isinstance(item, Article) else None
    reason = getattr(exception, "reason", None)
    if reason is None or reason in UNKNOWN_KIND:
        return None
    return reason in STILL_ARTICLES
