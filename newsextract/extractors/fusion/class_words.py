"""Features of the class, id and tag of a block's ancestors: words that name an element's purpose."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import GOOD_SUM, FeatureTable, Fill, Floats, Ints
from newsextract.limits import MOST
from newsextract.page.class_names import BITS, class_names

#: Purposes of class and id names; their bits are the lowest of a mask.
PURPOSES = BITS["blocks"]
#: Tags of ancestors that are features.
ANCESTOR_TAGS = (
    "article", "main", "aside", "nav", "header", "footer", "figure", "table", "ul", "ol", "form", "section", "td",
)  # fmt: skip
#: Suffix of the feature: all ancestors, those that don't contain the title, the block's element with its parent.
VIEWS = ("", " apart", " near")
ELEMENT_FEATURES = (*(f"class {name}" for name in PURPOSES), *(f"in {tag}" for tag in ANCESTOR_TAGS))
FEATURES = tuple((f"{name}{view}", "class words") for view in VIEWS for name in ELEMENT_FEATURES)
TAG_BITS = {tag: 1 << len(PURPOSES) + index for index, tag in enumerate(ANCESTOR_TAGS)}
BIT_TYPE = np.uint32 if len(ELEMENT_FEATURES) <= 32 else np.uint64
FEATURE_BITS = np.array([[1 << bit] for bit in range(len(ELEMENT_FEATURES))], BIT_TYPE)


def class_bits(table: FeatureTable) -> tuple[Ints, Ints]:
    """(elements,) ELEMENT_FEATURES of each element's class, id and tag as bits; a number for its tag and class."""
    names, ids = class_names(), table.blocks.element_ids
    of_class = names.look_up([None, *table.blocks.element_classes[1:]])  # not the body's own
    tags = np.array([TAG_BITS.get(tag, 0) for tag in table.tag_names], np.int64)
    words = (1 << len(PURPOSES)) - 1
    bits = of_class & words | tags.take(table.tag_numbers)
    bits[[*ids]] |= names.look_up([*ids.values()]) & words
    return bits, (of_class >> len(PURPOSES)) * len(table.tag_names) + table.tag_numbers


def features(table: FeatureTable, element_bits: Ints, title: int) -> Fill:
    """FEATURES, by the bits of each block's ancestors; `title`: the title's block, -1 if none."""
    if title >= 0:
        apart = (table.first > title) | (table.last <= title)
    else:
        apart = table.sums[GOOD_SUM] <= MOST * table.total_good
    views = np.empty((len(VIEWS), len(element_bits)), BIT_TYPE)
    views[0] = element_bits
    views[1] = element_bits * apart
    views[2] = element_bits | element_bits.take(table.parents)
    inherited, above = views[:2], table.parents
    while above.any():  # by doubling: the bits of 2^k ancestors
        inherited |= inherited.take(above, 1)
        above = above.take(above)
    return partial(_fill_features, table.blocks.elements, views)


def _fill_features(elements: Ints, views: NDArray[np.unsignedinteger[Any]], rows: slice, out: Floats) -> None:
    for view, part in zip(views.take(elements[rows], 1), out.reshape(len(VIEWS), -1, out.shape[1]), strict=True):
        np.not_equal(view & FEATURE_BITS, 0, out=part, casting="unsafe")
