"""Evidence of a paragraph's siblings: paragraphs in equal markup below one element are article, or not, together.

A module between the paragraphs of an article moves the probabilities of those next to it; each alone would be kept or
dropped by chance at one half. So the log odds of a good block go half of the way to the mean of its siblings' good
blocks (by the square roots of their sizes); what is told apart clearly by its own words stays what it was.
"""

import numpy as np

from newsextract.extractors.fusion.features import FeatureTable, Floats, Numbers

#: Siblings from which on they are compared; part of the way that a block goes to their mean; log odds count up to this.
MIN_SIBLINGS, PULL, MAX_LOGIT = 3, 0.5, 6.0


def sibling_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None where no block has siblings."""
    rows = np.flatnonzero(table.good)
    if len(rows) < MIN_SIBLINGS:
        return None
    blocks = table.blocks
    owners = blocks.owners[rows]
    alone = table.last[owners] - table.first[owners] == 1  # else the element's own lines are siblings: breaks part them
    parents = np.where(alone, table.parents[owners], -1 - owners)
    groups = Numbers().of(
        (parent, blocks.element_tags[owner], blocks.element_classes[owner])
        for parent, owner in zip(parents.tolist(), owners.tolist(), strict=True)
    )
    counts = np.bincount(groups)
    if counts.max() < MIN_SIBLINGS:
        return None
    bounded, shares = np.clip(logits[rows], -MAX_LOGIT, MAX_LOGIT), np.sqrt(table.size[rows])
    means = np.bincount(groups, shares * bounded) / np.bincount(groups, shares)
    weights = np.zeros(len(logits), np.float32)
    weights[rows] = np.where(counts[groups] >= MIN_SIBLINGS, PULL * (means[groups] - bounded), 0)
    return weights
