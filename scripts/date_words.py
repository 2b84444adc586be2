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
#: Month names that the tables lack, by language, twelve a row; "-" where nothing is to be added. Arabic as written in
#: the Levant and Iraq, Algeria and Tunisia, Morocco, and without hamza; genitives; Serbian in Latin letters; Greek
#: without accents; letters of Hindi and Bengali as one sign and as two.
MORE_MONTHS = {
    "ar": (
        "كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول",
        "كانون_ثاني - اذار - ايار - - اب ايلول تشرين_أول تشرين_ثاني كانون_أول",
        "جانفي فيفري - أفريل ماي جوان جويلية أوت - - - -",
        "- - - - - - يوليوز غشت شتنبر - نونبر دجنبر",
        "- - - ابريل - - - اغسطس - اكتوبر - -",
    ),
    "sr": (
        "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
        "januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
        "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra",
        "jan feb mar apr - - - avg sep okt nov dec",
    ),
    "bs": ("januara februara marta aprila maja juna jula augusta septembra oktobra novembra decembra",),
    "sl": ("januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",),
    "lv": ("janvārī februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī",),
    "el": (
        "ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου"
        " δεκεμβριου",
    ),
    "hi": ("- फरवरी - - - - - - - - - -", "- फ\u093cरवरी - - - - - - - - - -"),
    "bn": ("জান\u09c1য\u09bcারি ফেব্রুয\u09bcারি - - - - - আগষ্ট - - - -", "জানু\u09dfারি ফেব্রু\u09dfারি - - - - - - - - - -"),
    "gu": ("- - - - - - - ઓગસ્ટ - ઓક્ટોબર - -",),
}
OUTPUT = Path(__file__).parents[1] / "newsextract" / "metadata" / "date_words.json"


def main() -> None:
    """Writes the table, a language a line."""
    names = [module.name for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__)]
    lines = [f' "source": "dateparser {version("dateparser")}, {PACKAGE}, from Unicode CLDR"']
    for name in sorted(filter(re.compile(r"[a-z]{2,3}").fullmatch, names)):
        table = importlib.import_module(f"{PACKAGE}.{name}").info
        more = zip(*(row.split() for row in MORE_MONTHS.get(name, ("- " * 12,))), strict=True)
        months = [_month_words([*table.get(month, ()), *rest]) for month, rest in zip(MONTHS, more, strict=True)]
        ago = {
            key.split()[1]: phrases
            for key, phrases in table.get("relative-type-regex", {}).items()
            if key.endswith(" ago") and key.split()[1] in UNITS
        }
        lines.append(f' "{name}": {json.dumps({"months": months, "ago": ago}, ensure_ascii=False)}')
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _month_words(words: list[str]) -> list[str]:
    usable = (word.replace("_", " ") for word in words if len(word) > 1 and not word.isdigit())
    return list(dict.fromkeys(lower_same_length(word).rstrip(".") for word in usable))


if __name__ == "__main__":
    main()
