"""Which URLs are the same page, and which pages belong to one site: the rules of docs/ARCHITECTURE.md, *Identity*.

Tracking parameters are a table of exact names and prefixes: courlan's patterns also drop `cid`, `eid`, `uid` and
`keyword`, which on many sites number the article, and re-encode queries that are not UTF-8.
"""

import hashlib
import re
from contextlib import suppress
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from newsextract.text import letters_and_digits

#: Query parameters that say where a reader came from, never which page it is.
TRACKING_NAMES = frozenset(
    """
    fbclid gclid gclsrc dclid wbraid gbraid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh epik
    mc_cid mc_eid _hsenc _hsmi __hstc __hssc hsctatracking wickedid _openstat s_kwcid trk trkcampaign
    _ga _gl _branch_match_id ref ref_src ref_url referrer referer cmpid cmp ns_mchannel ns_source ns_campaign
    ns_linkname ns_fee smid smtyp ocid ncid xtor ito sr_share at_medium at_campaign at_custom1 at_link_id at_ptr_name
    at_format at_bbc_team share_source spm scm isappinstalled wt_mc wt_zmc wtmc
    """.split()
)
TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "vero_", "oly_", "mkt_", "piwik_", "matomo_")
#: URLs whose answers are kept: the links of a site's navigation stand on each of its pages.
REMEMBERED = 20_000
DEFAULT_PORTS = {"http": 80, "https": 443}


@lru_cache(REMEMBERED)
def site_of(url: str) -> str:
    """The host without `www.`, plus the port if it is not the scheme's own; "" where the URL names no host."""
    parts = split_url(url)
    return _host_and_port(parts) if parts else ""


@lru_cache(REMEMBERED)
def strip_tracking(url: str) -> str:
    """The URL to fetch: without fragment and tracking parameters, all else to the letter."""
    parts = split_url(url)
    if parts is None:
        return url
    kept = "&".join(pair for pair in parts.query.split("&") if pair and not _tracks(pair))
    return urlunsplit(parts._replace(query=kept, fragment=""))


@lru_cache(REMEMBERED)
def article_key(url: str) -> str:
    """What two URLs of one article share: no scheme, `www.`, fragment, tracking parameters or trailing slash."""
    parts = split_url(strip_tracking(url))
    if parts is None:
        return url
    plain = urlsplit(canonicalize_url(urlunsplit(parts)))
    path = re.sub(r"/{2,}", "/", plain.path).rstrip("/")
    return _host_and_port(parts) + path + (f"?{plain.query}" if plain.query else "")


def is_home(url: str) -> bool:
    """Whether the URL is the site's front page: nothing but the host."""
    parts = split_url(strip_tracking(url))
    return parts is not None and not parts.path.strip("/") and not parts.query


def content_hash(headline: str | None, body: str | None) -> str:
    """64 hex digits over headline and body, letters and digits only: layout, case and punctuation do not count."""
    said = "\0".join(letters_and_digits(text) for text in (headline or "", body or ""))
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def split_url(url: str) -> SplitResult | None:
    """The parts of an absolute http(s) URL; None where it is none."""
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018  raises on a port that is none
    except ValueError:
        return None
    return parts if parts.scheme in DEFAULT_PORTS and parts.hostname else None


def _host_and_port(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii():
        with suppress(UnicodeError):
            host = host.encode("idna").decode("ascii")
    host = f"[{host}]" if ":" in host else host.removeprefix("www.")
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _tracks(pair: str) -> bool:
    name = pair.partition("=")[0].lower()
    return name in TRACKING_NAMES or name.startswith(TRACKING_PREFIXES)
