"""Evidence of a block being text of the page: on how many other pages it stands, and whether it belongs to one of them.

Counts are over the articles of the site, each page weighted by its probability of being one; the page itself is left
out. A block belongs to the article that has it earliest, most surely if the headline above it is that article's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.site_profile.batch import Batch, Flags, Floats, Ints
from newsextract.site_profile.counts import FAR, BlockCounts, KeyCounts, find, take
from newsextract.site_profile.page_evidence import LONG, RARE_PAGES, RARE_SHARE, SiteCounts

FEATURES = (
    "size", "heading", "linked", "article share", "on an article", "log articles", "page share", "chosen share",
    "unique", "on lists", "heading share", "earlier", "much earlier", "earliest here", "headline of another",
    "under headline of another", "behind headline of another", "lead of another", "earlier near", "shared near",
    "share of page earlier", "earlier and under", "long and shared", "long and earlier",
    "of the headline's page", "of the headline's page near", "unknown behind", "heading chosen", "shared and chosen",
    "linked and shared", "unique behind", "unique near", "again on the page",
)  # fmt: skip
#: The first features are of the block itself.
OWN = 3
#: Letters, in steps of a position, by which a block stands earlier elsewhere; letters of a headline (as power of two).
TOLERANCE, HEADLINE_SIZE = 25, 3
#: Articles that count half, for what is rare; blocks before and behind that are near.
SHRINKAGE, NEAR = 4.0, 3


@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """Counts over the articles of a site: `weights`: (pages,) probability of each page being one; of blocks, headlines
    and beginnings of texts."""

    weights: Floats
    blocks: BlockCounts
    headlines: KeyCounts
    leads: KeyCounts

    @classmethod
    def of(cls, batch: Batch, log_odds: Floats) -> "ArticleCounts":
        """The counts of a batch; `log_odds`: (pages,) of being an article."""
        weights = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
        is_article = log_odds > 0
        headlines = np.where(is_article, batch.headline, 0).astype(np.uint32)
        leads = np.where(is_article, batch.lead, 0).astype(np.uint32)
        return cls(
            weights, BlockCounts.of(batch, weights, is_article), KeyCounts.of(headlines, weights),
            KeyCounts.of(leads, weights),
        )  # fmt: skip


def block_features(batch: Batch, counts: SiteCounts, articles: ArticleCounts, own: Ints) -> NDArray[np.float32]:
    """(rows, FEATURES); `own`: (pages,) the number of each page in the profile, -1 where it is not there."""
    pages, rows = batch.pages, np.arange(len(batch.keys))
    known = own >= 0
    weight = take(articles.weights, own, 0)
    others = np.maximum(1, counts.size - known)[pages]
    other_articles = np.maximum(0, articles.weights.sum() - weight)[pages]
    places = find(articles.blocks.keys, batch.keys)
    here = weight[pages] * (places >= 0)
    on = np.maximum(0, take(articles.blocks.pages, places, 0) - here)
    chosen = np.maximum(0, take(articles.blocks.chosen, places, 0) - here * batch.chosen)
    headings = np.maximum(0, take(articles.blocks.headings, places, 0) - here * batch.heading)
    on_pages = np.maximum(0, take(counts.blocks.pages, places, 0) - (known[pages] & (places >= 0)))
    is_rare = on_pages <= np.maximum(RARE_PAGES, RARE_SHARE * others)
    owner, letters = articles.blocks.owner(places, own[pages])
    later = is_rare & (letters > batch.position + TOLERANCE) & (letters < FAR)
    is_headline = articles.headlines.has(batch.keys) & (batch.keys != batch.headline[pages]) & is_rare
    is_headline &= batch.size >= HEADLINE_SIZE
    is_lead = articles.leads.has(batch.keys) & (batch.keys != batch.lead[pages])
    starts = batch.bounds[0]
    above = np.maximum.accumulate(np.where(batch.heading, rows, -1))
    under = (above >= starts) & (is_headline & batch.heading)[above]
    anchors = batch.heading & (is_headline | (batch.keys == batch.headline[pages]))
    anchor = np.maximum.accumulate(np.where(anchors, rows, -1))
    behind = (anchor >= starts) & is_headline[anchor]
    earlier = behind & is_rare & (letters < batch.position - TOLERANCE)
    headline_page = take(articles.headlines.pages, find(articles.headlines.keys, batch.keys), -2)
    is_theirs = behind & (owner == headline_page[anchor]) & (owner >= 0)
    text = batch.chosen & (batch.size >= LONG)
    share = on / (other_articles + 3)
    strength = other_articles / (other_articles + SHRINKAGE)
    is_on, unique = np.minimum(1, on), on < 0.5
    chosen_share, heading_share = chosen / (on + 1), headings / (on + 1)
    long = np.clip((batch.size - 4) / 4, 0, 1)
    total = np.maximum(1, batch.total(text, batch.letters))
    return np.column_stack(
        [
            batch.size / 10,
            batch.heading,
            batch.linked,
            share,
            is_on * strength,
            np.log1p(on),
            on_pages / (others + 3),
            chosen_share * is_on,
            unique * strength,
            np.log1p(np.maximum(0, on_pages - on)) * (on_pages - on > 0.7),
            heading_share,
            earlier,
            np.where(earlier, np.log1p(np.maximum(0, batch.position - letters)) / 8, 0),
            later,
            is_headline,
            under,
            behind,
            is_lead & earlier,
            _near(batch, earlier, text),
            _near(batch, share > 0.1, text),
            (batch.total(text & earlier, batch.letters) / total)[pages] * earlier,
            earlier & under,
            long * share,
            long * earlier,
            is_theirs,
            _near(batch, is_theirs, text),
            behind & unique,
            heading_share * chosen_share,
            share * chosen_share,
            batch.linked * is_on,
            unique * strength * behind,
            unique * strength * _near(batch, unique, text),
            strength * np.log1p(batch.repetitions),
        ]
    ).astype(np.float32)


def _near(batch: Batch, flags: Flags, text: Flags) -> Floats:
    """(rows,) share of the letters of text near the row that stand in rows with the flag."""
    letters = batch.letters * text
    rows = np.arange(len(letters))
    starts, ends = batch.bounds
    low, high = np.maximum(starts, rows - NEAR), np.minimum(ends, rows + NEAR + 1)
    running = np.concatenate((np.zeros((2, 1)), np.cumsum([letters * flags, letters], axis=1)), axis=1)
    flagged, every = running[:, high] - running[:, low]
    share: Floats = flagged / np.maximum(1.0, every)
    return share
