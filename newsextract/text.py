"""Scripts, letters and tokens: the one table of East Asian code points, and text counted in tokens of any script.

A token is a word of a script with spaces (a maximal run of letters, digits and marks with inner apostrophes and
hyphens) or a single character of Han, Hiragana or Katakana, which have none; Hangul words are spaced. Counts need no
dictionary: a segmenter would change them by a nearly constant factor, `CHARACTERS_PER_WORD`, which cancels in ratios.
Words of Chinese: `newsextract.language.chinese_words`.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:  # imported in functions: commands that count no tokens start sooner
    import numpy as np  # most commands don't need it
    from numpy.typing import NDArray

Ranges = tuple[tuple[int, int], ...]

#: Code points of East Asian scripts as (first, last), from Unicode 16's Scripts.txt, whole blocks.
HAN: Ranges = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3400, 0x4DBF),  # extension A
    (0x4E00, 0x9FFF),  # unified ideographs
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0x20000, 0x323AF),  # extensions B to H
)
KANA: Ranges = (
    (0x3040, 0x30FF),  # Hiragana and Katakana
    (0x31F0, 0x31FF),  # phonetic extensions
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x1AFF0, 0x1B16F),  # extended, supplement
)
HANGUL: Ranges = ((0xAC00, 0xD7AF),)
#: Scripts without spaces whose vowels are marks, whole blocks, as a character class: Thai, Lao, Burmese, Khmer.
ABUGIDAS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
#: Scripts written without spaces; each of their characters is a token.
UNSPACED: Ranges = tuple(sorted((*HAN, *KANA)))


def is_placeholder(text: str) -> bool:
    """Whether a value is what a template left unfilled: "{{site.name}}", "undefined", "[object Object]"."""
    has_mark = "{" in text or "}" in text or "%" in text or "[" in text  # much faster than the pattern
    return (has_mark and PLACEHOLDER.search(text) is not None) or (
        (text[:1] in NO_VALUE_BEGINS or not text[:1].isalnum()) and NO_VALUE.match(text) is not None
    )


def character_class(*scripts: Ranges) -> str:
    """The code points of scripts as a regular expression's character class, without its brackets."""
    return "".join(f"{chr(first)}-{chr(last)}" for ranges in scripts for first, last in ranges)


#: Characters of the texts times those of the long one up to which `contained` looks for one after the other.
MAX_COMPARED = 5_000_000
#: Characters of a text by which it looks for many at once.
BEGINNING = 16
#: Four East Asian characters in a row: the text is in such a script.
EAST_ASIAN = re.compile(f"[{character_class(HAN, KANA, HANGUL)}]{{4}}")
EAST_ASIAN_CHARACTER = re.compile(f"[{character_class(HAN, KANA, HANGUL)}]")
HAN_OR_KANA = re.compile(f"[{character_class(HAN, KANA)}]")
#: What texts, classes and URLs are made of: numbers, words of letters, words of letters and digits.
DIGITS = re.compile(r"\d+")
LETTERS = re.compile(r"[^\W\d_]+")
ALPHANUMERICS = re.compile(r"[^\W_]+")
#: A tag of HTML.
TAG = re.compile(r"<[^<>]*+>")
#: Average length of a Chinese word in characters.
CHARACTERS_PER_WORD = 1.6
#: Characters of a line of a page: of the longest label; of a name or a date; from which on it is a paragraph; of the
#: longest one that is read as a line.
MAX_LABEL = 40
SHORT_LINE = 60
LONG_LINE = 120
LONGEST_LINE = 200
#: Characters from which on a text may be an article by itself.
MIN_TEXT = 400
#: Characters of a title that are read; of the longest summary or excerpt.
MAX_TITLE = 300
MAX_SUMMARY = 500
#: Marks that join two parts of one word.
JOINERS = "'\u2019\u2010-"
#: A word of a script without ideographs and combining marks; characters outside the ranges of such scripts.
PLAIN_WORD = re.compile(f"[^\\W_]+(?:[{JOINERS}][^\\W_]+)*")
NOT_PLAIN = re.compile("[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u2000-\u20cf\u2100-\u2bff]")
#: Combining marks of a run that are kept; characters of a text that is short enough for a run of any length; as many
#: characters as a longer run has, none of them from the ranges that hardly have marks.
MAX_MARKS = 30
SHORT_RUN = 1_000
MAYBE_MARKS = re.compile(
    "[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u2000-\u20cf\u2100-\u2bff\u3030-\u3098\u30a0-\ua66e]{31}"
)
#: What a template left unfilled: its expressions (each begins with a character, which makes the search fast), and whole
#: values, among them what languages print for no value.
PLACEHOLDER = re.compile(
    r"\{\{|\}\}|%7[Bb]%7[Bb]|\{%|%\}|<%|%>|\$\{\w|#\{\w|%(?<!\S%)(?i:[sd])(?!\w)|\[(?i:object) \w+\]|%%\w+%%"
    r"|%(?<![\w%]%)\w{3,30}%(?!\w)|\[\[\w[\w.-]*\]\]"
)
NO_VALUE_BEGINS = "lLnNuU"
NO_VALUE = re.compile(
    r"\W*(?:(?:undefined|null|nan|none|nil|n/a|lorem ipsum\b.*)(?:\W+|$))+$"
    r"|\{[\w. ]+\}$|__\w+__$|lorem ipsum",
    re.I,
)
#: All ASCII characters but letters and digits, as bytes: `bytes.translate` is faster than a pattern.
ASCII_NOT_ALPHANUMERIC = bytes(code for code in range(128) if not chr(code).isalnum())
#: All bytes, with the capitals of ASCII in lower case.
ASCII_LOWER = bytes(range(256)).lower()
#: Marks that NFKC leaves marks or spaces: a space in their place gives the same letters and digits.
COMMON_MARKS = "’“”‘–—…\xa0，。、：；！？（）"
OTHER, LETTER, IDEOGRAPH, JOINER = range(4)
#: No letters beyond this code point (private use, tags).
LAST_LETTER = HAN[-1][-1]


