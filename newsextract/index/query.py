"""Search queries: words, "phrases", prefix*, AND, OR, NOT, NEAR/5, fields; and the text they are matched against.

A query is compiled to an FTS5 expression, which searches folded text: one line of tokens, in lower case and without
accents. Scripts without spaces between words (and Hangul, whose words carry their particles) have one token per
character, so that a word is found as a phrase anywhere.
"""

import re
import sqlite3
import threading
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from newsextract.errors import WrongCall
from newsextract.files import package_data
from newsextract.index.term_finder import TermFinder
from newsextract.text import ABUGIDAS, HAN, HANGUL, KANA, character_class, normalized

UNSPACED = character_class(HAN, KANA, HANGUL) + ABUGIDAS
#: Vowel signs of Indic scripts belong to words, but Python's \w excludes them. The gap is the full stop of Devanagari.
INDIC = "\u0900-\u0963\u0966-\u0dff"
TOKEN = re.compile(f"(?:[^\\W_{UNSPACED}]+|[{INDIC}]+)+|[{UNSPACED}]")
#: Separators of ASCII tokens, turned into spaces in a fifth of the time of the regular expression.
SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}
#: What folding drops: accents, points of Hebrew and Arabic, the Arabic stroke that lengthens words, joiners.
DROPPED = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u00ad\u200c\u200d]"
)
#: Letters that Unicode doesn't decompose: with strokes, the Turkish dotless i, the Persian yeh and kaf and the alef
#: maqsura, which keyboards confuse with the Arabic ones; digits of Arabic and Indic scripts.
STROKES = str.maketrans(
    {**dict(zip("øđłħŧıیىکہ", "odlhtiييكه", strict=True))}
    | {letter: str(int(letter)) for letter in map(chr, range(0x0660, 0x1C5A)) if letter.isdecimal()}
)
#: Characters that keyboards and editors substitute for quotation marks, and for the rest of ASCII.
TYPOGRAPHIC = str.maketrans(
    {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)} | dict.fromkeys("“”„‟«»＂", '"')
)
#: The quotation mark in a Hebrew abbreviation.
GERSHAYIM = re.compile('(?<=[\u05d0-\u05ea])"(?=[\u05d0-\u05ea])')
NEAR = re.compile(r"NEAR(?:/(\d{1,3}))?")
OPERATORS = frozenset({"AND", "OR", "NOT", "(", ")"})
#: The columns of the index that are searched.
COLUMNS = ("headline", "subtitle", "authors", "article_body")
WORDS: dict[str, dict[str, str]] = package_data(__package__, "query.toml")
FIELDS = WORDS["columns"]
FOREIGN_FIELDS = WORDS["options"]
#: A field or a sign for NOT before a word, a phrase or a parenthesis; then these; signs of other tools for operators.
LEXEME = re.compile(
    rf"""(?<![^\s(|!\-\u2212\u2013])(?i:{"|".join({**FIELDS, **FOREIGN_FIELDS})}):(?=\s*["(\w])"""
    r"""|(?P<sign>(?<![^\s(|])[-\u2212\u2013!](?=[^\s)-])|\|{1,2}|&&?(?=\s))|"[^"]*"?\*?|[()]|[^\s()"|]+"""
)
MEANT = {re.compile(form, re.IGNORECASE): advice for form, advice in WORDS["meant"].items()}
#: Tokens between the two sides of NEAR, if no number is given.
NEAR_DISTANCE = 10
#: Limits of a query; FTS5's own are far higher.
MAX_LENGTH = 1000
MAX_TERMS = 100
MAX_WORDS = 200
MAX_DEPTH = 20
#: Minimum letters before `*`: nearly every article has shorter prefixes.
MIN_PREFIX = 2
#: Characters of a query that an error shows on each side of the mistake.
SHOWN = 60


class QueryError(WrongCall):
    """A query that can't be parsed; the message has the query with a caret under the mistake."""

    def __init__(self, sentence: str, query: str, position: int) -> None:
        start = max(position - SHOWN, 0)
        shown = "".join(one if one.isprintable() else " " for one in query[start : position + SHOWN])
        before = shown[: position - start]
        width = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in before)
        super().__init__(f"{sentence}\n  {shown}\n  {' ' * width}^")
        self.sentence, self.position = sentence, position


