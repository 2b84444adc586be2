"""Evidence that a block is text of its page: on how many other pages it occurs, and whether it belongs to one of them.

Counts are over the articles of the site, each page weighted by its probability of being one, without the page itself. A
block belongs to the article that has it earliest, most surely if the headline above it is that article's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.limits import MOST
from newsextract.site_profile.batch import Batch, Flags, Floats, Ints
from newsextract.site_profile.counts import (
    CHOSEN_BY,
    FAR,
    HEADINGS,
    PAGES,
    PLACES,
    SQUARES,
    BlockCounts,
    KeyCounts,
    find,
    take,
)
from newsextract.site_profile.page_evidence import LONG, MANY_SHARE, RARE_SHARE, SiteCounts

FEATURES = (
    "size", "heading", "linked", "article share", "on an article", "log articles", "page share", "chosen share",
    "unique", "on lists", "heading share", "earlier", "much earlier", "earliest here", "headline of another",
    "under headline of another", "behind headline of another", "lead of another", "earlier near", "shared near",
    "share of page earlier", "earlier and under", "long and shared", "long and earlier",
    "of the headline's page", "of the headline's page near", "unknown behind", "heading chosen", "shared and chosen",
    "linked and shared", "unique behind", "unique near", "again on the page", "section of another",
    "spread", "away", "own before", "own behind", "within own", "share within own", "share within shared",
)  # fmt: skip
#: The first features describe the block itself.
OWN = 3
#: Letters, in steps of a position, by which a block occurs earlier elsewhere; letters of a headline (as power of two).
TOLERANCE = 25
HEADLINE_SIZE = 3
#: Added to the number of pages of which a block's share is taken.
SMOOTHING = 3
#: Number of articles that counts half, for rare blocks; distance of near blocks.
SHRINKAGE = 4.0
NEAR = 3
#: A block on this many other articles, or on RARE_SHARE of them, may still be one article's own.
RARE_ARTICLES = 4
#: Number of articles within which a block is on as many as the headline of its page.
SAME_PAGES = 0.5
#: Number of articles from which on a block has a place in others.
MIN_ON = 0.3


@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """Counts over a site's articles: of blocks, lines (`Batch.lines`), headlines, beginnings of texts; `weights`:
    (pages,) P(article).
    """

    weights: Floats
    blocks: BlockCounts
    lines: KeyCounts
    headlines: KeyCounts
    leads: KeyCounts

    @classmethod
    def of(cls, batch: Batch, log_odds: Floats) -> "ArticleCounts":
        """The counts of a batch; `log_odds`: (pages,) of being an article."""
        weights = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
        is_article = log_odds > 0
        headlines = np.where(is_article, batch.headline, 0).astype(np.uint32)
        leads = np.where(is_article, batch.lead, 0).astype(np.uint32)
        first = batch.first_lines
        return cls(
            weights, BlockCounts.of(batch, weights, is_article),
            KeyCounts.of(batch.lines[first], weights[batch.pages[first]]), KeyCounts.of(headlines, weights),
            KeyCounts.of(leads, weights),
        )  # fmt: skip


def block_features(
    batch: Batch, counts: SiteCounts, articles: ArticleCounts, own: Ints
) -> tuple[NDArray[np.float32], Flags, Flags]:
    """(rows, FEATURES); (rows,) whether too many articles have the block for it to be one article's own; and (rows,)
    whether it stands on other articles only because they show this page's whole story below their own.

    Such a block is text here, in none of the others as early, and on no more of them than the page's headline. `own`:
    see `SiteProfile.numbers_of`.
    """
    pages, rows, known = batch.pages, np.arange(len(batch.keys)), own >= 0
    weight = take(articles.weights, own, 0)
    other_articles = np.maximum(0, articles.weights.sum() - weight)[pages]
    places = find(articles.blocks.keys, batch.keys)
    here, stands = weight[pages] * (places >= 0), articles.blocks.at(places)
    on = np.maximum(0, stands[PAGES] - here)
    chosen = np.maximum(0, stands[CHOSEN_BY] - here * batch.chosen)
    headings = np.maximum(0, stands[HEADINGS] - here * batch.heading)
    share, is_rare = on / (other_articles + SMOOTHING), on <= np.maximum(RARE_ARTICLES, RARE_SHARE * other_articles)
    is_own = batch.keys == batch.headline[pages]
    headlines = find(articles.headlines.keys, batch.keys)
    is_headline = (headlines >= 0) & ~is_own & is_rare & (batch.size >= HEADLINE_SIZE)
    # The last article headline above, and whether it is another article's
    anchor = np.maximum.accumulate(np.where(batch.heading & (is_headline | is_own), rows, -1))
    behind = (anchor >= batch.bounds[0]) & is_headline[anchor]
    others = np.maximum(1, counts.size - known)[pages]
    on_pages = np.maximum(0, counts.blocks.column(PAGES, places) - (known[pages] & (places >= 0)))
    origin, letters = articles.blocks.origin(places, own[pages])
    later = is_rare & (letters > batch.position + TOLERANCE) & (letters < FAR)
    is_lead = articles.leads.has(batch.keys) & (batch.keys != batch.lead[pages])
    above = np.maximum.accumulate(np.where(batch.heading, rows, -1))
    under = (above >= batch.bounds[0]) & (is_headline & batch.heading)[above]
    earlier = behind & is_rare & (letters < batch.position - TOLERANCE)
    headline_page = take(articles.headlines.pages, headlines, -2)
    is_theirs = behind & (origin == headline_page[anchor]) & (origin >= 0)
    text = batch.chosen & (batch.size >= LONG)
    section = _sections(batch, anchor, is_theirs & text, text)
    strength = other_articles / (other_articles + SHRINKAGE)
    is_on, unique = np.minimum(1, on), on < 0.5
    chosen_share, heading_share = chosen / (on + 1), headings / (on + 1)
    long = np.minimum(np.maximum((batch.size - 4) / 4, 0), 1)
    spread, away = _places(batch, stands, on, here)
    flags = earlier, share > MANY_SHARE, is_theirs, unique
    (near_earlier, near_many, near_theirs, near_unique), own_before, own_behind = _shares(
        batch, text, flags, unique & ~behind
    )
    within = np.minimum(own_before, own_behind)
    total = np.maximum(1, batch.total(text, batch.letters))
    features = np.array(
        [
            batch.size / 10,
            batch.heading,
            batch.linked,
            share,
            is_on * strength,
            np.log1p(on),
            on_pages / (others + SMOOTHING),
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
            near_earlier,
            near_many,
            (batch.total(text & earlier, batch.letters) / total)[pages] * earlier,
            earlier & under,
            long * share,
            long * earlier,
            is_theirs,
            near_theirs,
            behind & unique,
            heading_share * chosen_share,
            share * chosen_share,
            batch.linked * is_on,
            unique * strength * behind,
            unique * strength * near_unique,
            strength * np.log1p(batch.repetitions),
            section,
            spread,
            away,
            own_before * strength,
            own_behind * strength,
            within * strength,
            within * share,
            (1 - np.maximum(own_before, own_behind)) * share,
        ],
        np.float32,
    ).T
    headline = find(articles.blocks.keys, batch.headline)
    with_headline = articles.blocks.column(PAGES, headline) - weight * (batch.any(is_own) & (headline >= 0))
    is_first = batch.chosen & ~behind & (letters > batch.position + TOLERANCE)
    is_shown_below = is_first & ~unique & (on <= with_headline[pages] + SAME_PAGES)
    return features, (share > MANY_SHARE) & ~is_rare, is_shown_below


def find_furniture(batch: Batch, articles: ArticleCounts, own: Ints) -> Flags:
    """(rows,) whether a line stands on most articles of the site, whatever it says and counts, however short it is.

    A heading is furniture only before other furniture, and a cell of a table isn't: sections and tables of many
    articles have the same ones. A page that is mostly so is a copy of others. `own`: see `SiteProfile.numbers_of`.
    """
    weight = take(articles.weights, own, 0)
    places = find(articles.lines.keys, batch.lines)
    on = take(articles.lines.sums, places, 0) - weight[batch.pages] * (places >= 0)
    others = np.maximum(0, articles.weights.sum() - weight)[batch.pages]
    is_common = (on > MOST * (others + SMOOTHING)) & ~batch.is_label
    found = is_common & ~batch.heading
    before_others = np.zeros(len(found), bool)
    before_others[:-1] = found[1:] & (batch.pages[1:] == batch.pages[:-1])
    found |= is_common & before_others
    text = np.maximum(1, batch.total(batch.chosen, batch.letters))
    is_copy = batch.total(batch.chosen & found, batch.letters) > MOST * text
    furniture: Flags = found & ~is_copy[batch.pages]
    return furniture


def _places(batch: Batch, stands: Floats, on: Floats, here: Floats) -> tuple[Floats, Floats]:
    """(rows,) spread of the block's places in other articles, and its distance from their mean; 0 if none has it."""
    own = batch.place[batch.first_rows]
    known, count = on > MIN_ON, np.maximum(MIN_ON, on)
    mean = (stands[PLACES] - here * own) / count
    square = (stands[SQUARES] - here * own**2) / count
    spread = np.sqrt(np.maximum(0, square - mean**2))
    return np.where(known, spread, 0.0), np.where(known, np.abs(batch.place - mean), 0.0)


