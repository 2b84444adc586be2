"""How well the letters of a text fit a language: tells encodings apart, and text from garbage.

letters.json has how often each letter outside ASCII is written in some sixty languages (`scripts/letters.py`). A text
is compared with each: the divergence (Kullback-Leibler, in nats a letter) of the text's letters from the language's.
Chinese characters count as in order if they are among the common ones of any standard (level 1 of GB 2312, Big5 and
JIS X 0208): text read in another encoding of East Asia is full of rare ones.
"""

import re
from collections import Counter
from functools import cache
from itertools import chain
from math import log

from newsextract.files import package_data

#: What no text has within its words: signs between letters, control characters, undecodable bytes, private characters,
#: lines of boxes, katakana of half width.
ODD = re.compile(
    r"(?<=[^\W\d_])[\xa1-\xac\xae-\xb3\xb5\xb6\xb8-\xbf\xd7\xf7\u02c6-\u02dd\u201a-\u2021\u2030-\u2044\u20ac\u2116-\u22ff]"
    r"(?=[^\W\d_])|(?<=[A-Za-z])[\u3040-\ud7a3\U00020000-\U0003ffff](?=[a-z])|[A-Za-z](?=[\u0370-\u0e7f])|[\u0370-\u0e7f](?=[A-Za-z])|[\x80-\x9f\ufffd\ue000-\uf8ff\u2500-\u259f\uff61-\uff9f]"
)
LETTERS = re.compile(r"[^\W\d_]+")
HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")
#: The cost of a letter that a language doesn't have, in nats.
UNKNOWN = 9.0
#: Characters of a text that are judged, the misfit of garbage, and how many letters it has outside ASCII at least.
JUDGED, GARBAGE, MIN_STRANGE = 400, 2.0, 20
STRANGE = re.compile("[^\x00-\x7f\u2000-\u206f\xa0\u3000]")
#: Scripts with a row for each of their languages; letters of others are never read out of a wrong encoding.
COUNTED = re.compile(
    "[\u00c0-\u017f\u01a0-\u01b0\u1ea0-\u1ef9\u0370-\u045f\u0490-\u0491\u05d0-\u064a\u067e\u0686\u0698\u06a9\u06af\u06c1\u06d2"
    "\u0e00-\u0e7f]"
)


def misfit(text: str, languages: tuple[str, ...] = ()) -> float:
    """How badly a text's letters outside ASCII fit the language that they fit best, in nats a letter; below 1 is good.

    `languages`: codes of those to compare with; empty for all.
    """
    counts = Counter("".join(LETTERS.findall(text)))
    letters = {char: n for char, n in counts.items() if char > "\x7f"}
    counted = {char: n for char, n in letters.items() if COUNTED.match(char)}
    odd = len(ODD.findall(text))
    if any("\u3400" <= char <= "\u9fff" or char > "\uffff" for char in letters):
        common = _common_characters()
        odd += sum(n for char, n in letters.items() if HAN.match(char) and char not in common)
    total = sum(counted.values())
    if not total + odd:
        return 0.0
    fit = _divergence(counted, total, languages) if total else 0.0
    return (fit * total + UNKNOWN * odd) / (sum(letters.values()) + odd)


def is_garbage(text: str) -> bool:
    """Whether a text isn't plausible in any language: read in a wrong encoding, or with a "?" for each letter."""
    start = text[:JUDGED]
    if start.count("?") > 0.3 * len(start):
        return True
    if len(start.encode()) - len(start) <= MIN_STRANGE:  # no more characters than that outside ASCII
        return False
    return len(STRANGE.findall(start)) > max(MIN_STRANGE, 0.1 * len(start)) and misfit(start) > GARBAGE


def _divergence(counts: dict[str, int], total: int, languages: tuple[str, ...]) -> float:
    tables = _letters()
    most = sorted(counts, key=counts.__getitem__)[-2:]
    rows = [tables[name] for name in languages if name in tables] or [
        row for row in tables.values() if most[0] in row or most[-1] in row
    ]
    entropy = -sum(n * log(n / total) for n in counts.values()) / total
    costs = (sum(n * row.get(char, UNKNOWN) for char, n in counts.items()) / total for row in rows)
    return max(0.0, min(costs, default=UNKNOWN) - entropy - (len(counts) - 1) / (2 * total))


@cache
def _letters() -> dict[str, dict[str, float]]:
    """letters.json: language -> letter -> its cost, the negative logarithm of its share."""
    table = package_data("newsextract.page", "letters.json")
    del table["source"]
    return {name: {char: -log(share / 1000) for char, share in row.items()} for name, row in table.items()}


@cache
def _common_characters() -> frozenset[str]:
    """The characters of level 1 of GB 2312, Big5 and JIS X 0208."""
    rows = chain(
        (("gb2312", bytes((row, cell))) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF)),
        (("big5", bytes((row, cell))) for row in range(0xA4, 0xC7) for cell in range(0x40, 0xFF)),
        (("euc_jp", bytes((row, cell))) for row in range(0xB0, 0xD0) for cell in range(0xA1, 0xFF)),
    )
    return frozenset(chain.from_iterable(pair.decode(encoding, "ignore") for encoding, pair in rows))
