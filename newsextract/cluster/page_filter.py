"""Which pages of an archive are asked for; decided by the record's header and by a glance at its bytes, where possible.

A page that is left out costs the reading of its record alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from newsextract.errors import WrongCall
from newsextract.items import Article, FetchedPage
from newsextract.urls import site_of

#: Where a page declares its language: bytes from its beginning that are looked at.
DECLARED_LANGUAGE = re.compile(rb"<html\b[^>]{0,1000}?\slang\s*=\s*[\"']?([a-zA-Z]{2,3})(?=[-_\s\"'>/])", re.I)
HEAD_BYTES = 8_000
#: Longest pattern of --match.
MAX_PATTERN = 1_000


@dataclass(frozen=True)
class PageFilter:
    """Conditions on pages; empty ones hold for all. All given ones must hold.

    `sites`: hosts, with their subdomains; `languages`: codes such as "en", which match regions too; `fetched_from`,
    `fetched_before`: the time of the record; `match`: a regular expression that the URL must contain. Raises WrongCall.
    """

    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    fetched_from: datetime | None = None
    fetched_before: datetime | None = None
    match: str = ""

    def __post_init__(self) -> None:
        for code in self.languages:
            if not re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", code, re.I):
                raise WrongCall(f"{code!r} isn't a code of a language, such as en or pt-BR")
        for site in self.sites:
            if not site:
                raise WrongCall("a site is a host name, such as example.org")
        try:
            if len(self.match) > MAX_PATTERN:
                raise WrongCall(f"--match takes patterns of up to {MAX_PATTERN} characters")
            re.compile(self.match)
        except re.error as error:
            raise WrongCall(f"--match {self.match!r} isn't a regular expression: {error}") from error

    @classmethod
    def of(
        cls,
        sites: Sequence[str] = (),
        languages: Sequence[str] = (),
        fetched_from: datetime | None = None,
        fetched_before: datetime | None = None,
        match: str = "",
    ) -> "PageFilter":
        """A filter by hosts or URLs of sites, in any order and spelling."""
        hosts = {site_of(site if "://" in site else f"http://{site}/") for site in sites}
        codes = {code.strip().lower() for code in languages}
        return cls(tuple(sorted(hosts)), tuple(sorted(codes)), fetched_from, fetched_before, match)

    @cached_property
    def is_empty(self) -> bool:
        """Whether all pages are asked for."""
        return self == PageFilter()

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return re.compile(self.match) if self.match else None

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(self.sites)

    def wants_record(self, url: str, fetched_at: datetime) -> bool:
        """Whether a record may hold a page that is asked for, by its header."""
        if self._hosts and not self._has_site(site_of(url)):
            return False
        if self.fetched_from is not None and fetched_at < self.fetched_from:
            return False
        if self.fetched_before is not None and fetched_at >= self.fetched_before:
            return False
        return self._pattern is None or self._pattern.search(url) is not None

    def wants_page(self, page: FetchedPage) -> bool:
        """Whether a page may be in a language that is asked for, by what it declares of itself."""
        if not self.languages:
            return True
        declared = DECLARED_LANGUAGE.search(page.body, 0, HEAD_BYTES)
        return declared is None or self._has_language(declared[1].decode("ascii"))

    def wants_article(self, article: Article) -> bool:
        """Whether an article is in a language that is asked for."""
        return not self.languages or self._has_language(article.language or "")

    def as_json(self) -> dict[str, Any]:
        """The conditions that are given."""
        values = {
            "sites": list(self.sites),
            "languages": list(self.languages),
            "fetched_from": self.fetched_from and self.fetched_from.astimezone(UTC).isoformat(),
            "fetched_before": self.fetched_before and self.fetched_before.astimezone(UTC).isoformat(),
            "match": self.match,
        }
        return {name: value for name, value in values.items() if value}

    def _has_site(self, host: str) -> bool:
        while host:
            if host in self._hosts:
                return True
            host = host.partition(".")[2]
        return False

    def _has_language(self, code: str) -> bool:
        wanted = code.lower().replace("_", "-")
        return any(wanted.split("-")[0] == language.split("-")[0] for language in self.languages)


#: The filter that leaves out nothing.
ALL_PAGES = PageFilter()
