"""How well the letters of a text fit a language: tells encodings apart, and text from garbage.

letters.json has how often each letter outside ASCII is written in some sixty languages (`scripts/letters.py`). A text
is compared with each: the divergence (Kullback-Leibler, in nats a letter) of the text's letters from the language's.
Chinese characters count as in order if they are among the common ones of any standard (level 1 of GB 2312, Big5 and
JIS X 0208): text read in another encoding of East Asia is full of rare ones.
"""

import re
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from newsextract.files import package_data

#: Kinds of characters; 0 is any other. A SIGN is odd between letters, a FOREIGN letter beside one of ASCII, a character
#: of East Asia between two. ODD ones no text has within its words: control characters, undecodable bytes, private
#: characters, lines of boxes, katakana of half width. Characters beyond U+FFFF stand for their first surrogate.
SIGNS = "[\xa1-\xac\xae-\xb3\xb5\xb6\xb8-\xbf\xd7\xf7\u02c6-\u02dd\u201a-\u2021\u2030-\u2044\u20ac\u2116-\u22ff]"
CAPITAL, SMALL, LETTER, FOREIGN, EAST_ASIAN, SIGN_LETTER, SIGN, ODD = range(1, 9)
KINDS = {
    LETTER: r"[^\W\d_]",
    CAPITAL: "[A-Z]",
    SMALL: "[a-z]",
    FOREIGN: "[\u0370-\u0e7f]",
    EAST_ASIAN: "[\u3040-\ud7a3\ud840-\ud8bf]",
    SIGN: SIGNS,
    SIGN_LETTER: rf"(?:(?!\W){SIGNS})",  # as ª and ³
    ODD: "[\x80-\x9f\ufffd\ue000-\uf8ff\u2500-\u259f\uff61-\uff9f]",
}
#: Columns of the table of letters: any character but a letter outside ASCII, a letter that isn't counted, a rare
#: Chinese character; from STRANGER on the counted letters, first those of no language.
NONE, UNCOUNTED, RARE, STRANGER = range(4)
#: Letters of scripts with a row for each of their languages; those of others are never read out of a wrong encoding.
COUNTED = (
    "[\u00c0-\u017f\u01a0-\u01b0\u1ea0-\u1ef9\u0370-\u045f\u0490-\u0491\u05d0-\u064a\u067e\u0686\u0698\u06a9\u06af\u06c1\u06d2"
    "\u0e00-\u0e7f]"
)
HAN = "[\u3400-\u9fff\ud840-\ud8bf]"
#: The cost of a letter that a language doesn't have, in nats.
UNKNOWN = 9.0
#: Characters of a text that are judged, the misfit of garbage, and how many letters it has outside ASCII at least.
JUDGED = 400
GARBAGE = 2.0
MIN_STRANGE = 20
STRANGE = re.compile("[^\x00-\x7f\u2000-\u206f\xa0\u3000]")


class Tables(NamedTuple):
    """Lookups by UTF-16 code unit: the kind and the column of a character; whether three kinds in a row are odd."""

    kinds: npt.NDArray[np.uint16]  # (0x10000,)
    columns: npt.NDArray[np.uint16]  # (0x10000,)
    odd: npt.NDArray[np.bool_]  # (9, 9, 9): before, itself, after
    languages: dict[str, int]  # the rows of costs
    costs: npt.NDArray[np.float64]  # (languages, columns from STRANGER on): negative logarithms of the letters' shares


def misfit(text: str, languages: tuple[str, ...] = ()) -> float:
    """How badly a text's letters outside ASCII fit the language that they fit best, in nats a letter; below 1 is good.

    `languages`: codes of those to compare with; empty for all.
    """
    tables = _tables()
    units = np.frombuffer(f" {text} ".encode("utf-16-le", "replace"), np.uint16)
    counts = np.bincount(tables.columns[units], minlength=STRANGER + tables.costs.shape[1])
    kinds = tables.kinds[units]
    odd = int(np.count_nonzero(tables.odd[kinds[:-2], kinds[1:-1], kinds[2:]]) + counts[RARE])
    total = int(counts[STRANGER:].sum())
    if not total + odd:
        return 0.0
    rows = [tables.languages[name] for name in languages if name in tables.languages]
    fit = _divergence(counts[STRANGER:], tables.costs[rows] if rows else tables.costs) if total else 0.0
    return (fit * total + UNKNOWN * odd) / int(counts[UNCOUNTED:].sum() + odd)


