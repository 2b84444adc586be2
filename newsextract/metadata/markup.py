"""Names in the markup of publishing systems, by what they tell: the table markup.toml, and patterns made of it."""

import re
from collections.abc import Iterable
from typing import Any

from newsextract.files import package_data

MARKUP: dict[str, dict[str, Any]] = package_data("newsextract.metadata", "markup.toml")


def any_of(patterns: Iterable[str], *, word: str = "") -> re.Pattern[str]:
    """One pattern for all of these; `word`: the characters of which one must be before them, and may be behind them."""
    names = "|".join(patterns)
    return re.compile(rf"[{word}](?:{names})(?:$|[{word}])" if word else names)
