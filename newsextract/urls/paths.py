"""What the folders of a URL's path say about the page, by the words of paths.toml."""

import re
from functools import cache, lru_cache
from urllib.parse import unquote

from newsextract.files import package_data
from newsextract.text import plain_word
from newsextract.urls.normalize import REMEMBERED

#: What names a list in any position; a list that picks its articles from other lists.
NARROW = frozenset({"tag", "author", "member", "search"})
LISTS = NARROW | {"section", "archive"}
#: Longer segments are the words of a headline; the most words of a segment that begins with a stem.
LONGEST = 40
MAX_WORDS = 3
#: What ends a segment beside its words: the number of a second page of that name, as WordPress gives it, a file type.
ENDING = re.compile(r"(?:-[2-9])?(?:\.s?html?)?$")
NO_KINDS: frozenset[str] = frozenset()


@lru_cache(REMEMBERED)
def kinds_in(path: str) -> frozenset[str]:
    """The kinds of all segments of a path."""
    return _same(NO_KINDS.union(*map(kinds_of, path.split("/"))))


@cache
def _same(kinds: frozenset[str]) -> frozenset[str]:
    """One object for all equal sets: there are few, and each takes 216 bytes."""
    return kinds


def kinds_of(segment: str) -> frozenset[str]:
    """The kinds of a segment: "tag", "section" and others of paths.toml; most have none."""
    segment = unquote(segment) if "%" in segment else segment
    if not segment or len(segment) > LONGEST:
        return NO_KINDS
    word = _folded(ENDING.sub("", segment.lower()))
    words, stems = _table()
    if known := words.get(word):
        return known
    if word.startswith(tuple(stems)) and word.count("-") < MAX_WORDS:
        return NO_KINDS.union(*(kinds for stem, kinds in stems.items() if word.startswith(stem)))
    return NO_KINDS


@cache
def words_of(*kinds: str) -> frozenset[str]:
    """All whole words of some kinds."""
    return frozenset(word for word, known in _table()[0].items() if not known.isdisjoint(kinds))


def _folded(word: str) -> str:
    return plain_word(word.replace("_", "-"))


@cache
def _table() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """The kinds of each word, and of each stem."""
    words: dict[str, frozenset[str]] = {}
    stems: dict[str, frozenset[str]] = {}
    for language in package_data("newsextract.urls", "paths.toml").values():
        for kind, listed in language.items():
            for word in map(_folded, listed.split()):
                table, key = (stems, word[:-1]) if word.endswith("*") else (words, word)
                table[key] = table.get(key, NO_KINDS) | {kind}
    return words, stems
