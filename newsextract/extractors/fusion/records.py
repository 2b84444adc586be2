"""Features of pages with several articles or teasers: headings like the headline's, and headings that are links.

Newsrooms put whole articles one below the other (endless scrolling), each behind a headline in the same markup; lists
of other articles have a linked heading and an excerpt each.
"""

import numpy as np

from newsextract.extractors.fusion.features import GOOD_SUM, TAGS, FeatureTable, Floats, Ints

HEADINGS = (TAGS["h1"], TAGS["h2"], TAGS["h3"])
FEATURES = tuple(
    (name, "title")
    for name in (
        "headings like headline", "other h1", "linked headings", "under linked heading", "lines below heading",
        "good before next headline",
    )
)  # fmt: skip
#: Headings and lines are counted up to these.
MAX_HEADINGS, MAX_LINES = 4, 50
#: Share of links from which on a heading is a link.
MIN_LINKED = 0.8


def fill_features(table: FeatureTable, forms: Ints, title: int, out: Floats) -> None:
    """Fill (FEATURES, blocks). `forms`: a number for each element's tag and class; `title`: the headline's block, -1
    where it is not known."""
    rows, tags = table.rows, table.tags
    out[:] = 0
    heading = np.isin(tags, HEADINGS)
    if title < 0:
        first = np.flatnonzero(tags == TAGS["h1"])
        title = int(first[0]) if len(first) else -1
    behind = rows > title
    if title >= 0 and heading[title]:
        own = forms[table.blocks.owners]
        alike = (own == own[title]) & heading & behind
        out[0] = np.log1p(np.minimum(MAX_HEADINGS, np.cumsum(alike)))
        if alike.any():
            end = int(np.flatnonzero(alike)[0])
            out[5] = (table.running[GOOD_SUM, end] - table.running[GOOD_SUM, title]) / max(1.0, table.total_good)
    out[1] = np.log1p(np.minimum(MAX_HEADINGS, np.cumsum((tags == TAGS["h1"]) & behind)))
    linked = heading & (table.link_share > MIN_LINKED)
    out[2] = np.log1p(np.minimum(MAX_HEADINGS, np.cumsum(linked & behind)))
    last = np.maximum.accumulate(np.where(heading, rows, -1))
    known = last >= 0
    out[3] = known & linked[last]
    out[4] = np.where(known, np.log1p(np.minimum(MAX_LINES, rows - last)), np.log1p(MAX_LINES))
