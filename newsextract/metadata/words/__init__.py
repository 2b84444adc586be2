"""Words and patterns of languages as data: a TOML file for each language, read on first use; README.md has the keys."""

import re
from functools import cache
from importlib import resources
from typing import Any

from newsextract import files

__all__ = ["alternatives", "languages", "pattern", "read"]

#: Languages whose words have no boundaries that a pattern could ask for.
_UNBOUNDED = frozenset({"ja", "ko", "th", "zh"})
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


def alternatives(key: str, *, bounded: bool = False) -> str:
    """The patterns of a key in all languages, as one regular expression without regard to case; see `pattern`."""
    return f"(?i:{_joined(key, bounded)})"


def pattern(key: str, *, bounded: bool = False) -> re.Pattern[str]:
    """The patterns of a key in all languages, for texts in lower case; `bounded`: only whole words match.

    A search that ignores case takes several times as long.
    """
    return re.compile(_joined(key, bounded), re.S)


def _joined(key: str, bounded: bool) -> str:
    whole = [word for name in languages() if name not in _UNBOUNDED for word in read(name).get(key, ())]
    parts = [word for name in languages() if name in _UNBOUNDED for word in read(name).get(key, ())]
    if bounded and whole:
        whole = [rf"\b(?:{'|'.join(whole)})\b"]
    return "|".join([*whole, *parts])
