"""All evidence of a page's blocks as one matrix, a feature a column, and which source each column belongs to."""

import numpy as np

from newsextract.algorithms.fusion import block, containers, neighbours, phrases, statements, words
from newsextract.algorithms.fusion.sheet import Floats, Sheet

FEATURES = (
    *block.FEATURES,
    *containers.FEATURES,
    *neighbours.FEATURES,
    *words.FEATURES,
    *phrases.FEATURES,
    *statements.FEATURES,
)
NAMES = tuple(name for name, _ in FEATURES)
SOURCES = tuple(source for _, source in FEATURES)


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES)."""
    names = words.names_of(sheet)
    likeness, title = statements.find_title(sheet)
    parts = (
        block.evidence(sheet),
        containers.evidence(sheet),
        neighbours.evidence(sheet, words.keys_of(sheet, names)),
        words.evidence(sheet, names, title),
        phrases.evidence(sheet),
        statements.evidence(sheet, likeness, title),
    )
    return np.concatenate(parts, 1)