class Tokens(NamedTuple):
    """Counts, one value a text: `words` of scripts with spaces, `ideographs` (characters of `UNSPACED`)."""

    words: "NDArray[np.int64]"
    ideographs: "NDArray[np.int64]"

    @property
    def total(self) -> "NDArray[np.int64]":
        """(texts,) tokens: words and ideographs."""
        return self.words + self.ideographs

    @property
    def weighted(self) -> "NDArray[np.float64]":
        """(texts,) words, `CHARACTERS_PER_WORD` ideographs counted as one word."""
        return self.words + self.ideographs / CHARACTERS_PER_WORD


def count_tokens(texts: Sequence[str]) -> Tokens:
    """Counts the tokens of each text. O(characters)."""
    import numpy as np  # most commands don't need it

    joined = "\n".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le", "replace"), np.uint32)
    kinds = _kinds_of_code_points()[np.minimum(points, LAST_LETTER + 1)]
    letters = kinds == LETTER
    starts = letters.copy()
    starts[1:] &= ~letters[:-1]
    starts[2:] &= ~((kinds[1:-1] == JOINER) & letters[:-2])
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1) - 1
    return Tokens(_sums(starts, ends), _sums(kinds == IDEOGRAPH, ends))


def has_number(text: str, digits: int) -> bool:
    """Whether a text has a number of so many digits or more."""
    return any(len(number) >= digits for number in DIGITS.findall(text))


def words_of(text: str) -> list[str]:
    """The tokens of one text, lower-cased, in order."""
    text = text.lower()
    return (_token_pattern() if may_have_marks(text) else PLAIN_WORD).findall(text)


@lru_cache(maxsize=4)
def text_width(text: str) -> float:
    """The length of a text in Latin characters: one of Han, Kana or Hangul counts as 2.5. Cached."""
    return (2.5 if not text.isascii() and EAST_ASIAN.search(text[:400]) else 1.0) * len(text)


def contained(texts: Iterable[str], body: str) -> set[str]:
    """Which of these texts are in a long one: by their beginnings, if many are looked for, since each alone would be
    compared with the whole of it."""
    wanted = {*texts}
    if len(wanted) * len(body) <= MAX_COMPARED:
        return {text for text in wanted if text in body}
    alike: dict[str, set[str]] = {}
    for text in wanted:
        alike.setdefault(text[:BEGINNING], set()).add(text)
    found: set[str] = set()
    for length in {*map(len, alike)}:
        for place in range(len(body) - length + 1):
            if (waiting := alike.get(body[place : place + length])) is not None:
                new = {text for text in waiting if body.startswith(text, place)}
                waiting -= new
                found |= new
    return found


def composed(text: str) -> str:
    """The text in Unicode's form NFC: a letter and its accent are one character."""
    return text if text.isascii() else normalized("NFC", text)


#: Accents, which NFKD separates from their letters.
ACCENT = re.compile("[\u0300-\u036f]")


def plain_word(word: str) -> str:
    """A word in lower case without accents, as URLs have it."""
    return word.lower() if word.isascii() else ACCENT.sub("", normalized("NFKD", word.casefold()))


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """The text in a form of Unicode, with at most MAX_MARKS combining marks in a row.

    Each run of marks is sorted, which takes quadratic time. No language needs so many (UAX #15, stream-safe text).
    """
    if len(text) > SHORT_RUN and MAYBE_MARKS.search(text):
        text = _long_run().sub(lambda run: run[0][:MAX_MARKS], text)
    return unicodedata.normalize(form, text)


@cache
def _long_run() -> re.Pattern[str]:
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, sys.maxunicode + 1))))
    return re.compile(f"[{marks}]{{{MAX_MARKS + 1},}}+")


