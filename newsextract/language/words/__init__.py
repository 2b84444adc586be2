"""Words and patterns of languages as data: a TOML file for each language, read on first use; README.md has the keys."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

from newsextract import files
from newsextract.text import lower_same_length as _lowered

__all__ = ["Words", "alternatives", "languages", "listed", "pattern", "read"]

#: Languages whose words have no boundaries that a pattern could ask for.
_UNBOUNDED = frozenset({"ja", "ko", "th", "zh"})
#: What repeats the letter or group before it.
_REPEATS = ("*", "+", "{")
#: The pieces of a pattern: brackets and bars mean something, unless they are escaped or in a set.
_PIECES = re.compile(r"\\.|\[\^?\]?[^]]*\]|.", re.S)
#: Files that aren't of one language.
_OTHER_FILES = frozenset({"zones"})


@cache
def read(name: str) -> dict[str, Any]:
    """The table in NAME.toml."""
    return files.package_data(__package__, f"{name}.toml")


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a file."""
    names = (entry.name for entry in resources.files(__package__).iterdir())
    return tuple(sorted({name[:-5] for name in names if name.endswith(".toml")} - _OTHER_FILES))


def listed(key: str) -> list[str]:
    """The words of a key in all languages, for those that aren't patterns."""
    return [*dict.fromkeys(word for name in languages() for word in read(name).get(key, ()))]


def alternatives(*keys: str, bounded: bool = False, stems: bool = False) -> str:
    """The patterns of keys in all languages, as one regular expression without regard to case."""
    return f"(?i:{_joined(keys, bounded, stems, any_case=True)})"


def pattern(*keys: str, bounded: bool = False, stems: bool = False) -> "Words":
    """The patterns of keys in all languages, compiled.

    `bounded`: only whole words match; `stems`: with the letters around them.
    """
    return Words(_joined(keys, bounded, stems))


class Words:
    """A pattern in lower case that is searched in texts of any case.

    It is the text that is lowered: Python takes several times as long to ignore the case of a pattern. Positions in a
    match are those of the text.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._compiled = re.compile(pattern, re.S)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(_lowered(text))

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._compiled.match(_lowered(text), start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._compiled.fullmatch(_lowered(text))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(_lowered(text))

    def findall(self, text: str) -> list[str]:
        return self._compiled.findall(_lowered(text))


def _joined(keys: Sequence[str], bounded: bool, stems: bool, *, any_case: bool = False) -> str:
    whole, parts = (
        [
            begun
            for name in languages()
            if (name in _UNBOUNDED) is unbounded
            for key in keys
            for word in read(name).get(key, ())
            for begun in _without_first_group(word)
        ]
        for unbounded in (False, True)
    )
    if bounded and whole:
        around = r"\w*" if stems else ""
        # unlike \b, also behind Hindi vowel signs
        whole = [rf"(?<!\w){around}(?:{_by_first_letter(whole, any_case)}){around}(?!\w)"]
        return "|".join([*whole, _by_first_letter(parts, any_case)] if parts else whole)
    return _by_first_letter([*whole, *parts], any_case)


def _by_first_letter(patterns: Iterable[str], any_case: bool) -> str:
    """One regular expression for all, which tries only those that begin with a text's letter.

    `any_case`: it is part of one that ignores case; then a set of its two cases is as fast as a letter.

    The order matters only among patterns that may match at one place, so those with the same first letter stay in
    theirs, and so do all before and behind one that begins with something else.
    """
    groups: list[list[str]] = []
    by_letter: dict[str, list[str]] = {}
    for pattern in dict.fromkeys(patterns):
        if not pattern[:1].isalpha() or pattern[1:].startswith((*_REPEATS, "?")):
            by_letter = {}
            groups.append(["", pattern])
        elif pattern[0] in by_letter:
            by_letter[pattern[0]].append(pattern[1:])
        else:
            first = f"(?-i:[{pattern[0]}{pattern[0].upper()}])" if any_case else pattern[0]
            by_letter[pattern[0]] = [first, pattern[1:]]
            groups.append(by_letter[pattern[0]])
    return "|".join(
        f"{first}{rests[0]}" if len(rests) == 1 else f"{first}(?:{'|'.join(rests)})" for first, *rests in groups
    )


def _without_first_group(pattern: str) -> Iterator[str]:
    """The pattern as several that don't begin with a group, in the order they are tried: "(?:a|b )?c" as ac, b c, c."""
    if not pattern.startswith("(?:"):
        yield pattern
        return
    depth, ends = 0, [2]
    for piece in _PIECES.finditer(pattern):
        depth += (piece[0] == "(") - (piece[0] == ")")
        if depth == 0 or (depth == 1 and piece[0] == "|"):
            ends.append(piece.start())
        if depth == 0:
            break
    rest = pattern[ends[-1] + 1 :]
    if rest.startswith(_REPEATS):
        yield pattern
        return
    branches = [pattern[start + 1 : end] for start, end in pairwise(ends)]
    for branch in [*branches, *([""] if rest[:1] == "?" else [])]:
        yield from _without_first_group(branch + rest.removeprefix("?"))
