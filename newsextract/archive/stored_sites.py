"""What a database knows of the sites of kept pages: their profiles, the decisions on their pages, and peers."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from newsextract.archive.kept_pages import KeptPages
from newsextract.items import Article, FetchedPage
from newsextract.site_profile import Decision, PageSummary, ProfileSnapshot, SiteEvidence, SiteProfile, build_profile
from newsextract.site_profile.peer_index import PeerIndex
from newsextract.site_profile.snapshot import read_summaries
from newsextract.store import Store, site_pages
from newsextract.store.outcome import SitePage
from newsextract.store.schema import fingerprint
from newsextract.store.site_pages import load_peers, load_site_pages
from newsextract.urls import site_of
from newsextract.workers.messages import ExtractionPlan, Worker, Workers

#: Sites that are cached.
CACHED_SITES = 20


@dataclass
class StoredSite:
    """A site's profile, None if too few pages are known; and what is stored of each page, by fingerprint."""

    snapshot: ProfileSnapshot | None
    rows: Mapping[str, SitePage]
    peers: PeerIndex = field(default_factory=PeerIndex)


class StoredSites:
    """How to extract kept pages again: each with the profile of its site and a peer, where the extractor uses them.

    An extractor that compares two pages gets the peer of the current version; another extractor gets that or the best
    reference page of the site.
    """

    def __init__(
        self, store: Store, pages: KeptPages, workers: Workers, extractor: str, *, uses_peers: bool, uses_sites: bool
    ) -> None:
        self._store, self._pages, self._workers, self._extractor = store, pages, workers, extractor
        self._uses_peers, self._uses_sites = uses_peers, uses_sites
        self._site = lru_cache(CACHED_SITES)(self._read_site)

    def plan(self, page: FetchedPage, present: Article) -> ExtractionPlan:
        """How to extract a page; `present`: its article as stored."""
        site = self._site(site_of(page.url))
        peer = self._find_peer(site, page, present) if self._uses_peers else None
        evidence = self._find_evidence(site, page, present) if self._uses_sites else None
        return ExtractionPlan(() if peer is None else (peer,), evidence)

    def _find_evidence(self, site: StoredSite, page: FetchedPage, present: Article) -> SiteEvidence | None:
        """What the site shows about a page; the earlier decision if the same extractor gives the same ratings."""
        row = site.rows.get(fingerprint(page.url)) if present.extractor == self._extractor else None
        decided = None
        if row is not None and row.decision is not None and row.fetched_at == page.fetched_at:
            with suppress(ValueError):
                decided = PageSummary.from_bytes(row.summary), Decision.from_bytes(row.decision)
        is_article = decided is not None and decided[1].is_article
        return None if site.snapshot is None else SiteEvidence(site.snapshot, decided=decided if is_article else None)

    def _find_peer(self, site: StoredSite, page: FetchedPage, present: Article) -> FetchedPage | None:
        url = present.peer_url
        if url is not None and (peer := site.peers.get(url) or self._pages.find(url, page.fetched_at)):
            return peer
        if present.extractor == self._extractor and url is None:
            return None
        template = self._workers.submit(Worker.read, page).result().template
        return site.peers.find_peer(replace(page, template=template))

    def _read_site(self, name: str) -> StoredSite:
        rows = self._store.read(load_site_pages, name) if self._uses_sites else []
        profile = profile_of(rows)
        site = StoredSite(ProfileSnapshot.of(profile) if profile else None, {row.fingerprint: row for row in rows})
        for page in self._store.read(load_peers, name) if self._uses_peers else ():
            site.peers.add(page)
        return site


def profile_of(rows: list[SitePage]) -> SiteProfile | None:
    """The profile of a site by the rows of its pages, as many as a crawl builds it from; None if they are too few."""
    return build_profile(read_summaries(row.summary for row in site_pages.sample(rows)))
