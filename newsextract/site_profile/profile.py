"""Profile of a site: an immutable snapshot of its page summaries, as counts of blocks and of groups of pages.

Built in steps: on how many pages each block, headline and beginning of a text occurs; each page's log odds by itself
and by shared text; their sums over groups of pages, which give each page's log odds; and, weighted by these, counts of
blocks over the articles. The page itself is always excluded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from newsextract.site_profile.batch import Batch, Flags, Floats, Ints
from newsextract.site_profile.block_evidence import ArticleCounts, block_features, find_furniture
from newsextract.site_profile.counts import take
from newsextract.site_profile.model import SiteModel, site_model
from newsextract.site_profile.page_evidence import PageGroups, SiteCounts, date_of_articles, in_menu, page_features
from newsextract.site_profile.summary import PageSummary


@dataclass(frozen=True, eq=False)
class SiteProfile:
    """What the pages of a site show together: a function of the set of summaries, independent of their order.

    `numbers`: URL -> number, sorted; `alone`: (pages,) log odds by the page and its shared text;
    `dated`: how nearly all articles are dated (`summary.DATED`); `model`: weights other than the package's.
    """

    numbers: dict[str, int]
    counts: SiteCounts
    alone: Floats
    groups: PageGroups
    log_odds: Floats
    articles: ArticleCounts
    dated: int
    model: SiteModel | None = None

    @classmethod
    def build(cls, summaries: Iterable[PageSummary], model: SiteModel | None = None) -> "SiteProfile":
        """The profile of these pages; of several summaries of a URL, the last counts."""
        weights = model or site_model()
        by_url = {summary.url: summary for summary in sorted(summaries, key=attrgetter("url"))}
        batch = Batch([*by_url.values()])
        counts, numbers = SiteCounts.of(batch), np.arange(batch.count)
        features = page_features(batch, counts, numbers)
        alone = weights.alone_log_odds(features)
        groups = PageGroups.of(batch, alone)
        grouped = groups.features(batch, numbers >= 0, alone)
        log_odds = weights.log_odds(features, alone, grouped)
        articles = ArticleCounts.of(batch, log_odds)
        dated = date_of_articles(batch, (log_odds >= 0) & ~in_menu(batch, counts, numbers))
        places = dict(zip(by_url, range(batch.count), strict=True))
        return cls(places, counts, alone, groups, log_odds, articles, dated, model)

    def __len__(self) -> int:
        return len(self.numbers)

    def numbers_of(self, summaries: Sequence[PageSummary]) -> Ints:
        """(summaries,) the number of each page in the profile, -1 if it isn't there."""
        return np.array([self.numbers.get(one.url, -1) for one in summaries], np.int64)

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
        """(rows,) whether each block stands on most articles, so it is none's own (`block_evidence.find_furniture`)."""
        return find_furniture(batch, self.articles, own)
