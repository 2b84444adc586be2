"""Profile of a site: an immutable snapshot of its page summaries, as counts of blocks and of groups of pages.

Built in steps: on how many pages each block, headline and beginning of a text occurs; each page's log odds by itself
and by shared text; their sums over groups of pages, which give each page's log odds; and, weighted by these, counts of
blocks over the articles. The page itself is always excluded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from newsextract.limits import SIMILAR_TEXTS
from newsextract.site_profile.batch import Batch, Flags, Floats, Ints
from newsextract.site_profile.block_evidence import ArticleCounts, block_features, find_furniture
from newsextract.site_profile.counts import take
from newsextract.site_profile.model import SiteModel, site_model
from newsextract.site_profile.page_evidence import PageGroups, SiteCounts, date_of_articles, in_menu, page_features
from newsextract.site_profile.summary import CHOSEN, HEADING, PageSummary
from newsextract.text import SHORT_LINE
from newsextract.urls.shapes import folder_of, is_same_story


def find_original(summary: PageSummary, headlines: dict[int, list[str]], *, adds: bool = True) -> str:
    """The URL of the story that a page is another URL of, by its headline and its URL; its own if it is none.

    `headlines`: URLs by the hash of their headline, to which a new one is added.
    """
    if summary.reason is not None or not summary.headline:
        return summary.url
    known = headlines.setdefault(summary.headline, []) if adds else headlines.get(summary.headline, [])
    folder = folder_of(summary.url) if _is_entry(summary) else None
    alike = (url for url in known if is_same_story(url, summary.url) or folder_of(url) == folder)
    original = next(alike, summary.url)
    if adds and original == summary.url and len(known) < SIMILAR_TEXTS:
        known.append(original)
    return original


def _is_entry(summary: PageSummary) -> bool:
    """Whether a page has the text of the link to it in its text, not as its headline: an entry of a live blog."""
    lines = summary.rows["key"][(summary.rows["flags"] & (CHOSEN | HEADING)) > 0]
    return bool(summary.label not in (0, summary.headline) and summary.label in lines)


@dataclass(frozen=True, eq=False)
class SiteProfile:
    """What the pages of a site show together: a function of the set of summaries, independent of their order.

    `numbers`: URL -> number, sorted, the same for all URLs of a story; `headlines`: hash of a headline -> URLs of the
    stories that have it; `alone`: (pages,) log odds by the page and its shared text; `dated`: how nearly all articles
    are dated (`summary.DATED`); `model`: weights other than the package's; `decides`: False if too few pages are known
    to decide by, and it only tells which lines most articles have.
    """

    numbers: dict[str, int]
    headlines: dict[int, list[str]]
    counts: SiteCounts
    alone: Floats
    groups: PageGroups
    log_odds: Floats
    articles: ArticleCounts
    dated: int
    model: SiteModel | None = None
    decides: bool = True

    @classmethod
    def build(cls, summaries: Iterable[PageSummary], model: SiteModel | None = None) -> "SiteProfile":
        """The profile of these pages; of several summaries of a URL, the last counts, and of several URLs of a story
        the first: the entries of a live blog are no other pages with its text.
        """
        weights = model or site_model()
        by_url = {summary.url: summary for summary in sorted(summaries, key=attrgetter("url"))}
        headlines: dict[int, list[str]] = {}
        originals = {url: find_original(summary, headlines) for url, summary in by_url.items()}
        of_story = [summary for url, summary in by_url.items() if originals[url] == url]
        batch = Batch(of_story)
        counts, numbers = SiteCounts.of(batch), np.arange(batch.count)
        features = page_features(batch, counts, numbers)
        alone = weights.alone_log_odds(features)
        groups = PageGroups.of(batch, alone)
        grouped = groups.features(batch, numbers >= 0, alone)
        log_odds = weights.log_odds(features, alone, grouped)
        articles = ArticleCounts.of(batch, log_odds)
        dated = date_of_articles(batch, (log_odds >= 0) & ~in_menu(batch, counts, numbers))
        places = {summary.url: number for number, summary in enumerate(of_story)}
        places = {url: places[original] for url, original in originals.items()}
        return cls(places, headlines, counts, alone, groups, log_odds, articles, dated, model)

    def __len__(self) -> int:
        return len(self.alone)

    def numbers_of(self, summaries: Sequence[PageSummary]) -> Ints:
        """(summaries,) the number of each page, or of its story, in the profile, -1 if it isn't there."""
        urls = (
            one.url if one.url in self.numbers else find_original(one, self.headlines, adds=False) for one in summaries
        )
        return np.array([self.numbers.get(url, -1) for url in urls], np.int64)

    def is_undated_in_menu(self, batch: Batch, own: Ints) -> Flags:
        """(pages,) whether most pages link to it, and it isn't dated as the articles are: about the site itself."""
        is_undated = batch.dated < self.dated
        return is_undated & in_menu(batch, self.counts, own) if is_undated.any() else is_undated

    def page_log_odds(self, batch: Batch, own: Ints) -> tuple[Floats, Floats]:
        """(pages,) log odds of an article; and (pages, features) their features. `own`: see `numbers_of`."""
        weights = self.model or site_model()
        features = page_features(batch, self.counts, own)
        alone = weights.alone_log_odds(features)
        before = np.where(own >= 0, take(self.alone, own, 0), alone)
        groups = self.groups.features(batch, own >= 0, before)
        return weights.log_odds(features, alone, groups), features

    def block_weights(self, batch: Batch, own: Ints) -> tuple[Floats, Flags]:
        """(rows,) what the site adds to each block's log odds; whether the block can't be one article's own.

        That other pages show a page's story below their own says nothing against its blocks.
        """
        features, is_common, is_shown_below = block_features(batch, self.counts, self.articles, own)
        weights = (self.model or site_model()).block_weights(features)
        return np.where(is_shown_below, np.maximum(weights, 0), weights), is_common & ~is_shown_below

    def furniture(self, batch: Batch, own: Ints) -> Flags:
        """(rows,) whether each block stands on most articles, so it is none's own (`block_evidence.find_furniture`).

        A few articles may have a paragraph in common, for they may be of one event; then only short lines count.
        """
        found = find_furniture(batch, self.articles, own)
        return found if self.decides else found & (batch.letters <= SHORT_LINE)
