"""Writes newsextract/metadata/date_words.json: month names and relative phrases ("vor 3 Stunden") of 190 languages.

    pip install dateparser==1.5.0 && python scripts/date_words.py

The words are those of dateparser's translation data (BSD-3-Clause), which it generates from Unicode CLDR and its own
supplements. dateparser itself is not a dependency: its parser takes milliseconds a string and reads dates into any
number, so that only these tables are used (see `newsextract.metadata.date_parser`).
"""

import importlib
import json
import pkgutil
import re
from importlib.metadata import version
from pathlib import Path

from newsextract.metadata.date_parser import UNITS, lower_same_length

PACKAGE = "dateparser.data.date_translation_data"
MONTHS = "january february march april may june july august september october november december".split()
OUTPUT = Path(__file__).parents[1] / "newsextract" / "metadata" / "date_words.json"


def main() -> None:
    """Writes the table, a language a line."""
    names = [module.name for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__)]
    lines = [f' "source": "dateparser {version("dateparser")}, {PACKAGE}, from Unicode CLDR"']
    for name in sorted(filter(re.compile(r"[a-z]{2,3}").fullmatch, names)):
        table = importlib.import_module(f"{PACKAGE}.{name}").info
        months = [_month_words(table.get(month, ())) for month in MONTHS]
        ago = {
            key.split()[1]: phrases
            for key, phrases in table.get("relative-type-regex", {}).items()
            if key.endswith(" ago") and key.split()[1] in UNITS
        }
        lines.append(f' "{name}": {json.dumps({"months": months, "ago": ago}, ensure_ascii=False)}')
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _month_words(words: list[str]) -> list[str]:
    usable = (word for word in words if len(word) > 1 and not word.isdigit())
    return list(dict.fromkeys(lower_same_length(word).rstrip(".") for word in usable))


if __name__ == "__main__":
    main()
