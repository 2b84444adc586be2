"""Why a page isn't an article, and why a request failed: one row for each reason, with its consequences.

A reason is one word. The stat `newsextract/dropped/REASON` counts it, the database keeps it beside the state of the
URL, and the summary of a crawl shows its label. Pages are classified in `metadata/page_type.py`, exceptions in
`crawl/failures.py`; everything else that depends on a reason is here.
"""

from dataclasses import dataclass
from enum import StrEnum, auto
from http import HTTPStatus
from typing import Literal


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
    site's other pages say, the page isn't an article. `was_article`: whether a page dropped for this reason was an
    article; None if unknown. `due`: see Due. `is_list`: says nothing about whether the site works, because lists aren't
    articles. `is_tried`: the page counts among those that might have been articles. `alert`: the kind of alert if most
    pages of a site have this reason, and `cause`: the likely cause, for a sentence; any other reason suggests a
    redesign.
    """

    label: str = ""
    due: Due = "back off"
    state: UrlState | None = None
    is_final: bool = False
    was_article: bool | None = False
    is_list: bool = False
    is_tried: bool = True
    alert: str = ""
    cause: str = ""


#: The reason of an empty frame, and what to set for it.
FRAME = "needs_javascript"
SET_RENDER = 'render = "auto" in sites.toml renders them in a browser'
#: What can be wrong with a feed or sitemap.
PARTLY_READ = "partly_read"
NOT_A_LIST = "not_a_list"
#: The reason of a feed or sitemap, and of a page that a spider reads for its links alone.
LIST = "list"
LISTS = "section and list pages"
NO_ARTICLE = "pages without an article"

REASONS: dict[str, Reason] = {
    # what the page is
    "front": Reason("front pages", "as a list", is_final=True, is_list=True, is_tried=False),
    "section": Reason(LISTS, "as a list", is_list=True),
    "listing": Reason(LISTS, "as a list", is_list=True),
    LIST: Reason(LISTS, "as a list", is_list=True),
    PARTLY_READ: Reason("read only in part", "as a list", is_list=True),
    NOT_A_LIST: Reason("neither a feed nor a sitemap", "as a list", is_list=True),
    "part": Reason("further pages of articles, read with the first", "never", is_list=True),
    "by_hand": Reason("corrected by hand: no article", "as a list"),
    "short": Reason("too short for an article", "as a list"),
    "no_article": Reason(NO_ARTICLE, "as a list"),
    "other": Reason(NO_ARTICLE, "as a list"),
    "product": Reason("product and service pages"),
    "static": Reason("about, contact and careers pages", "as a list", is_list=True),
    "menu": Reason("undated pages that most pages link to", "as a list", is_list=True),
    FRAME: Reason(
        "need JavaScript (NEWSEXTRACT_RENDER=auto renders them in a browser)",
        "each run",
        is_final=True,
        alert="needs_javascript",
        cause=f"pages rendered by JavaScript now ({SET_RENDER})",
    ),
    "bot_check": Reason("bot checks", alert="blocked", cause="a block"),
    "paywall_stub": Reason("paywalls", alert="closed", cause="a paywall"),
    "consent": Reason("consent walls", is_final=True, alert="closed", cause="a consent wall"),
    "placeholder": Reason("walls and notices in place of pages", alert="closed", cause="a wall in place of its pages"),
    "login": Reason("login pages", is_final=True, alert="closed", cause="a login page"),
    "error_page": Reason("error pages with status 200", is_final=True),
    "garbage": Reason("pages without readable text", is_final=True),
    "not_html": Reason("files that aren't HTML"),
    "empty": Reason("empty pages"),
    "no_page": Reason("unreadable pages", was_article=None),
    "broken": Reason("broken archive records"),
    # left out by a run's arguments; a run without these arguments queues it again
    "not_allowed": Reason(due="never", state=UrlState.dropped, is_tried=False),
    "denied": Reason(due="never", state=UrlState.dropped, is_tried=False),
    "too_deep": Reason(due="never", state=UrlState.dropped, is_tried=False),
    "before_since": Reason("older than since", "never", state=UrlState.dropped, was_article=True, is_tried=False),
    # what the crawl refuses
    "robots": Reason(
        "disallowed by robots.txt", state=UrlState.refused, alert="blocked", cause="a block by robots.txt"
    ),
    "robots_unreadable": Reason(
        "robots.txt can't be read now", "each run", alert="blocked", cause="a robots.txt that can't be read"
    ),
    "off_site": Reason("redirects to other sites", state=UrlState.refused),
    "trap": Reason("crawler traps (calendars, filters)", "rarely", state=UrlState.refused),
    "address_refused": Reason("addresses that are not on the public Internet", state=UrlState.refused),
    "scheme_refused": Reason(state=UrlState.refused),
    "proxy_refused": Reason(state=UrlState.refused),
    "ignored": Reason(state=UrlState.refused),
    "forgotten": Reason("removed with newsextract db remove", due="never", is_tried=False),
    "removed_text": Reason("with the text of articles removed with newsextract db remove", "rarely", is_tried=False),
    # what failed
    "too_large": Reason("larger than DOWNLOAD_MAXSIZE"),
    "timeout": Reason("timeouts"),
    "redirects": Reason("redirect loops"),
    "redirected_to_known": Reason("redirects to known pages"),
    "no_connection": Reason("no connection"),
    "no_such_host": Reason("unknown hosts"),
    "certificate": Reason("invalid certificates", alert="blocked", cause="an invalid certificate"),
    "cut_off": Reason("lost connections"),
    "worker_died": Reason(was_article=None),
    "worker_timeout": Reason(was_article=None),
    "error": Reason("extraction errors (see the log)", was_article=None),
    "no_peer": Reason("without a peer, which the extractor needs", was_article=None),
    "not_storable": Reason("could not be stored (see the log)", was_article=None),
    "database": Reason(was_article=None),
    "workers": Reason(was_article=None),
    # not failures
    "pending": Reason(state=UrlState.pending, was_article=None),
    "unchanged": Reason(was_article=True, is_tried=False),
    "http_404": Reason("not found (404)", "give up"),
    "http_410": Reason("gone (410)", "give up"),
    **{f"http_{status}": Reason(alert="blocked", cause="a block") for status in (401, 402, 403, 429, 451, 503)},
}
UNKNOWN = Reason()
#: Reasons caused by the arguments of a run: `allow`, `deny`, `max_depth`, `since`.
LEFT_OUT = tuple(name for name, reason in REASONS.items() if reason.state == UrlState.dropped)
#: Reasons of pages that were removed, and their HTTP statuses.
GONE = ("http_404", "http_410")
GONE_STATUSES = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
#: The reason of URLs that are never fetched again, because their articles were removed; and of others with the text of
#: such an article, which may have another one some day.
FORGOTTEN = "forgotten"
REMOVED_TEXT = "removed_text"
REMOVED_REASONS = (FORGOTTEN, REMOVED_TEXT)
#: Kinds of lines of an export that are about a URL, not an article; those of articles that no longer exist.
URL_KINDS = ("removed", "renamed")
GONE_KINDS = ("deleted", "retracted", *URL_KINDS)


def reason_of(name: str) -> Reason:
    """The row of a reason; an empty one for an unknown word, for example from a site's pipeline."""
    return REASONS.get(name, UNKNOWN)


def label_of(name: str) -> str:
    """A reason in words."""
    if label := reason_of(name).label:
        return label
    return f"HTTP {name[5:]}" if name.startswith("http_") else name.replace("_", " ")