def lower_same_length(text: str) -> str:
    """The text in lower case with its length unchanged: İ, whose lower case is an i and a dot above it, is an i."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower()[0] for c in text)


def letters_and_digits(text: str) -> str:
    """The text's letters and digits, NFKC-normalized and case-folded: equal for two layouts of the same words."""
    if text.isascii():
        return _letters_and_digits(text)
    # line by line and without the commonest marks, since what is ASCII then needs no normalization
    for mark in COMMON_MARKS:
        text = text.replace(mark, " ")
    return "".join(map(_letters_and_digits, [text] if text.isascii() else text.split("\n")))


@lru_cache(maxsize=1_024)
def comparison_key(text: str | None) -> str:
    """`letters_and_digits` of a short text, which equals that of titles with other punctuation. Cached."""
    return letters_and_digits(text or "")


def _letters_and_digits(text: str) -> str:
    raw = text.encode("utf-8", "surrogatepass").translate(ASCII_LOWER, ASCII_NOT_ALPHANUMERIC)
    letters = raw.decode("utf-8", "surrogatepass")
    if letters.isascii():
        return letters
    letters = normalized("NFKC", letters).casefold()
    return letters if letters.isalnum() else "".join(ALPHANUMERICS.findall(letters))


def _sums(flags: "NDArray[np.bool_]", ends: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """(ends,) number of flags set between the end before and this one."""
    import numpy as np  # most commands don't need it

    before = np.concatenate(([0], np.cumsum(flags)))
    return np.diff(before[ends], prepend=0)


@cache
def _token_pattern() -> re.Pattern[str]:
    """Matches what `count_tokens` counts."""
    single = character_class(UNSPACED)
    letters = letters_with_marks(single)
    return re.compile(f"{letters}(?:[{JOINERS}]{letters})*|[{single}]")


def letters_with_marks(without: str = "") -> str:
    """A regular expression of letters, digits and combining marks. `without`: a character class that it leaves out."""
    return f"(?:[^\\W_{without}]++|{combining_marks()}++)++"


@cache
def combining_marks() -> str:
    """A regular expression of one mark that combines with letters, such as the vowels of Hindi and Thai.

    Marks are listed because `\\w` has none of them, those beyond the basic plane apart because they make the character
    class slow.
    """
    import numpy as np  # most commands don't need it

    letter = map(chr, np.flatnonzero(_kinds_of_code_points() == LETTER).tolist())
    marks = [character for character in letter if unicodedata.category(character)[0] == "M"]
    common, rare = "".join(c for c in marks if c <= "\uffff"), "".join(c for c in marks if c > "\uffff")
    return f"(?:[{common}]|[{rare}])"


def may_have_marks(text: str) -> bool:
    """Whether a text has characters beyond the scripts that have neither marks nor ideographs."""
    return not text.isascii() and NOT_PLAIN.search(text) is not None


@cache
def _kinds_of_code_points() -> "NDArray[np.uint8]":
    """The kind of every code point up to LAST_LETTER + 1."""
    import numpy as np  # most commands don't need it

    kinds = np.zeros(LAST_LETTER + 2, np.uint8)
    kinds[[point for point in range(LAST_LETTER + 1) if unicodedata.category(chr(point))[0] in "LMN"]] = LETTER
    for first, last in UNSPACED:
        kinds[first : last + 1] = IDEOGRAPH
    kinds[[ord(mark) for mark in JOINERS]] = JOINER
    return kinds


#: Control characters, on which a terminal acts, as their pictures: C0 except tab and line feed, DEL; none for C1, and
#: for those that turn the direction of letters, so that a name looks like another.
CONTROL_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
CONTROL_PICTURES |= dict.fromkeys((*range(0x80, 0xA0), 0x202D, 0x202E), 0xFFFD)


def printable(text: str) -> str:
    """The text with visible characters for control characters, one for each."""
    return text if text.isprintable() else text.translate(CONTROL_PICTURES)


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 page", "2,000 pages"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


#: How many names of a sentence, and lines of a list, a message has; further ones are counted.
MAX_LISTED = 20


def some_of(names: Sequence[str]) -> str:
    """The names with commas between them, the first MAX_LISTED, and how many more there are."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return f"{', '.join(names[:MAX_LISTED])}{more}"


#: The password of a URL: of its user, or a parameter.
PASSWORD = re.compile(r"(?<=://)([^\s/?#@:]*):[^\s/?#]+@|([?&]\w*password=)[^\s&#]+", re.I)


def without_passwords(text: str) -> str:
    """The text with `***` for the passwords in its URLs."""
    return PASSWORD.sub(lambda match: f"{match[2]}***" if match[2] else f"{match[1]}:***@", text)


def say(*lines: str, err: bool = False, bold: bool = False) -> None:
    """Prints lines on stdout, or as messages without passwords on stderr. Every command prints by it.

    Lines are made printable; `bold`: in a terminal.
    """
    stream = sys.stderr if err else sys.stdout
    text = "\n".join(map(printable, lines))
    if err:
        text = without_passwords(text)
    print(f"\x1b[1m{text}\x1b[0m" if bold and stream.isatty() else text, file=stream, flush=True)


@cache
def warn_once(text: str) -> None:
    """Prints a message on stderr, once a process."""
    say(text, err=True)
