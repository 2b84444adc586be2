"""URL normalization: which URLs are the same article, and which belong to one site (docs/ARCHITECTURE.md, *Identity*).

Tracking parameters are a table of exact names and prefixes: courlan's patterns also drop `cid`, `eid`, `uid` and
`keyword`, which on many sites number the article, and re-encode queries that are not UTF-8.
"""

import hashlib
import re
from contextlib import suppress
from functools import lru_cache
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from newsextract.files import package_data
from newsextract.text import letters_and_digits

_TRACKING = package_data("newsextract.urls", "tracking.toml")
#: Query parameters that track where a reader came from and never select a page: names, and how others begin.
TRACKING_NAMES = frozenset(_TRACKING["names"].split())
TRACKING_PREFIXES = tuple(_TRACKING["prefixes"].split())
#: Values with which some of these names number articles.
NUMBER = re.compile(r"(?:ref|cmp|trk|ito)=[a-z]{0,3}(?:[-_]?\d++)++", re.I)
#: Session ids: parameters of a query that number pages with other values, and parts of a path (Java, ASP.NET).
SESSION = re.compile(r"(?:\w*sess(?:ion)?_?(?:id)?|sid|s)=(?=\D*\d)(?=[\d,_-]*[a-z])[\w,-]{16,}", re.I)
SESSION_IN_PATH = re.compile(r";(?:jsession|phpsess|s)id=[^/;]*|/\((?:[a-z]\([\w-]+\)|[a-z\d]{24})+\)(?=/)", re.I)
#: Parameters that select another view of the same page: AMP, print, a form to share or to reply. Only with these
#: values, because the names alone also number pages.
VIEW = re.compile(
    r"(?:amp|print(?:able|_version)?)(?:=(?:1|true|yes|on|print|amp|pdf)?)?|(?:output(?:type)?|view|format)=(?:amp|print)"
    r"|replytocom=\d+|share=[a-z][a-z0-9-]*|like_comment=\d+|(?:nb|noamp)=\w*",
    re.I,
)
#: The mobile view of some blogs, only if it is the only parameter.
MOBILE_VIEW = "m=1"
#: A file that stands for its folder.
INDEX_FILE = re.compile(r"/(?:index|default)\.(?:s?html?|xhtml|php|aspx?|jsp)$", re.I)
#: A URL that needs no normalization beyond that of `article_key`, like most links of a page.
PLAIN = re.compile(r"https?://[a-z0-9.-]++(?::(?:[1-9]\d{1,3}|[1-5]\d{4}))?(?!.*/\.)/[\w.~/-]*", re.ASCII)
#: URLs that need no urljoin: absolute ones with a plain host name, and those that begin with /.
ABSOLUTE_URL = re.compile(r"(https?://[a-z0-9][a-z0-9.-]*)(?:[/?#][!-~]*)?$")
ROOT_RELATIVE_URL = re.compile(r"/(?![/\\])(?!.*/\.)[!-~]*$")
#: URLs whose results are cached: the links of a site's navigation are on each of its pages.
REMEMBERED = 2_000
#: Characters of a URL: servers refuse longer ones, and 128 that urllib has split stay in memory.
LONGEST = 16_384
DEFAULT_PORTS = {"http": 80, "https": 443}


def site_of(url: str) -> str:
    """The host without `www.`, plus the port if it is not the scheme's default; "" for a URL without host.

    The site of a saved page that names no address is its folder.
    """
    if url.startswith("file://"):
        return url.rpartition("/")[0]
    return _site_of_origin("/".join(url.split("/", 3)[:3]))


@lru_cache(REMEMBERED)
def _site_of_origin(origin: str) -> str:
    parts = split_url(origin)
    return _host_and_port(parts) if parts else ""


def named_site(name_or_url: str) -> str:
    """The site that a user names, by its host or any URL on it; "" for anything else."""
    return site_of(name_or_url if "://" in name_or_url else f"https://{name_or_url}")


def strip_tracking(url: str) -> str:
    """The URL to fetch: without fragment, session ids and the parameters of tracking and views; its host in ASCII.

    Scrapy would encode other hosts by IDNA 2003 (`ascii_host`).
    """
    if PLAIN.fullmatch(url) or (parts := split_url(url)) is None:
        return url
    if not parts.netloc.isascii():
        host, port = ascii_host(parts.hostname or ""), "" if parts.port is None else f":{parts.port}"
        parts = parts._replace(netloc=f"{parts.netloc.rpartition('@')[0]}{'@' if parts.username else ''}{host}{port}")
    if parts.query == MOBILE_VIEW:
        parts = parts._replace(query="")
    kept = "&".join(pair for pair in parts.query.split("&") if pair and not _is_tracking(pair))
    return urlunsplit(parts._replace(path=SESSION_IN_PATH.sub("", parts.path), query=kept, fragment=""))


