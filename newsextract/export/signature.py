"""An article's signature: what its copies share with it, whatever was cut, put before it or set beside it.

The keys are a bottom-k sketch, MinHash with one permutation: of the hashes of all shingles, the k smallest. Of a text
that is contained in another one, each key is among the other's with the share that it makes up; so one equal key finds
the pair, where minima in bands, which see only how much of both together is common, need many more.

A. Broder. On the resemblance and containment of documents. Compression and Complexity of Sequences, 1997. There: the
smallest hashes of a document's shingles; resemblance and containment. Here: long shingles only find a pair; what is
compared then are all short ones, and the facts, because two reports of one template share most of their shingles.

Everything is done on arrays of the text's characters: one call a token would cost more than all the rest.
"""

import sys
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from newsextract.items import Article
from newsextract.near_duplicates import Signature

#: What is read of a text, in characters: a copy shows on its first pages, and no text may cost more.
LONGEST = 40_000
#: Texts with fewer tokens have no signature: captions and notices repeat without being copies.
FEWEST_TOKENS = 32
KEYS = 16
#: Tokens in a key's shingle and in a gram; the same of writing without spaces, whose words have two characters.
SHINGLE, GRAM = 5, 2
SHINGLE_HAN, GRAM_HAN = 8, 3
#: Words before a fact that make up its place, with the one behind it; a fact among them counts as "some fact".
BEFORE = 3
SOME_FACT = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)

#: What a character is; 0: nothing, it only parts tokens.
WORD, HAN, MARK = 1, 2, 3
#: What a token is that begins with it.
DIGIT, UPPER = 1, 2
#: Characters that are tokens of their own: Kana and Han.
SINGLE = ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF))
#: Marks behind which a sentence begins, where a capital letter makes no name.
MARKS = ".!?:。！？：\n"
#: Digits and letters as wide as a Chinese character, which one site writes and the next does not; how far they are off.
WIDE, OFF = ((0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A)), 0xFEE0
#: Numbers of Chinese writing that seldom are anything else.
NUMERALS = "二三四五六七八九十百"
#: Where the tables end; what is beyond is taken for rare Han.
BEYOND = 0x10000

Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Number = TypeVar("Number", np.uint16, np.uint32, np.uint64)


@dataclass(slots=True)
class SignedArticle(Article):
    """An article on its way to the store, with the signature of its text."""

    signature: Signature | None = field(default=None, repr=False, compare=False)


def signed(article: Article) -> SignedArticle:
    """The article with its signature."""
    values = {field.name: getattr(article, field.name) for field in fields(Article)}
    return SignedArticle(**values, signature=signature_of(article.article_body))


def signature_of(text: str) -> Signature | None:
    """The signature of a body; None where it is too short to be told from others. Linear, and bounded for any input."""
    hashes, is_fact, is_han = _tokens(text)
    if len(hashes) < FEWEST_TOKENS:
        return None
    keys = np.sort(_shingles(hashes, SHINGLE_HAN if is_han else SHINGLE) >> np.uint64(32))
    grams = np.sort((_shingles(hashes, GRAM_HAN if is_han else GRAM) >> np.uint64(48)).astype(np.uint16))
    smallest = _distinct(keys)[:KEYS].astype(np.uint32).view(np.int32)
    return Signature(smallest, _distinct(grams), _facts(hashes, is_fact))


def _tokens(text: str) -> tuple[Hashes, Flags, bool]:
    """Each token's hash, its case left out; which are facts, numbers and names; whether most are single characters."""
    order = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
    at = np.minimum(np.frombuffer(text[:LONGEST].encode(order, "surrogatepass"), np.uint32), BEYOND)
    kinds, firsts, values = _tables()
    kind = kinds[at]
    begins = kind > WORD
    begins[:1] |= kind[:1] == WORD
    begins[1:] |= (kind[1:] == WORD) & (kind[:-1] != WORD)
    starts = np.flatnonzero(begins)
    if not len(starts):
        return np.zeros(0, np.uint64), np.zeros(0, np.bool_), False
    lengths = np.diff(starts, append=len(at))
    place = np.arange(starts[0], len(at)) - np.repeat(starts, lengths)  # of a character in its token
    hashes = np.add.reduceat(values[at[starts[0] :]] * (2 * place + 1).astype(np.uint64), starts - starts[0])
    of_token, first = kind[starts], firsts[at[starts]]
    is_mark = of_token == MARK
    opens = np.concatenate(([True], is_mark[:-1]))
    is_fact = (first == DIGIT) | ((first == UPPER) & ~opens)
    return hashes[~is_mark], is_fact[~is_mark], bool(np.count_nonzero(of_token == HAN) * 2 > len(starts))


@cache
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], Hashes]:
    """For each character: what it is, what a token is that begins with it, and a number for it and its capital."""
    kinds, firsts = np.zeros((2, BEYOND + 1), np.uint8)
    plain = np.arange(BEYOND + 1, dtype=np.uint64)
    for low, high in WIDE:
        plain[low : high + 1] -= np.uint64(OFF)
    for code in range(BEYOND):
        character = chr(int(plain[code]))
        if character.isalnum():
            kinds[code] = WORD
            firsts[code] = DIGIT if character.isdigit() or character in NUMERALS else UPPER * character.isupper()
            lower = character.lower()
            plain[code] = ord(lower) if len(lower) == 1 else plain[code]
    for low, high in SINGLE:
        kinds[low : high + 1] = HAN
    kinds[BEYOND] = HAN
    kinds[[ord(mark) for mark in MARKS]] = MARK
    return kinds, firsts, np.where(kinds > 0, _mix(plain + SOME_FACT), np.uint64(0))


def _shingles(hashes: Hashes, size: int) -> Hashes:
    """A hash for each run of `size` tokens: (tokens - size + 1,), all 64 bits mixed."""
    summed = np.zeros(max(len(hashes) - size + 1, 0), np.uint64)
    for offset in range(size):
        summed *= MULTIPLIER
        summed += hashes[offset : offset + len(summed)]
    return _mix(summed)


def _mix(values: Hashes) -> Hashes:
    """A bijection of 64 bits that spreads each of them over the upper half."""
    values = values ^ (values >> np.uint64(29))
    values *= MULTIPLIER
    values ^= values >> np.uint64(32)
    return values


def _facts(hashes: Hashes, is_fact: Flags) -> NDArray[np.uint32]:
    """Each fact and its place, as one number."""
    plain = np.where(is_fact, SOME_FACT, hashes)
    at = np.flatnonzero(is_fact[BEFORE : len(hashes) - 1]) + BEFORE
    places = _mix(_shingles(plain, BEFORE)[at - BEFORE] + plain[at + 1])
    names = is_fact[at - 1].astype(int) + is_fact[at - 2] + is_fact[at - 3]
    at, places = at[names < 2], places[names < 2]
    place = (places >> np.uint64(48)).astype(np.uint32)
    fact = (_mix(hashes[at]) >> np.uint64(48)).astype(np.uint32)
    return _distinct(np.sort(place << np.uint32(16) | fact))


def _distinct(ordered: NDArray[Number]) -> NDArray[Number]:
    """The different values of a sorted array."""
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if len(ordered) else ordered
