"""Markup hints: the words that are looked for before the patterns."""

import pytest

from newsextract.metadata.markup_hints import (
    AUTHOR_CLASS,
    BESIDE_CLASS,
    DATE_CLASS,
    HINT_PARTS,
    OTHER_CLASS,
    REGION_PARTS,
)
from tests.patterns import examples


@pytest.mark.parametrize(
    ("patterns", "parts"),
    [((DATE_CLASS, AUTHOR_CLASS), HINT_PARTS.pattern.split("|")), ((OTHER_CLASS, BESIDE_CLASS), REGION_PARTS)],
    ids=["hints", "regions"],
)
def test_hint_parts_cover_all_words_of_class_patterns(patterns, parts):
    words = [word for pattern in patterns for word in examples(pattern) if pattern.search(word)]
    assert len(words) > 20
    assert [word for word in words if not any(part in word for part in parts)] == []