def is_garbage(text: str) -> bool:
    """Whether a text isn't plausible in any language: read in a wrong encoding, or with a "?" for each letter."""
    start = text[:JUDGED]
    if start.count("?") > 0.3 * len(start):
        return True
    if len(start.encode()) - len(start) <= MIN_STRANGE:  # no more characters than that outside ASCII
        return False
    return len(STRANGE.findall(start)) > max(MIN_STRANGE, 0.1 * len(start)) and misfit(start) > GARBAGE


def _divergence(counts: npt.NDArray[np.int64], costs: npt.NDArray[np.float64]) -> float:
    """The divergence of counts (columns,) from the nearest of the rows of costs (rows, columns)."""
    total, written = counts.sum(), counts[counts > 0]
    entropy = np.log(total) - written @ np.log(written) / total
    return max(0.0, float((costs @ counts).min() / total - entropy - (len(written) - 1) / (2 * total)))


@cache
def _tables() -> Tables:
    shares = package_data("newsextract.page", "letters.json")
    del shares["source"]
    letters = {letter: number for number, letter in enumerate(dict.fromkeys(chain(*shares.values())), STRANGER + 1)}
    costs = np.full((len(shares), len(letters) + 1), UNKNOWN)
    for row, of_language in enumerate(shares.values()):
        costs[row, [letters[letter] - STRANGER for letter in of_language]] = -np.log(
            [*of_language.values()] / np.array(1000)
        )
    kinds, columns = np.zeros(0x10000, np.uint16), np.zeros(0x10000, np.uint16)
    characters = np.arange(0x10000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def fill(table: npt.NDArray[np.uint16], pattern: str, value: int) -> None:
        for run in re.finditer(f"{pattern}+", characters):
            table[run.start() : run.end()] = value

    for kind, pattern in KINDS.items():
        fill(kinds, pattern, kind)
    for pattern, column in ((KINDS[LETTER], UNCOUNTED), ("[\0-\x7f]", NONE), (HAN, RARE)):
        fill(columns, pattern, column)
    columns[_common_characters()] = UNCOUNTED
    fill(columns, rf"(?:(?=[^\W\d_]){COUNTED})", STRANGER)
    columns[[ord(letter) for letter in letters]] = [*letters.values()]
    names = {name: row for row, name in enumerate(shares)}
    return Tables(kinds, columns, _odd_triples(), names, costs)


def _odd_triples() -> npt.NDArray[np.bool_]:
    odd = np.zeros(3 * [ODD + 1], bool)
    odd[:, ODD] = True
    odd[CAPITAL:SIGN, SIGN_LETTER:ODD, CAPITAL:SIGN] = True
    odd[CAPITAL : SMALL + 1, EAST_ASIAN, SMALL] = True
    odd[:, CAPITAL : SMALL + 1, FOREIGN] = odd[:, FOREIGN, CAPITAL : SMALL + 1] = True
    return odd


def _common_characters() -> list[int]:
    """The code points of level 1 of GB 2312, Big5 and JIS X 0208."""
    levels = (
        ("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)),
        ("big5", range(0xA4, 0xC7), range(0x40, 0xFF)),
        ("euc_jp", range(0xB0, 0xD0), range(0xA1, 0xFF)),
    )
    pairs = ((name, b"\n".join(bytes((row, cell)) for row in rows for cell in cells)) for name, rows, cells in levels)
    return [ord(character) for name, text in pairs for character in text.decode(name, "ignore") if character > "\x7f"]
