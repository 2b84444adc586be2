"""All evidence of a page's blocks as one matrix, a feature a column, and which source each column belongs to."""

import numpy as np

from newsextract.extractors.fusion import block, class_words, declared, groups, phrases, surroundings
from newsextract.extractors.fusion.features import Floats, Sheet

MODULES = (block, surroundings, groups, class_words, phrases, declared)
FEATURES = tuple(feature for module in MODULES for feature in module.FEATURES)
NAMES = tuple(name for name, _ in FEATURES)
SOURCES = tuple(source for _, source in FEATURES)
ENDS = np.cumsum([len(module.FEATURES) for module in MODULES]).tolist()


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES), each feature's values side by side in memory, since they are made a feature at a time."""
    out = np.empty((len(FEATURES), len(sheet.size)), np.float32)
    parts = [out[end - len(module.FEATURES) : end] for module, end in zip(MODULES, ENDS, strict=True)]
    said, forms = class_words.said_by(sheet)
    stated = declared.read_stated(sheet)
    likeness, title = declared.find_title(sheet, stated)
    block.evidence(sheet, parts[0])
    surroundings.evidence(sheet, parts[1])
    groups.evidence(sheet, forms, parts[2])
    class_words.evidence(sheet, said, title, parts[3])
    phrases.evidence(sheet, parts[4])
    declared.evidence(sheet, stated, likeness, title, parts[5])
    return out.T
