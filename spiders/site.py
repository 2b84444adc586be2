"""The spider `site`: a news site by its front page, feeds, sitemaps and links."""

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import ClassVar
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.crawl.failures import was_article
from newsextract.crawl.further_pages import with_parts
from newsextract.crawl.lease import Lease
from newsextract.crawl.lease_requests import link_of_request
from newsextract.discovery.discovered_site import KNOWN, MAX_LISTS, DiscoveredSite, RecentlyUsed
from newsextract.discovery.entries import Entry
from newsextract.discovery.found import FOUND, FoundUrl, found_in
from newsextract.discovery.links import PageLinks, is_feed_of_page
from newsextract.discovery.lists import FEED_PATHS, SITEMAP_PATHS, sitemaps_in_robots_txt
from newsextract.discovery.newest_first import date_of_list, period_of_list
from newsextract.discovery.priority import FIXED, MAIN_LISTS, UNDATED_DAYS, UrlKind, list_priority
from newsextract.items import Article, FetchedPage, Listing
from newsextract.reasons import GONE
from newsextract.spiders.arguments import ALLOW, DENY, MAX_PAGES, SINCE, Argument, parse_count, parse_flag, parse_urls
from newsextract.spiders.base import NewsSpider, failed_request
from newsextract.spiders.large_lists import ListedUrls
from newsextract.store import Frontier
from newsextract.store.frontier import find_fetches
from newsextract.urls import article_key, is_of_site, site_of
from newsextract.urls.shapes import original_of_copy
from newsextract.workers.messages import ReadPage

#: Seconds that a page waits for feeds at most, and between two checks.
FEED_WAIT = 3.0
POLL_INTERVAL = 0.02


#: Days by which the pages of a sitemap without a date count as older than those of the one before it in its index.
DAYS_BETWEEN_MAPS = 10
#: Links of a front page that must lead to one other host, and none elsewhere, to say that the site has moved.
MIN_LED = 5
#: Requests for the newest entries of a large list that are queued at a time.
LINKS_AT_A_TIME = 200


def age_of_place(place: int) -> datetime | None:
    """The age that a page without a date has by the place of its sitemap among others, from 1, the newest."""
    if not place:
        return None
    return datetime.now(UTC) - timedelta(days=UNDATED_DAYS + DAYS_BETWEEN_MAPS * place)


