"""Evidence that a page is an article: the page itself, text that it shares with other pages of the site, and the
other pages of its groups.

Functions take a `Batch` (one page, or all of a site), the counts of the site, and the number of each page of the batch
in the profile (-1: not there); its own contribution is excluded from every count.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from newsextract.limits import MOST, NEARLY_ALL
from newsextract.site_profile.batch import GROUPS, Batch, Flags, Floats, Ints, Keys
from newsextract.site_profile.counts import CHOSEN_BY, HEADINGS, PAGES, BlockCounts, KeyCounts, TemplateSums, find
from newsextract.site_profile.summary import MAX_BLOCKS, REASONS, UNDATED

#: Maximum log odds of a page by itself.
BOUND = 6.0
#: A block on at most this share of the other pages, or on this many, is content rather than template.
RARE_SHARE = 0.2
RARE_PAGES = 3
#: Share of a site's pages that is many; number of them from which on the share of those with a property counts, such as
#: a name in the menu, or a date.
MANY_SHARE = 0.1
ENOUGH = 8
#: Size (log2 of letters) from which on a chosen block shows whose text it is.
LONG = 5
FEATURES = (
    "margin", "short", "empty", "interstitial", "front", "no text", "log width", "headings of others",
    "headlines of others", "leads of others", "text of others", "earlier in others", "origins", "largest origin",
    "named by some", "named by many", "same headline", "lead elsewhere", "furniture", "own text", "same lead",
)  # fmt: skip
#: Kinds of groups whose mean is evidence: those of URLs, and pages of a similar template.
GROUP_FEATURES = (*GROUPS, "template")
#: (REASONS,) whether a reason is an interstitial's, and a list's.
IS_INTERSTITIAL = np.array(
    [
        reason in ("consent", "needs_javascript", "login", "paywall_stub", "error_page", "other", "bot_check")
        for reason in REASONS
    ]
)
IS_LIST = np.array([reason in ("listing", "section", "product", "static", "no_article") for reason in REASONS])
#: A group of this many other pages counts half.
SHRINKAGE = 2.0


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """Counts of all pages of a site equally: blocks, headlines, beginnings of texts. `whole`: fully known pages."""

    size: int
    whole: int
    blocks: BlockCounts
    headlines: KeyCounts
    leads: KeyCounts

    @classmethod
    def of(cls, batch: Batch) -> "SiteCounts":
        ones = np.ones(batch.count)
        return cls(
            batch.count,
            int((np.diff(batch.starts) < MAX_BLOCKS).sum()),
            BlockCounts.of(batch, ones, ones > 0),
            KeyCounts.of(batch.headline, ones),
            KeyCounts.of(batch.lead, ones),
        )


def page_features(batch: Batch, counts: SiteCounts, own: Ints) -> Floats:
    """(pages, FEATURES)."""
    known = own >= 0
    others = np.maximum(1, counts.size - known)
    places = find(counts.blocks.keys, batch.keys)
    mine = known[batch.pages] & (places >= 0)
    stands = counts.blocks.at(places)
    on_pages = stands[PAGES] - mine
    choosing = stands[CHOSEN_BY] - (mine & batch.chosen)
    is_rare = on_pages <= np.maximum(RARE_PAGES, RARE_SHARE * others)[batch.pages]
    once = batch.first_of_key
    is_headline = counts.headlines.has(batch.keys) & (batch.keys != batch.headline[batch.pages]) & is_rare & once
    is_lead = counts.leads.has(batch.keys) & (batch.keys != batch.lead[batch.pages]) & is_rare & once
    text = batch.chosen & (batch.size >= LONG) & once
    letters = np.maximum(1.0, batch.total(text, batch.letters))
    repeated = text & (choosing > 0)
    origin, before = counts.blocks.origin(places, own[batch.pages])
    earlier = repeated & (before < batch.position)
    origins, largest = _origins(batch, earlier, origin)
    named = _others_with(counts, HEADINGS, batch, batch.headline, batch.heading, known)
    share = named / others
    return np.array(
        [
            np.minimum(np.maximum(batch.margin, -BOUND), BOUND),
            batch.reason == REASONS.index("short"),
            batch.width == 0,
            IS_INTERSTITIAL[batch.reason],
            batch.reason == REASONS.index("front"),
            IS_LIST[batch.reason] & (batch.margin > 0),
            np.log1p(batch.width) / 8,
            np.log1p(batch.total(is_headline & batch.heading)),
            np.log1p(batch.total(is_headline)),
            np.log1p(batch.total(is_lead)),
            batch.total(repeated, batch.letters) / letters,
            batch.total(earlier, batch.letters) / letters,
            np.log1p(origins),
            largest / letters,
            (named > 0) & (share < RARE_SHARE),
            share >= RARE_SHARE,
            np.log1p(counts.headlines.without(batch.headline, known, np.ones(batch.count))[0]),
            np.log1p(_others_with(counts, CHOSEN_BY, batch, batch.lead, batch.chosen, known)),
            batch.total(text & ~is_rare, batch.letters) / letters,
            batch.total(text & (choosing <= 0), batch.letters) / letters,
            np.log1p(counts.leads.without(batch.lead, known, np.ones(batch.count))[0]),
        ],
        float,
    ).T


def in_menu(batch: Batch, counts: SiteCounts, own: Ints) -> Flags:
    """(pages,) whether the headline of a page, or the text of the link to it, is a block of most pages."""
    is_block = batch.keys != 0
    least = max(ENOUGH, MOST * counts.whole, MANY_SHARE * counts.size)
    by_headline, by_label = (
        _others_with(counts, PAGES, batch, names, is_block, own >= 0) for names in (batch.headline, batch.label)
    )
    flags: Flags = np.maximum(by_headline, by_label) > least
    return flags


def date_of_articles(batch: Batch, is_article: Flags) -> int:
    """How nearly all of these articles are dated (`summary.DATED`); UNDATED if there are few."""
    levels = np.sort(batch.dated[is_article])
    return int(levels[int((1 - NEARLY_ALL) * len(levels))]) if len(levels) >= ENOUGH else UNDATED


def _others_with(counts: SiteCounts, column: int, batch: Batch, keys: Keys, rows: Flags, known: Flags) -> Floats:
    """(pages,) other pages with each page's key in a column of the block counts; `rows`: those that it counts."""
    places = find(counts.blocks.keys, keys)
    has_own = batch.any(rows & (batch.keys == keys[batch.pages]) & batch.first_of_key)
    others: Floats = np.maximum(0, counts.blocks.column(column, places) - (known & has_own)) * (keys != 0)
    return others


