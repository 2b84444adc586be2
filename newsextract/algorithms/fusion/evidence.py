"""All evidence of a page's blocks as one matrix, a feature a column, and which source each column belongs to."""

import numpy as np

from newsextract.algorithms.fusion import block, containers, neighbours, phrases, statements, words
from newsextract.algorithms.fusion.sheet import Floats, Sheet

MODULES = (block, containers, neighbours, words, phrases, statements)
FEATURES = tuple(feature for module in MODULES for feature in module.FEATURES)
NAMES = tuple(name for name, _ in FEATURES)
SOURCES = tuple(source for _, source in FEATURES)


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES), each feature's values side by side in memory, since they are made a feature at a time."""
    out = np.empty((len(FEATURES), len(sheet.size)), np.float32).T
    parts, begin = [], 0
    for module in MODULES:
        parts.append(out[:, begin : begin + len(module.FEATURES)])
        begin += len(module.FEATURES)
    names = words.names_of(sheet)
    stated = statements.read_stated(sheet)
    likeness, title = statements.find_title(sheet, stated)
    block.evidence(sheet, parts[0])
    containers.evidence(sheet, parts[1])
    neighbours.evidence(sheet, names.keys, parts[2])
    words.evidence(sheet, names, title, parts[3])
    phrases.evidence(sheet, parts[4])
    statements.evidence(sheet, stated, likeness, title, parts[5])
    return out
