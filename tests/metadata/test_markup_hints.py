"""Markup hints: the words that are looked for before the patterns."""

import pytest

from newsextract.metadata.markup_hints import AUTHOR_CLASS, DATE_CLASS, HINT_PARTS
from newsextract.page.owners import PARTS, WORDS
from tests.patterns import examples


@pytest.mark.parametrize(
    ("patterns", "parts"),
    [((DATE_CLASS, AUTHOR_CLASS), HINT_PARTS.pattern.split("|")), ([pattern for _, pattern in WORDS], PARTS)],
    ids=["hints", "owners"],
)
def test_hint_parts_cover_all_words_of_class_patterns(patterns, parts):
    words = [word for pattern in patterns for word in examples(pattern) if pattern.search(word)]
    assert len(words) > 20
    assert [word for word in words if not any(part in word for part in parts)] == []