class SiteSpider(NewsSpider):
    """scrapy crawl site -a url=https://example.org/ [-a max_pages=100]"""

    name = "site"
    SIGNALS = ("item_scraped", "item_dropped")
    metadata: ClassVar[Mapping[str, object]] = {
        "title": "A news site",
        "description": "Front page, feeds, sitemaps and links of a site.",
    }
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("url", parse_urls, required=True, help="The front page of the site; several are separated by commas."),
        MAX_PAGES,
        Argument("max_depth", parse_count, help="Follow links this many steps from the front page."),
        ALLOW,
        DENY,
        Argument("subdomains", parse_flag, default=False, help="Also crawl the site's subdomains."),
        SINCE,
    )

    def __init__(self, name: str | None = None, **given: str) -> None:
        super().__init__(name, **given)
        self.subdomains = self.values["subdomains"]
        self.sites = self.given_sites
        #: What the crawl has found, by given site.
        self.found: defaultdict[str, DiscoveredSite] = defaultdict(DiscoveredSite)
        #: Lists that are left to later crawls.
        self.left_lists = 0

    def within(self, url: str) -> bool:
        return self.owns(url) or bool(self.former_site(url))

    def found_at(self, url: str) -> DiscoveredSite:
        """What the crawl has found of the given site that a URL belongs to; all others share one of their own."""
        return self.found[self.owner(url)]

    async def start(self) -> AsyncIterator[Request]:
        for url in self.values["url"]:
            yield self.given_request(url, self.parse_home, UrlKind.FRONT_PAGE)

    def parse_home(self, response: Response) -> Iterator[Request | FetchedPage]:
        """Callback of the front page: the page, and robots.txt."""
        page = self.page(response)
        if page is None:
            self.start_useless(found_in(response.meta).asked_for, "it isn't an HTML page")
            return
        if (given := self.former_site(response.url)) and not self.owns(response.url):
            self.counts.moved[given] = response.url
        self.found_at(response.url).known[article_key(response.url)] = KNOWN
        robots = urljoin(response.url, "/robots.txt")  # as the list of sitemaps; RobotsMiddleware has it already
        meta = {"dont_obey_robotstxt": True, FOUND: FoundUrl(robots, guessed=True)}
        priority = FIXED[UrlKind.ROBOTS_TXT]
        yield Request(robots, callback=self.parse_robots, errback=self.no_robots, priority=priority, meta=meta)
        yield page

    async def parse_page(self, response: Response) -> AsyncIterator[FetchedPage]:
        """Callback of any other page."""
        await self.wait_for_feeds(response.meta.get("download_slot") or "")
        page = self.page(response)
        if page is not None:
            yield page

    async def follow(self, page: ReadPage, response: Response) -> AsyncIterator[Request | FetchedPage]:
        """The page, with the further pages of its article, the feeds that it names, and its links."""
        assert response.request is not None
        is_front = response.request.callback == self.parse_home
        async for output in self.follow_front(page, response) if is_front else self.follow_page(page, response):
            yield output

    async def follow_front(self, page: ReadPage, response: Response) -> AsyncIterator[Request | FetchedPage]:
        """The front page, the site's feeds, and the links."""
        links = page.links
        self.note_links(links, response.url)
        self.found_at(response.url).language = links.language
        found = links.feeds or [*links.linked_feeds, *FEED_PATHS]
        async for request in self.list_requests("feeds", map(Entry, found), response.url, is_guess=not links.feeds):
            yield request
        yield page
        for request in self.link_requests(links, response.url, depth=1):
            yield request

    async def follow_page(self, page: ReadPage, response: Response) -> AsyncIterator[Request | FetchedPage]:
        """Any other page, the feeds that it names, and its links."""
        depth, known = found_in(response.meta).depth + 1, self.found_at(response.url).known
        links = page.links
        if page.first is not None:
            self.drop_part(response, page)
        elif (whole := await with_parts(self.crawler, page, response, self.page)) is not None:
            known.update((article_key(part.url), KNOWN) for part in whole.parts)
            yield whole
        if links.amp and is_of_site(links.amp, response.url):
            known.setdefault(article_key(links.amp), KNOWN)
        feeds = map(Entry, self.feeds_of_lists(links, response.url))
        async for request in self.list_requests("feeds", feeds, response.url):
            yield request
        linked = []
        for request in self.link_requests(links, response.url, depth):
            linked.append(request.url)
            yield request
        self.found_at(response.url).traps.record_links(response.url, linked)

    def trapped(self, url: str) -> bool:
        """Whether the URL's shape is that of a crawler trap, or it is one more of a story with many."""
        return self.found_at(url).traps.trap_reason(url) is not None or self.context.copies.is_copy(url)

    async def parse_robots(self, response: Response) -> AsyncIterator[Request]:
        """Callback of robots.txt: the sitemaps that it names, or those at the usual places."""
        named = sitemaps_in_robots_txt(response.body, response.url)
        maps = map(Entry, named or SITEMAP_PATHS)
        async for request in self.list_requests("sitemaps", maps, _requested(response), is_guess=not named):
            yield request

    def no_robots(self, failure: Failure) -> Iterator[Request]:
        """Errback of robots.txt: a site without one may have a sitemap at the usual places."""
        self.list_failed(failure)
        url = failed_request(failure)[0].url
        for path in SITEMAP_PATHS:
            yield self.list_request("sitemaps", FoundUrl(urljoin(url, path), guessed=True), url, 1)

    async def parse_sitemap(self, response: Response, declared_on: str = "") -> AsyncIterator[Request]:
        """Callback of a sitemap: its pages, or the sitemaps of an index. `declared_on`: by a page of another site."""
        owner = declared_on or _requested(response)
        contents = await self.read_list(response, self.found_at(owner).language)
        parts = [one for one in contents.sitemaps if not self.listed_before_since(date_of_list(one))]
        left = self.left_lists
        async for request in self.list_requests("sitemaps", parts, owner, is_part=True):
            yield request
        if self.left_lists > left and (lease := response.meta.get("lease")) is not None:
            self.context.leases.note_left(lease)
        kind, place = UrlKind.FEED_ENTRY if contents.is_feed else UrlKind.SITEMAP_ENTRY, found_in(response.meta).place
        map_date = None if contents.is_feed else period_of_list(response.url) or age_of_place(place)
        entries = self.entry_requests(contents.pages, response.url, kind, owner, map_date)
        if not contents.batches:
            for request in entries:
                yield request
            return
        listed = ListedUrls(self, response.url, kind, owner, map_date)
        await self.queue_entries(entries, contents.batches, listed, response.meta.get("lease"))

    async def queue_entries(
        self, newest: Iterable[Request], batches: list[bytes], listed: ListedUrls, lease: Lease | None
    ) -> None:
        """Queues the entries of a large list, newest first, in batches: each is on disk before the next one is made.

        If the crawl is killed between two, the list is read again.
        """
        store, leases = self.context.async_store, self.context.leases
        while requests := [*islice(newest, LINKS_AT_A_TIME)]:
            links = [link for link in (link_of_request(request, self) for request in requests) if link is not None]
            queued = await store.lead(Frontier.add, links)
            leases.note_queued(lease, queued)
        while batches:  # its memory is freed as it is handled
            urls = await asyncio.to_thread(listed, batches.pop(0))
            leases.note_queued(lease, await store.lead(Frontier.add_listed, urls))

    async def parse_feed(self, response: Response, declared_on: str = "") -> AsyncIterator[Request]:
        """Callback of a feed; the frontier tells feeds from sitemaps by their callbacks."""
        async for request in self.parse_sitemap(response, declared_on):
            yield request

    def feeds_of_lists(self, links: PageLinks, url: str) -> list[str]:
        """The feeds that a page names, except the one of an article's comments, which is at the page's own URL."""
        others = [feed for feed in links.feeds if not is_feed_of_page(feed, url)]
        is_article = others != links.feeds and self.article_probability(self.evidence(url)) > 0.5
        return others if is_article else links.feeds

    async def list_requests(
        self, kind: str, lists: Iterable[Entry], found_on: str, *, is_guess: bool = False, is_part: bool = False
    ) -> AsyncIterator[Request]:
        """Requests for lists of the site of `found_on` that this crawl hasn't requested yet, in this order.

        At most MAX_LISTS of a kind are new to the frontier in one crawl, besides guesses; later crawls take up the
        others. `is_part`: of an index, which may say that they have changed since they were fetched.
        """
        site = self.found_at(found_on)
        entries = {url: entry for entry in lists if (url := urljoin(found_on, entry.url)) not in site.known}
        store = self.context.async_store
        fetches = await store.read(find_fetches, entries) if entries and store.is_open else {}
        for number, (url, entry) in enumerate(entries.items(), 1):
            is_elsewhere = not (self.within(url) and is_of_site(url, found_on))
            counted = f"guessed {kind}" if is_guess else f"{kind} elsewhere" if is_elsewhere else kind
            if url not in fetches or is_elsewhere:
                if site.lists[counted] >= MAX_LISTS.get(counted, math.inf):
                    self.left_lists += 1
                    self.count_left(kind, 1)
                    continue
                site.lists[counted] += 1
            site.known[url] = KNOWN
            site.numbered[kind] += 1
            place = MAIN_LISTS + number if is_part else site.numbered[kind]
            fetched = fetches.get(url)
            has_changed = bool(is_part and fetched and entry.date and entry.date > fetched)
            found = FoundUrl(url, guessed=is_guess, place=number if is_part and period_of_list(url) is None else 0)
            request = self.list_request(kind, found, found_on, place, is_elsewhere=is_elsewhere)
            yield request.replace(dont_filter=True) if has_changed else request

    def list_request(
        self, kind: str, found: FoundUrl, found_on: str, number: int, *, is_elsewhere: bool = False
    ) -> Request:
        """The request for a list, a site's `number`-th of its kind.

        A list on another host gets no row in the frontier, where it would take the place of a page of that host.
        """
        return Request(
            found.url,
            callback=self.parse_feed if kind == "feeds" else self.parse_sitemap,
            errback=self.list_failed,
            priority=list_priority(found.url, number),
            meta={FOUND: found},
            cb_kwargs={"declared_on": found_on} if is_elsewhere else {},
        )

    def entry_requests(
        self, entries: Iterable[Entry], found_on: str, kind: UrlKind, owner: str, map_date: datetime | None = None
    ) -> Iterator[Request]:
        """Requests for a list's pages that are new, or newer or likelier to be articles than was thought.

        `owner`: a URL on the site whose list it is; pages of other sites are no more than links. `map_date`: of the
        list, for pages without a date.
        """
        for entry in entries:
            if not self.within(entry.url):
                continue
            if not is_of_site(entry.url, owner):
                entry = Entry(entry.url)
            site = self.found_at(entry.url)
            if site.parameters.idle:
                entry = replace(entry, url=site.parameters.strip(entry.url))
            key = article_key(entry.url)
            before = site.known.find(key)
            if before is None and not self.may_request(entry.url, key):
                continue
            is_new_listing = keep_listing(site, key, entry.listing)
            left_out = self.left_out(entry.url, date=entry.date)
            found = FoundUrl.of_entry(entry, kind, found_on if is_of_site(entry.url, found_on) else owner)
            found = replace(found, map_date=map_date if entry.date is None else None, left_out=left_out)
            if before is not None:  # the URL as it is queued in the frontier
                found = replace(found, url=before.url or entry.url, anchor_text=entry.title or before.anchor_text)
            request = self.page_request(found)
            if before is None:
                site.known[key] = replace(found, listing=None, priority=request.priority)
                if not left_out:  # a run with other arguments reads the list again
                    yield request
                continue
            gains = request.priority > before.priority + 1
            if (left_out and not before.left_out) or (not left_out and (gains or is_new_listing)):
                before = replace(before, left_out=left_out, listed_in=found.listed_in, found_on=found.found_on)
                site.known[key] = replace(before, priority=max(before.priority, request.priority))
                yield request

    async def wait_for_feeds(self, site: str) -> None:
        """Waits briefly while feeds of a site are being fetched: they may have the date of a page that shows none."""
        for _ in range(round(FEED_WAIT / POLL_INTERVAL)):
            if not self.context.leases.is_open("feed", site):
                return
            await asyncio.sleep(POLL_INTERVAL)

    def link_requests(self, links: PageLinks, found_on: str, depth: int) -> Iterator[Request]:
        """Requests for new pages that a page links to. Those that the arguments leave out are kept for other runs."""
        self.found_at(found_on).parameters.learn(links.links, found_on)
        sites: dict[str, tuple[bool, RecentlyUsed[FoundUrl]]] = {}
        for link in links.links:
            if (site := site_of(link.url)) not in sites:
                sites[site] = is_of_site(link.url, found_on), self.found_at(link.url).known
            key, (is_own, known) = link.key or article_key(link.url), sites[site]
            text = link.anchor_text if is_own else ""  # others may say anything of a page
            before = known.find(key)
            if before is not None:
                if text and not before.anchor_text:
                    known[key] = replace(before, anchor_text=text)
                if before.left_out != "too_deep" or self.left_out(link.url, depth):
                    continue
            elif not self.may_request(link.url, key):
                continue
            left_out = self.left_out(link.url, depth)
            request = self.page_request(FoundUrl(link.url, text, "", found_on, depth, left_out=left_out))
            known[key] = FoundUrl(link.url, text, left_out=left_out, priority=request.priority)
            yield request

    def note_links(self, links: PageLinks, front: str) -> None:
        """Notes that all links of a front page lead to one other host, as those of a paper under its former name do."""
        own = article_key(front)
        hosts = Counter(urljoin(link.url, "/") for link in links.links if (link.key or article_key(link.url)) != own)
        [(url, number)] = hosts.most_common(1) or [(front, 0)]
        if number >= MIN_LED and len(hosts) == 1 and not self.within(url):
            sentence = f"all links of the front page lead to {url}: set url to that"
            self.counts.led[site_of(front)] = sentence

    def may_request(self, url: str, key: str) -> bool:
        """Whether a new URL is on the site, not in a trap, and not a copy of a known page."""
        if not self.within(url):
            return False
        original, known = original_of_copy(url), self.found_at(url).known
        if self.trapped(url) or (original is not None and article_key(original) in known):
            known[key] = KNOWN
            return False
        return True

    def evidence(self, url: str) -> FoundUrl:
        """What was known about a URL before it was fetched."""
        before = self.found_at(url).known.get(article_key(url)) or KNOWN
        return FoundUrl(url, before.anchor_text, before.listed_in, before.found_on)

    def page(self, response: Response) -> FetchedPage | None:
        """The page with the anchor text of a link to it, and what lists have said about it since."""
        page = super().page(response)
        if page is None:
            return None
        url = _requested(response)
        key, site = article_key(url), self.found_at(url)
        before, listing = site.known.find(key), site.listings.get(key)
        if before is None:  # as the frontier knows it: of a large list, or of an earlier run
            found = found_in(response.meta)
            before = site.known[key] = FoundUrl(url, found.anchor_text, found.listed_in, found.found_on)
        return replace(
            page,
            anchor_text=page.anchor_text or before.anchor_text or None,
            listing=listing if listing is not None and listing.is_better_than(page.listing) else page.listing,
        )

    def failed(self, failure: Failure) -> None:
        """Errback of a page: a URL that leads to no page isn't worth looking for."""
        request, reason, _ = failed_request(failure)
        if reason in GONE:
            self.learn_page(self.evidence(request.url), is_article=False)
        super().failed(failure)

    def item_dropped(self, item: object, exception: BaseException | None = None) -> None:
        """Learns from the result of a page which URLs are articles, and which lead nowhere."""
        is_article = was_article(item, exception)
        if is_article is not None and isinstance(item, Article | FetchedPage):
            self.learn_page(self.evidence(item.url), is_article)
            if self.found_at(item.url).traps.record_page(item.url, is_article):
                self.logger.info("Crawler trap: pages like %s lead nowhere; skipping the rest", item.url)

    item_scraped = item_dropped


def keep_listing(site: DiscoveredSite, key: str, listing: Listing | None) -> bool:
    """Keeps what a feed or sitemap says about a page that was already requested. True if that is new."""
    known = site.listings.find(key)
    if listing is None or key not in site.known:
        return False
    merged = listing if known is None else known.merged(listing)
    if merged == known:
        return False
    site.listings[key] = merged
    return True


def _requested(response: Response) -> str:
    """The URL that was requested, before any redirect."""
    url: str = response.meta.get("redirect_urls", [response.url])[0]
    return url
