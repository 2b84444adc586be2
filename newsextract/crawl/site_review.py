"""The review of a site when nothing is left to fetch of it: what was stored too early, or is known better by now."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from scrapy.crawler import Crawler

from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.component import Component
from newsextract.crawl.late_articles import as_stored, send_stored
from newsextract.crawl.late_decisions import IS_PLACEHOLDER, with_summaries
from newsextract.items import Article
from newsextract.near_duplicates import signature_of
from newsextract.site_profile import Decision
from newsextract.site_profile.placeholders import (
    DATES,
    PLACEHOLDER,
    agree,
    has_entries,
    is_own_story,
    is_placeholder,
    pages_of_one_text,
    shows_headline,
)
from newsextract.site_profile.stored_furniture import without_lines
from newsextract.store import PageOutcome, UrlState
from newsextract.store.endings import believe_gone
from newsextract.store.frontier import redirects_to
from newsextract.store.lookup import find_article
from newsextract.store.outcome import RequestedUrl, SitePage
from newsextract.store.revisions import add_listed_dates, replace_text
from newsextract.store.site_pages import find_candidate


class SiteReview(Component):
    """Looks at all pages of a site together; each finding is committed, and sent to feeds."""

    def __init__(self, crawler: Crawler, async_store: AsyncStore) -> None:
        super().__init__(crawler)
        self.store = async_store

    async def find_placeholders(self, pages: Sequence[SitePage], changed: Collection[str]) -> list[SitePage]:
        """The pages of a site that show a text in place of their own, and are no articles so far or not settled.

        `changed`: URLs of pages with another text than the article that is stored of them.
        """
        known = with_summaries(pages)
        found: list[SitePage] = []
        again = {number for number, (page, _) in enumerate(known) if page.url in changed}
        for group in await asyncio.to_thread(pages_of_one_text, [summary for _, summary in known], again):
            alike = [known[number][0] for number in group]
            linked = [(page.url, page.anchor_text) for page in alike]
            redirected: list[tuple[str, str]] = []
            for page in alike:
                if page.is_target:
                    redirected += await self.store.read(redirects_to, page.url)
            leads = linked + redirected
            replaced = [page for page in alike if page.url in changed]
            if (len(leads) == 1 and not replaced) or has_entries([known[number][1] for number in group]):
                continue
            story = await self._article(known[number][0].url for number in group if shows_headline(known[number][1]))
            headline, canonical = (story.headline or "", story.canonical_url or "") if story else ("", "")
            if is_own_story(headline, story is not None and is_dated(story), canonical, linked, redirected):
                continue
            is_known = len(replaced) > 1 or any(page.reason == PLACEHOLDER for page in alike)
            if is_known or is_placeholder(headline, leads, len(known)) or await self._is_off(replaced, headline):
                found += alike
        return found

    async def _is_off(self, replaced: Sequence[SitePage], headline: str) -> bool:
        """Whether a page whose link text agreed with the headline that is stored shows another one."""
        for page in replaced:
            article = await self.store.read(find_article, page.url)
            if article and agree(article.headline or "", page.anchor_text) and not agree(headline, page.anchor_text):
                return True
        return False

    async def _article(self, urls: Iterable[str]) -> Article | None:
        """The article of the first of these pages that was stored, or is a candidate; None if none was."""
        for url in urls:
            candidate = await self.store.read(find_candidate, url)
            article = candidate.article if candidate else await self.store.read(find_article, url)
            if article is not None:
                return article
        return None

    async def retract(self, page: SitePage, decision: Decision) -> None:
        """Retracts what was stored of a page; feeds of this run may have it already, and get it once more."""
        store, reason = self.store, decision.reason or "no_article"
        article = await store.read(find_article, page.url)
        outcome = PageOutcome(page.url, UrlState.not_article, reason, at=page.fetched_at, settles=True, retract=True)
        outcome.requested = RequestedUrl(revisit=True)
        outcome.site_page = replace(page, decision=decision.to_bytes())
        saved = await store.writer.commit(outcome)
        if saved.kind != "retracted" or article is None:
            if page.run == store.run and not page.settled and decision is IS_PLACEHOLDER:
                self.counts.aliases -= 1
                self.counts.articles["unchanged"] -= 1
                self.counts.dropped[reason] += 1
            return
        self.counts.retracted += 1
        if page.run == store.run:  # it was counted as an article; each page counts once
            self.counts.articles["new"] -= 1
            self.counts.dropped[reason] += 1
            article.version, article.duplicate_of = article.version + 1, None
            article.is_article, article.not_article_because = False, reason
            await send_stored(self.crawler, as_stored(replace(saved, article=article), article))

    async def leave_out(self, page: SitePage, keys: frozenset[int]) -> None:
        """Takes lines out of a stored article: it was stored before its site showed that most articles have them."""
        store = self.store
        article = await store.read(find_article, page.url)
        if article is None or (shorter := without_lines(article, keys)) is None:
            return
        signature = await asyncio.to_thread(signature_of, shorter.article_body)
        if (stored := await store.write(replace_text, page, shorter, signature)) is not None:
            self.counts.lines_left_out += 1
            await send_stored(self.crawler, stored)

    async def add_dates(self, site: str) -> None:
        """Gives undated articles the date that a list has given since."""
        for article in await self.store.write(add_listed_dates, site):
            self.counts.dated += 1
            await send_stored(self.crawler, article)

    async def believe_gone(self, site: str) -> None:
        """Marks articles as deleted, or renamed, whose URLs were gone in this run, if something else says so, too."""
        if self.store.run is None:
            return
        deleted, renamed = await self.store.write(believe_gone, site, self.store.run)
        of_gone = {"deleted": deleted, "changed": len(renamed), "gone_for_now": -deleted - len(renamed)}
        for name, number in of_gone.items():
            self.counts.refetched[name] += number
        self.counts.articles["deleted"] += deleted
        for article in renamed:
            await send_stored(self.crawler, article)


def is_dated(article: Article) -> bool:
    """Whether the page itself declares when it was published."""
    return article.sources.get("date_published") in DATES
