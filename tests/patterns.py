"""What a regular expression knows, written out: for checks that a quicker look beside it misses none of it."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from re import _parser
from typing import Any

#: An example of each category of characters, and how many texts of one pattern are enough.
EXAMPLES = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "7", "CATEGORY_WORD": "w", "CATEGORY_NOT_WORD": " "}
ENOUGH = 4_000


def examples(pattern: "re.Pattern[str]") -> list[str]:
    """Texts that the pattern was written for: all of its alternatives, each repetition as seldom as can be and once."""
    found = _texts(_parser.parse(pattern.pattern, pattern.flags))
    return [text for text, _ in zip(dict.fromkeys(found), range(ENOUGH), strict=False)]


def _texts(tree: Iterable[Any]) -> Iterator[str]:
    return map("".join, product(*(list(_of(str(name), value)) for name, value in tree)))


def _of(name: str, value: Any) -> Iterator[str]:
    if name == "LITERAL":
        yield chr(value)
    elif name == "IN":
        kind, first = value[0]
        yield chr(first) if str(kind) == "LITERAL" else EXAMPLES.get(str(first), "x")
    elif name == "BRANCH":
        for branch in value[1]:
            yield from _texts(branch)
    elif name == "SUBPATTERN":
        yield from _texts(value[-1])
    elif name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, _, inner = value
        if least == 0:
            yield ""
        for text in _texts(inner):
            yield text * max(1, least)
    elif name == "NOT_LITERAL":
        yield "x"
    else:
        yield ""