def _origins(batch: Batch, rows: Flags, origin: Ints) -> tuple[Floats, Floats]:
    """(pages,) number of pages that own these rows, and the most letters of one of them."""
    owned = Counter[tuple[int, int]]()
    for page, other, letters in zip(
        *(each[rows].tolist() for each in (batch.pages, origin, batch.letters)), strict=True
    ):
        owned[page, other] += letters
    origins, largest = np.zeros(batch.count), np.zeros(batch.count)
    for (page, _), letters in owned.items():
        origins[page] += 1
        largest[page] = max(largest[page], letters)
    return origins, largest


@dataclass(frozen=True, slots=True)
class PageGroups:
    """Sums of log odds over groups of pages: by URL keys, and by templates."""

    addresses: KeyCounts
    templates: TemplateSums

    @classmethod
    def of(cls, batch: Batch, log_odds: Floats) -> "PageGroups":
        addresses = KeyCounts.of(batch.groups.ravel(), np.repeat(log_odds, len(GROUPS)))
        return cls(addresses, TemplateSums.of(batch.signatures, log_odds))

    def features(self, batch: Batch, known: Flags, log_odds: Floats) -> Floats:
        """(pages, GROUP_FEATURES): mean log odds of the other pages in each group, shrunken towards 0 for few pages."""
        each = len(GROUPS)
        counts, total = self.addresses.without(batch.groups.ravel(), known.repeat(each), log_odds.repeat(each))
        near, near_total = self.templates.near(batch.signatures)
        return np.column_stack(
            [
                (total / (counts + SHRINKAGE)).reshape(-1, each),
                (near_total - known * log_odds) / (np.maximum(0, near - known) + SHRINKAGE),
            ]
        )
