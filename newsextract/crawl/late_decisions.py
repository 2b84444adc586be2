"""Decisions on pages by their summaries, once more of their site is known; nothing here reads a page or a database."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from newsextract.site_profile import Decision, PageSummary, SiteProfile, decide_all
from newsextract.site_profile.placeholders import PLACEHOLDER
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.site_profile.summary import has_short_lines
from newsextract.store.outcome import SitePage

#: Number of a site's pages from which on its profile is good enough to publish by.
ENOUGH_PAGES = 36
#: Log odds, for or against an article, from which on a page is certain.
CERTAIN = 2.0
#: A page of a site, and the decision on it by its summary.
Decided = tuple[SitePage, Decision]
#: The decision on a page that shows a text in place of its own.
IS_PLACEHOLDER = Decision(False, -CERTAIN, b"", PLACEHOLDER)


def is_pending(decision: Decision, pages: int, summary: PageSummary | None = None) -> bool:
    """Whether more pages may change a decision made by `pages`. An article is published as soon as enough is known.

    Before there is a profile, nothing tells whether short lines of a text (`summary`) stand in every article of the
    site.
    """
    if summary is not None and decision.is_article and pages < MIN_PAGES and has_short_lines(summary):
        return True
    return abs(decision.log_odds) < CERTAIN and not (decision.is_article and pages >= ENOUGH_PAGES)


def is_decided_article(page: SitePage) -> bool:
    """Whether a page was decided to be an article."""
    with suppress(ValueError):
        return Decision.from_bytes(page.decision or b"").is_article
    return False


def with_summaries(pages: Iterable[SitePage | None]) -> list[tuple[SitePage, PageSummary]]:
    """The extracted pages and their summaries, without those whose summary or decision can't be read."""
    known = []
    for page in pages:
        with suppress(ValueError):
            if page is not None and page.decision is not None:
                Decision.from_bytes(page.decision)
                known.append((page, PageSummary.from_bytes(page.summary)))
    return known


def decide_again(pages: Iterable[SitePage | None], profile: SiteProfile) -> dict[str, Decided]:
    """The extracted pages by URL with the decisions by the profile."""
    known = with_summaries(pages)
    decisions = decide_all([summary for _, summary in known], profile)
    return {page.url: (page, decision) for (page, _), decision in zip(known, decisions, strict=True)}


def decide_published(pages: Iterable[SitePage], profile: SiteProfile) -> list[Decided]:
    """The pages that were decided to be articles, with the decisions by the profile."""
    return [*decide_again((page for page in pages if is_decided_article(page)), profile).values()]


def find_lines(decided: Iterable[Decided]) -> Iterator[tuple[SitePage, frozenset[int]]]:
    """The articles whose stored text has lines that most articles have, with the new decision; hashes of the lines."""
    for page, now in decided:
        if now.is_article and now.furniture is not None and now.furniture.any():
            rows = PageSummary.from_bytes(page.summary).rows
            found = Decision.from_bytes(page.decision or b"").chosen_rows(len(rows)) & now.furniture
            if found.any():
                yield replace(page, decision=now.to_bytes()), frozenset(rows["key"][found].tolist())
