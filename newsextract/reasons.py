"""Why a page isn't an article, and why a request failed: one row of reasons.toml for each, with its consequences.

A reason is one word. The stat `newsextract/dropped/REASON` counts it, the database keeps it beside the state of the
URL, and the summary of a crawl shows its label. Pages are classified in `metadata/page_type.py`, exceptions in
`crawl/failures.py`; everything else that depends on a reason is in the table.
"""

from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Literal

from newsextract.files import package_data


class UrlState(StrEnum):
    """The state of a URL. A lease ends in exactly one of the states after `leased`.

    `pending`: the page was fetched, and is a candidate (`store.site_pages`) until it is decided.
    """

    queued = auto()
    leased = auto()
    pending = auto()
    stored = auto()
    unchanged = auto()
    not_article = auto()
    dropped = auto()
    redirected = auto()
    retried = auto()
    refused = auto()
    failed = auto()


#: When a URL is fetched again: as often as it leads to new articles; in every run; after ever longer times, because the
#: site may be refusing, limiting or broken for a while only; after such times, but not for ever; rarely; never.
Due = Literal["as a list", "each run", "back off", "give up", "rarely", "never"]


@dataclass(frozen=True, slots=True)
class Reason:
    """The consequences of a reason.

    `label`: in the summary of a crawl. `state`: of the URL, if the reason alone determines it. `is_final`: whatever the
    site's other pages say, the page isn't an article. `was_article`: whether a page dropped for this reason was one.
    `due`: see Due. `is_list`: says nothing about whether the site works, because lists aren't articles. `is_tried`: the
    page counts among those that might have been articles. `alert`: the kind of alert if most pages of a site have this
    reason, and `cause`: the likely cause, for a sentence; any other reason suggests a redesign.
    """

    label: str = ""
    due: Due = "back off"
    state: Literal["", "dropped", "refused", "pending"] = ""
    is_final: bool = False
    was_article: bool | Literal["unknown"] = False
    is_list: bool = False
    is_tried: bool = True
    alert: str = ""
    cause: str = ""


#: The reason of an empty frame.
FRAME = "needs_javascript"
#: What can be wrong with a feed or sitemap.
PARTLY_READ, NOT_A_LIST = "partly_read", "not_a_list"
#: The reason of a feed or sitemap, and of a page that a spider reads for its links alone.
LIST = "list"

REASONS = {name: Reason(**values) for name, values in package_data("newsextract", "reasons.toml").items()}
UNKNOWN = Reason()
#: Reasons caused by the arguments of a run: `allow`, `deny`, `max_depth`, `since`.
LEFT_OUT = tuple(name for name, reason in REASONS.items() if reason.state == "dropped")
#: Reasons of pages that were removed, and their HTTP statuses.
GONE, GONE_STATUSES = ("http_404", "http_410"), (404, 410)
#: Kinds of the last change of an article that no longer exists.
GONE_KINDS = ("deleted", "retracted")


def reason_of(name: str) -> Reason:
    """The row of a reason; an empty one for an unknown word, for example from a site's pipeline."""
    return REASONS.get(name, UNKNOWN)


def label_of(name: str) -> str:
    """A reason in words."""
    if label := reason_of(name).label:
        return label
    return f"HTTP {name[5:]}" if name.startswith("http_") else name.replace("_", " ")
