"""Words by language."""

import re
from importlib.resources import files
from itertools import pairwise

import pytest

from newsextract.language import words
from newsextract.text import lower_same_length

KEYS = frozenset().union(*(words.read(name) for name in words.languages()))
#: Keys that English has no words for.
NOT_ENGLISH = frozenset({"login_title", "editor_label", "related_line"})
#: Keys with words whose case matters, and that are never searched in lower-cased texts.
CASED = frozenset({"and", "degree", "no_whole_name", "organisation", "place", "signature", "tail"})


@pytest.mark.parametrize("language", words.languages())
def test_each_pattern_of_a_language_compiles_and_matches_more_than_nothing(language):
    for key, patterns in words.read(language).items():
        assert key in words.read("en") or key in NOT_ENGLISH, f"{key}: English has no such key"
        for text in patterns:
            assert re.compile(text, re.I).fullmatch("") is None, f"{key}: {text!r} matches nothing at all"
            outside = letters = re.sub(r"\\.", "", text)
            while outside != (outside := re.sub(r"\[[^]]*\]|\([^()]*\)", "", outside)):
                pass
            assert "|" not in outside, f"{key}: {text!r} is two patterns"
            assert key in CASED or letters == letters.lower(), f"{key}: {text!r} isn't in lower case"


@pytest.mark.parametrize("key", sorted(KEYS))
def test_each_key_is_in_the_index_and_compiles_as_a_whole(key):
    index = (files(words.__package__) / "README.md").read_text(encoding="utf-8")
    assert f"`{key.removesuffix('_title').removesuffix('_text')}" in index
    assert words.pattern(key).pattern
    assert words.pattern(key, bounded=True).search("") is None


@pytest.mark.parametrize("key", sorted(KEYS))
def test_the_patterns_of_a_key_match_as_if_they_stood_one_after_another(key):
    names = sorted(words.languages(), key=lambda name: name in ("ja", "ko", "th", "zh"))  # those without spaces last
    patterns = [pattern for name in names for pattern in words.read(name).get(key, ())]
    plain, fast = re.compile("|".join(patterns), re.S), words.pattern(key)
    texts = [re.sub(r"\\.|[^\w\s]", rest, pattern) for pattern in patterns for rest in ("", " ")]
    for text in map(lower_same_length, (*texts, *map("".join, pairwise(texts)), *map(" ".join, pairwise(texts)))):
        assert [found.span() for found in fast.finditer(text)] == [found.span() for found in plain.finditer(text)]