def _sections(batch: Batch, anchor: Ints, theirs: Flags, text: Flags) -> Floats:
    """(rows,) share of the letters of a section that occur in the article whose headline is above it.

    `anchor`: (rows,) row of the headline above; `theirs`: rows of text of that headline's article, `text`: of any. A
    section of another article begins with its headline and ends with the last of `theirs`; elsewhere the share is 0.
    """
    count, rows = len(anchor), np.arange(len(anchor))
    last = np.full(count, -1)
    np.maximum.at(last, anchor[theirs], rows[theirs])
    within = (anchor >= 0) & (rows <= last[anchor])
    letters = np.bincount(anchor[within], (batch.letters * text)[within], count)
    of_theirs = np.bincount(anchor[theirs], batch.letters[theirs], count)
    share: Floats = np.where(within, (of_theirs / np.maximum(1.0, letters))[anchor], 0.0)
    return share


def _shares(
    batch: Batch, text: Flags, near: Sequence[Flags], beside: Flags
) -> tuple[NDArray[np.float64], Floats, Floats]:
    """Shares of the letters of text around each row that are in rows with a flag: (flags, rows) of the `near` rows
    including itself; (rows,) of those before it only, and of those after it, with the flag `beside`.
    """
    letters, rows, (starts, ends) = batch.letters * text, np.arange(len(text)), batch.bounds
    running = np.zeros((len(near) + 2, len(rows) + 1))
    np.cumsum(letters * np.array([*near, beside, text]), axis=1, out=running[:, 1:])
    before = running.take(np.maximum(starts, rows - NEAR), 1)
    behind = running.take(np.minimum(ends, rows + NEAR + 1), 1)
    around = behind - before
    own_before, text_before = running[-2:, :-1] - before[-2:]
    own_behind, text_behind = behind[-2:] - running[-2:, 1:]
    return (
        around[: len(near)] / np.maximum(1.0, around[-1]),
        own_before / np.maximum(1.0, text_before),
        own_behind / np.maximum(1.0, text_behind),
    )
