"""Which pages of an archive to extract; decided by the record's header and a glance at its bytes, if possible.

A skipped page costs only reading its record.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from newsextract.errors import WrongCall
from newsextract.items import Article, FetchedPage
from newsextract.limits import HEAD
from newsextract.urls import named_site, site_of

#: Bytes from a page's beginning in which its declared language is searched.
DECLARED_LANGUAGE = re.compile(rb"<html\b[^>]{0,1000}?\slang\s*=\s*[\"']?([a-zA-Z]{2,3})(?=[-_\s\"'>/])", re.I)
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(-[a-z]+)?")
#: Longest pattern of --match.
MAX_PATTERN = 1_000


@dataclass(frozen=True)
class PageFilter:
    """Conditions that a page must all meet; empty ones always hold.

    `sites`: hosts, with their subdomains; `languages`: codes such as "en", which match regions, too; `fetched_from`,
    `fetched_before`: the time of the record; `match`: a regular expression, searched in the URL.
    """

    sites: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()
    fetched_from: datetime | None = None
    fetched_before: datetime | None = None
    match: str = ""

    @classmethod
    def of(
        cls, sites: Sequence[str] = (), languages: Sequence[str] = (), match: str = "", **period: datetime | None
    ) -> "PageFilter":
        """A filter by hosts or URLs of sites, in any order and spelling. Raises WrongCall."""
        hosts = {named_site(site) for site in sites}
        if "" in hosts:
            raise WrongCall("a site is a host name, such as example.org")
        codes = sorted({code.strip().lower() for code in languages})
        for code in codes:
            if not LANGUAGE_CODE.fullmatch(code):
                raise WrongCall(f"{code!r} isn't a language code, such as en or pt-BR")
        if len(match) > MAX_PATTERN:
            raise WrongCall(f"--match takes patterns of up to {MAX_PATTERN} characters")
        try:
            re.compile(match)
        except re.error as error:
            raise WrongCall(f"--match {match!r} isn't a regular expression: {error}") from error
        return cls(frozenset(hosts), tuple(codes), match=match, **period)

    def wants_record(self, url: str, fetched_at: datetime) -> bool:
        """Whether a record may be of a requested page, by its header."""
        host = site_of(url).split(".") if self.sites else []
        if host and not any(".".join(host[number:]) in self.sites for number in range(len(host))):
            return False
        if self.fetched_from is not None and fetched_at < self.fetched_from:
            return False
        if self.fetched_before is not None and fetched_at >= self.fetched_before:
            return False
        return re.search(self.match, url) is not None

    def wants_page(self, page: FetchedPage) -> bool:
        """Whether a page may be in a requested language, by its declarations."""
        declared = DECLARED_LANGUAGE.search(page.body, 0, HEAD) if self.languages else None
        return declared is None or self._has_language(declared[1].decode("ascii"))

    def wants_article(self, article: Article) -> bool:
        """Whether an article is in a requested language."""
        return not self.languages or self._has_language(article.language or "")

    def as_json(self) -> dict[str, Any]:
        values = {
            "sites": sorted(self.sites),
            "languages": list(self.languages),
            "fetched_from": self.fetched_from and self.fetched_from.astimezone(UTC).isoformat(),
            "fetched_before": self.fetched_before and self.fetched_before.astimezone(UTC).isoformat(),
            "match": self.match,
        }
        return {name: value for name, value in values.items() if value}

    def _has_language(self, code: str) -> bool:
        wanted = code.lower().replace("_", "-").split("-")[0]
        return any(wanted == language.split("-")[0] for language in self.languages)


#: The filter that lets everything through.
ALL_PAGES = PageFilter()