def fold(text: str) -> str:
    """The text in lower case, without accents and without differences of width."""
    if text.isascii():
        return text.lower()
    plain = normalized("NFKD", text).casefold().translate(STROKES)
    return normalized("NFC", DROPPED.sub("", plain))


def token_line(text: str) -> str:
    """The tokens of a text, separated by single spaces."""
    if text.isascii():
        return " ".join(text.lower().translate(SEPARATORS).split())
    return " ".join(TOKEN.findall(fold(text)))


@dataclass(frozen=True)
class Query:
    """A query, or a part of one.

    `fts`: the expression for FTS5's MATCH. `terms`: what a match may contain, each as a line of tokens, and whether its
    last token is a prefix. `text`: the query as given. `hints`: sentences about words that were perhaps meant as
    operators.
    """

    fts: str
    terms: tuple[tuple[str, bool], ...]
    text: str = ""
    hints: tuple[str, ...] = ()

    def matches(self, texts: Sequence[str]) -> bool:
        """Whether an article whose COLUMNS have these texts matches."""
        index = _index_of(threading.get_ident(), *texts)
        return index.execute("SELECT 1 FROM article WHERE article MATCH ?", (self.fts,)).fetchone() is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The positions of the terms in a text, in order and without overlap: for highlighting."""
        finder, known = _finder(self.terms), dict[str, int]()
        symbols, begins, ends = array("i"), array("q"), array("q")
        for match in TOKEN.finditer(text):
            raw = match.group()
            symbols.append(known[raw] if raw in known else known.setdefault(raw, finder.symbol(fold(raw))))
            begins.append(match.start())
            ends.append(match.end())
        spans: list[tuple[int, int]] = []
        for first, end in reversed([*finder.find(symbols)]):
            if not spans or begins[first] >= spans[-1][1]:
                spans.append((begins[first], ends[end - 1]))
        return spans


@lru_cache(maxsize=16)  # each text that is shown asks for its query's
def _finder(terms: tuple[tuple[str, bool], ...]) -> TermFinder:
    return TermFinder(terms)


@lru_cache(maxsize=4)
def _empty_index(thread: int) -> sqlite3.Connection:
    """An index in memory, for a thread."""
    index = sqlite3.connect(":memory:", isolation_level=None)
    index.execute(f"CREATE VIRTUAL TABLE article USING fts5({', '.join(COLUMNS)}, tokenize='ascii')")
    return index


@lru_cache(maxsize=1)
def _index_of(thread: int, *texts: str) -> sqlite3.Connection:
    """An index of one article, which several topics ask."""
    index = _empty_index(thread)
    index.execute("DELETE FROM article")
    index.execute("INSERT INTO article VALUES (?, ?, ?, ?)", [token_line(text) for text in texts])
    return index


def _joined(operator: str, parts: Sequence[Query]) -> Query:
    """Parts joined by AND or OR; with NOT, the first part without the others."""
    if len(parts) == 1:
        return parts[0]
    positive = parts[:1] if operator == "NOT" else parts
    terms = tuple(term for part in positive for term in part.terms)
    return Query(f"({f' {operator} '.join(part.fts for part in parts)})", terms)


def parse_query(text: str) -> Query:
    """Parses a query. Raises QueryError."""
    return _Parser(text).query()


class _Parser:
    """Recursive descent: OR binds weakest, then AND (also implied), then NOT."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.terms, self.words = text, 0, 0, 0
        if len(text) > MAX_LENGTH:
            raise QueryError(f"the query is longer than {MAX_LENGTH} characters", text, MAX_LENGTH)
        plain = GERSHAYIM.sub("\u05f4", text.translate(TYPOGRAPHIC))
        self.lexemes = [
            (WORDS["signs"][match[0]] if match["sign"] else match[0], match.start()) for match in LEXEME.finditer(plain)
        ]

    def query(self) -> Query:
        if not self.lexemes:
            raise QueryError("the query is empty", self.text, 0)
        root = self._any(0)
        if self.place < len(self.lexemes):
            raise QueryError("this parenthesis was not opened", self.text, self.lexemes[self.place][1])
        inner = range(1, len(self.lexemes) - 1)
        words = {word for place, (word, _) in enumerate(self.lexemes) if place in inner or not word.isalpha()}
        words = {word for word in words if word not in OPERATORS and not NEAR.fullmatch(word)}
        told = ((word, advice) for word in sorted(words) for form, advice in MEANT.items() if form.fullmatch(word))
        hints = (f"{word!r} is searched as a word; {advice}" for word, advice in told)
        return replace(root, text=self.text, hints=tuple(hints))

    def _next(self) -> str | None:
        return self.lexemes[self.place][0] if self.place < len(self.lexemes) else None

    def _any(self, depth: int) -> Query:
        parts = [self._all(depth)]
        while self._next() == "OR":
            self.place += 1
            parts.append(self._all(depth))
        return _joined("OR", parts)

    def _all(self, depth: int) -> Query:
        wanted: list[Query] = []
        unwanted: list[Query] = []
        start = self.place
        while self.place == start or self._next() not in (None, "OR", ")"):
            if self._next() == "AND" and self.place > start:
                self.place += 1
            parts = wanted
            if self._next() == "NOT":
                self.place += 1
                parts = unwanted
            parts.append(self._near(depth))
        if not wanted:
            raise QueryError("NOT needs something beside it to search for", self.text, self.lexemes[start][1])
        return _joined("NOT", [_joined("AND", wanted), *unwanted])

    def _near(self, depth: int) -> Query:
        """An operand, or several of which each is near the next."""
        operand = self._operand(depth)
        pairs: list[Query] = []
        while (match := NEAR.fullmatch(self._next() or "")) is not None:
            position = self.lexemes[self.place][1]
            self.place += 1
            other = self._operand(depth)
            if any(" : (" in one.fts or len(one.terms) != 1 for one in (operand, other)):
                raise QueryError("NEAR needs a word or a phrase on both sides", self.text, position)
            fts = f"NEAR({operand.fts} {other.fts}, {int(match[1] or NEAR_DISTANCE)})"
            pairs.append(Query(fts, (*operand.terms, *other.terms)))
            operand = other
        return _joined("AND", pairs) if pairs else operand

    def _operand(self, depth: int) -> Query:
        if self.place == len(self.lexemes):
            raise QueryError("a word is missing at the end", self.text, len(self.text))
        word, position = self.lexemes[self.place]
        self.place += 1
        if word.endswith(":") and (name := word[:-1].lower()) in FIELDS:
            inner = self._operand(depth)
            return replace(inner, fts=f"({{{FIELDS[name]}}} : ({inner.fts}))")
        if word.endswith(":") and name in FOREIGN_FIELDS:
            raise QueryError(f"{word} isn't a field; use {FOREIGN_FIELDS[name]}", self.text, position)
        if NEAR.fullmatch(word):
            raise QueryError(f"{word} stands between two words: ferry NEAR/5 harbour", self.text, position)
        if word not in OPERATORS:
            return self._term(word, position)
        if word != "(":
            raise QueryError(f"a word is missing before {word}", self.text, position)
        if depth == MAX_DEPTH:
            raise QueryError(f"more than {MAX_DEPTH} parentheses in one another", self.text, position)
        inner = self._any(depth + 1)
        if self._next() != ")":
            raise QueryError("this parenthesis is not closed", self.text, position)
        self.place += 1
        return inner

    def _term(self, word: str, position: int) -> Query:
        self.terms += 1
        if self.terms > MAX_TERMS:
            raise QueryError(f"more than {MAX_TERMS} words", self.text, position)
        text, prefix = word.removesuffix("*"), word.endswith("*")
        if text.startswith('"') and (len(text) == 1 or not text.endswith('"')):
            raise QueryError("this quotation mark is not closed", self.text, position)
        if text.endswith('*"'):  # "heat pump*" means "heat pump"*
            text, prefix = text.removesuffix('*"'), True
        if "*" in text:
            raise QueryError("* may only end a word or a phrase", self.text, position + text.index("*"))
        line = token_line(text)
        if not line:
            raise QueryError("there is no letter or digit here to search for", self.text, position)
        self.words += line.count(" ") + 1  # FTS5 reads the places of each word, also of the same one
        if self.words > MAX_WORDS:
            raise QueryError(f"more than {MAX_WORDS} words in all phrases", self.text, position)
        last = line.rpartition(" ")[2]
        if prefix and len(last) < MIN_PREFIX and not re.match(f"[{UNSPACED}]", last):
            raise QueryError(f"* needs {MIN_PREFIX} letters before it", self.text, position)
        return Query(f'"{line}"{"*" if prefix else ""}', ((line, prefix),))  # a line has no quotation mark
