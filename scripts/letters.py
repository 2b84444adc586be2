"""Writes newsextract/page/letters.json: how often each letter outside ASCII is written, by language.

    pip install Django==5.2.19 && python scripts/letters.py

The texts are Django's own translations (BSD-3-Clause): some thousand sentences a language. Django isn't a dependency.
"""

import gettext
import json
from collections import Counter
from importlib.metadata import version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from unicodedata import normalize

OUTPUT = Path(__file__).parents[1] / "newsextract" / "page" / "letters.json"
#: Encodings of single bytes: letters that none of them has can't come from a wrong one, and needn't be counted.
ENCODINGS = (
    "cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 iso8859-2 iso8859-3 iso8859-4 iso8859-5"
    " iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-16 koi8-r koi8-u mac-roman mac-cyrillic"
)
#: Letters with a smaller share are left out, and languages with fewer letters.
MIN_SHARE = 0.0004
MIN_LETTERS = 100
#: Letters that the translations lack: older spellings, letters of Persian written as Arabic ones, languages that write
#: few letters outside ASCII or aren't among them.
MORE = {"ro": "şţŞŢ", "fa": "يك", "nl": "ëëëëëïïïéééèóöü", "cy": "âêîôôŵŵŷŷ", "mt": "ħħħħħċċċġġġġżżżżàù"}


def main() -> None:
    """Writes the table, a language a line."""
    bytes_of_all = bytes(range(128, 256))
    known = set("".join(bytes_of_all.decode(encoding, "ignore") for encoding in ENCODINGS.split()))
    known |= {
        char
        for pair in product("aăâeêioôơuưyAĂÂEÊIOÔƠUƯY", "\u0300\u0301\u0303\u0309\u0323")
        for char in normalize("NFC", "".join(pair))
    }
    folder = Path((find_spec("django") or SystemExit).submodule_search_locations[0])
    lines = [f' "source": "Django {version("Django")}, its translations"']
    for language in sorted({path.name for path in folder.rglob("locale/*") if path.is_dir()} | set(MORE)):
        letters = Counter(
            char
            for char in _text(folder, language)
            if char in known and char > "\x7f" and char not in "ªµº" and char.isalpha()
        )
        letters.update(MORE.get(language, "") * max(20, letters.total() // 100))
        total = letters.total()
        common = {char: round(1000 * n / total, 1) for char, n in letters.most_common() if n >= MIN_SHARE * total}
        if "_" not in language and total >= MIN_LETTERS:
            lines.append(f" {json.dumps(language)}: {json.dumps(common, ensure_ascii=False, separators=(',', ':'))}")
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _text(folder: Path, language: str) -> str:
    texts: list[str] = []
    for path in sorted(folder.rglob(f"locale/{language}/LC_MESSAGES/django.mo")):
        with path.open("rb") as file:
            catalog = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        texts += [value for key, value in catalog.items() if key and isinstance(value, str)]
    return normalize("NFC", " ".join(texts))


if __name__ == "__main__":
    main()