@lru_cache(REMEMBERED)
def article_key(url: str) -> str:
    """An article's normalized URL, its key: no scheme, `www.`, fragment, tracking, `index.html`; sorted query."""
    parts = split_url(strip_tracking(url))
    if parts is None:
        return url
    plain = parts if PLAIN.fullmatch(url) else urlsplit(canonicalize(urlunsplit(parts)))
    path = plain.path
    while "//" in path:
        path = path.replace("//", "/")
    path = (path if plain.query else INDEX_FILE.sub("/", path)).rstrip("/")
    return _host_and_port(parts) + path + (f"?{plain.query}" if plain.query else "")


def canonicalize(url: str) -> str:
    """w3lib's `canonicalize_url`: query parameters sorted, the encoding of characters made equal."""
    if PLAIN.fullmatch(url):
        return url
    from w3lib.url import canonicalize_url  # loads urllib.request and email: an extraction needs no key

    return canonicalize_url(url)


def is_of_site(url: str, page: str) -> bool:
    """Whether a URL is on the site of another one, or on a subdomain of it or the other way round."""
    site, other = site_of(url), site_of(page)
    return site == other or site.endswith(f".{other}") or other.endswith(f".{site}")


def is_home(url: str) -> bool:
    """Whether the URL is the site's home page: no path and no query."""
    parts = split_url(strip_tracking(url))
    return parts is not None and not parts.path.strip("/") and not parts.query


def content_hash(headline: str | None, body: str | None) -> str:
    """SHA-256 in hex of the letters and digits of headline and body; case, layout and punctuation are ignored."""
    text = "\0".join(letters_and_digits(part) for part in (headline or "", body or ""))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def split_url(url: str) -> SplitResult | None:
    """The parts of an absolute http(s) URL; None for any other string."""
    if len(url) > LONGEST:
        return None
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018  raises ValueError for an invalid port
    except ValueError:
        return None
    return parts if parts.scheme in DEFAULT_PORTS and parts.hostname else None


def absolute_url(href: str | None, base: str) -> str | None:
    """The absolute http(s) URL of a link or image; None for any other, and for one with a user name."""
    href = href.strip() if href else ""
    if len(href) > LONGEST:
        return None
    if ABSOLUTE_URL.match(href):
        return href
    if ROOT_RELATIVE_URL.match(href) and (origin := ABSOLUTE_URL.match(base)):
        return origin[1] + href
    try:
        target = urljoin(base, href) if href else ""
    except ValueError:
        return None
    parts = split_url(target)
    return None if parts is None or parts.username is not None else target


@lru_cache(REMEMBERED)
def host_and_path(url: str | None) -> tuple[str, str]:
    """The host without `www.` and the path of any URL, as written; empty for none and for an invalid one."""
    try:
        parts = urlsplit(url or "")
        return (parts.hostname or "").removeprefix("www."), parts.path
    except ValueError:
        return "", ""


@lru_cache(REMEMBERED)
def ascii_host(host: str) -> str:
    """The host that browsers ask for: UTS 46, non-transitional, so that ß, ς and joiners stay what they are.

    Python's codec follows IDNA 2003, for which `straße.example` is `strasse.example`, the host of somebody else.
    Labels that IDNA 2008 refuses (underscores, symbols) are encoded as they are, as browsers do. Source: UTS 46,
    section 4; WHATWG URL, "domain to ASCII". A host that can't be encoded stays as it is.
    """
    if host.isascii():
        return host
    import idna  # large tables, which hardly any crawl needs

    with suppress(idna.IDNAError, UnicodeError):
        labels = idna.uts46_remap(host, std3_rules=False, transitional=False).split(".")
        return ".".join(
            label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels
        )
    return host


def _host_and_port(parts: SplitResult) -> str:
    host = ascii_host(parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host.removeprefix("www.")
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _is_tracking(pair: str) -> bool:
    name = pair.partition("=")[0].lower()
    if name in TRACKING_NAMES or name.startswith(TRACKING_PREFIXES):
        return NUMBER.fullmatch(pair) is None
    return (VIEW.fullmatch(pair) or SESSION.fullmatch(pair)) is not None
