"""Near-duplicates: the signature of an article's text, and the rule by which one text is a copy of another.

A signature survives what newspapers do to an agency's story: cutting it, adding a lead, combining it with other text.
Its keys are a bottom-k sketch (MinHash with one permutation): the k smallest hashes of all long shingles. If one text
is contained in another, each of its keys is among the other's with a probability equal to the ratio of their lengths,
so one equal key finds the pair. Minima in bands (LSH) measure only resemblance and need many more hashes for the same
recall.

A. Broder. On the resemblance and containment of documents. Compression and Complexity of Sequences, 1997.

Broder estimates resemblance and containment from the smallest hashes alone. Here the long shingles only find candidate
pairs; these are compared by all short shingles (grams) and by their facts (numbers and names in context), because two
reports of one template, such as match reports or weather, share most of their shingles.

`signature_of` is computed in the worker that extracted the page; the store keeps `Signature.to_bytes()` and compares.
All steps are numpy operations on the text's code points: a Python call a token would cost more than everything else.
"""

import struct
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from newsextract.pickling import pickled_at_once
from newsextract.text import UNSPACED

#: First byte of a stored signature, more for other scripts. Raise it by three when signatures of the same text
#: change: others aren't compared.
VERSION = 1
HEADER = struct.Struct("<BBHH")
#: Number of different values of a hash of a gram, of a context or of a fact (16 bits).
HASH_VALUES = 1 << 16

#: Minimum share of a copy's grams that are in the original. A text with a third of new text is still a copy (a tail
#: that the original lacked, a box, another lead); two combined stories are not.
MIN_SHARED_GRAMS = 0.65
#: Two texts of one template differ in at least this share, and this number, of the facts with the same context.
MIN_DIFFERENT_SHARE = 0.32
MIN_DIFFERENT_FACTS = 3
#: The same share for scripts without capitals, in which each token is a fact; a run of other words differs once. If
#: fewer differ, or if each character is a token, a name must have been replaced in several places.
MIN_DIFFERENT_SHARE_CASELESS = 0.08
#: A story that is corrected has at most this share of other facts in the same contexts.
MAX_CORRECTED_SHARE = 0.1
#: Scripts: with capitals, without, and without spaces.
CASED, CASELESS, UNSPACED_SCRIPT = range(3)

#: How many characters of a text are read: a copy shows at its beginning, and this limits the cost.
MAX_CHARACTERS = 40_000
#: Shorter texts have no signature: captions and notices repeat without being copies.
MIN_TOKENS = 32
KEYS = 16
#: Tokens in a key's shingle and in a gram; of Chinese and Japanese, whose tokens are characters, see `UNSPACED`.
SHINGLE = 5
GRAM = 2
SHINGLE_UNSPACED = 8
GRAM_UNSPACED = 3
#: Number of tokens before a fact that, with the one after it, are its context; facts among them count as "some fact".
#: In scripts without capitals, only those before it; of Chinese and Japanese, whose tokens are characters, one more.
CONTEXT = 3
SOME_FACT = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)

#: Kinds of characters, and of tokens by their first character.
SEPARATOR, WORD, IDEOGRAPH, MARK = range(4)
OTHER, DIGIT, UPPER, LOWER = range(4)
#: Maximum number of contexts in scripts without capitals.
MAX_FACTS = 2_048
#: Marks after which a sentence begins: a capital letter there makes no name.
SENTENCE_MARKS = ".!?:。！？：\n"
#: Chinese numerals that are seldom anything else.
NUMERALS = "二三四五六七八九十百"
#: Size of the character tables; all code points beyond are treated as rare Han characters.
BEYOND = 0x10000

Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Number = TypeVar("Number", np.uint16, np.uint32)


@pickled_at_once
@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """A text as three sets of hashes.

    `keys` (at most 16, int32): the smallest hashes of its long shingles, by which candidates are looked up. `grams`
    (uint16, sorted): all its short shingles. `facts` (uint32, sorted): each number or name in its context; the hash of
    the context in the upper half, that of the fact in the lower. `script`: in one without capitals, which would tell
    names, each token is a fact.
    """

    keys: NDArray[np.int32]
    grams: NDArray[np.uint16]
    facts: NDArray[np.uint32]
    script: int = CASED

    def to_bytes(self) -> bytes:
        """The stored form: a header, then 4 bytes a key, 4 a fact, 2 a gram."""
        head = HEADER.pack(VERSION + self.script, len(self.keys), len(self.grams), len(self.facts))
        return head + self.keys.tobytes() + self.facts.tobytes() + self.grams.tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Signature | None":
        """The inverse of `to_bytes`; None for another version or damaged bytes."""
        if len(stored) < HEADER.size:
            return None
        version, keys, grams, facts = HEADER.unpack_from(stored)
        facts_at = HEADER.size + 4 * keys
        grams_at = facts_at + 4 * facts
        if not 0 <= version - VERSION <= UNSPACED_SCRIPT or len(stored) != grams_at + 2 * grams:
            return None
        sketch = np.frombuffer(stored, np.int32, keys, HEADER.size)
        parts = np.frombuffer(stored, np.uint16, grams, grams_at), np.frombuffer(stored, np.uint32, facts, facts_at)
        return cls(sketch, *parts, version - VERSION)


def is_copy(text: Signature, original: Signature) -> bool:
    """Whether a text is a copy of an earlier one: it has most of its grams, and the facts don't differ."""
    return shared(text, original) >= MIN_SHARED_GRAMS and not has_other_facts(text, original)


#: The share of a text's grams that one has which only grew.
MIN_CONTAINED = 0.97


def is_version(text: Signature, other: Signature) -> bool:
    """Whether two texts may be one story at two times: one is a copy of the other, and hardly a fact is replaced.

    A name or number that is another one in several places makes another report of the template, however few they are.
    """
    if max(shared(text, other), shared(other, text)) < MIN_SHARED_GRAMS:
        return False
    pairs = (text, other), (other, text)
    if any(_has_grown(*pair) for pair in pairs):
        return True
    return not any(has_other_facts(*pair) or _has_replaced_facts(*pair) for pair in pairs)


def _has_grown(text: Signature, other: Signature) -> bool:
    """Whether all of a text is in the other one, with each of its facts: what was added replaces nothing."""
    return shared(text, other) >= MIN_CONTAINED and bool(np.isin(text.facts, other.facts).all())


#: The share of a story's grams that a cut one has at least: a report that is one of many in a longer page isn't it.
MIN_CUT = 0.2
#: The share of both texts' grams that are the same if only names were replaced, throughout; how many names; and the
#: length of the text in grams from which on that can be told from another report of its template.
MIN_SHARED_IF_RENAMED = 0.9
MAX_RENAMED = 2
MIN_GRAMS_IF_RENAMED = 100


def is_republished(text: Signature, story: Signature) -> bool:
    """Whether a text is that of a story again: as it was, cut, or corrected.

    Not if it has as much other text, for it may quote the story; nor if it is another report of the template.
    """
    in_story, in_text = shared(text, story), shared(story, text)
    if in_text >= MIN_CUT and _has_grown(text, story):
        return True
    common = min(in_story, in_text)
    if common < MIN_SHARED_GRAMS:
        return False
    if not _has_replaced_facts(text, story):
        return True
    return common >= MIN_SHARED_IF_RENAMED and len(text.grams) >= MIN_GRAMS_IF_RENAMED and _is_renamed(text, story)


@lru_cache(maxsize=64)
def shared(text: Signature, original: Signature) -> float:
    """Containment: the share of a text's grams that the original has, less the expected collisions of 16-bit hashes.

    Asked several times for each pair.
    """
    if not len(text.grams):
        return 0.0
    containment = _common(*sorted((text, original), key=id)) / len(text.grams)
    chance = len(original.grams) / HASH_VALUES
    return (containment - chance) / (1 - chance)


@lru_cache(maxsize=64)
def _common(text: Signature, other: Signature) -> int:
    """The number of grams that two texts have in common, which both directions need."""
    return int(np.count_nonzero(_among(text.grams, other.grams)))


def has_other_facts(text: Signature, original: Signature) -> bool:
    """Whether facts often differ in contexts that both have: reports of one template. Additions don't count."""
    if not len(original.facts):
        return False
    in_context, same = _compare_facts(text, original)
    different = np.count_nonzero(in_context & ~same)
    number = np.count_nonzero(in_context)
    if text.script != original.script or different < MIN_DIFFERENT_FACTS:
        return False
    if text.script == UNSPACED_SCRIPT or (text.script and different < MIN_DIFFERENT_SHARE_CASELESS * number):
        return _is_name_replaced(text.facts[in_context & ~same], text.facts[same], original)
    return bool(text.script or different >= MIN_DIFFERENT_SHARE * number)


def _has_replaced_facts(text: Signature, original: Signature) -> bool:
    """Whether more than a few facts differ in contexts that both have, or one is the same other one in several."""
    if not len(original.facts) or text.script != original.script:
        return False
    in_context, same = _compare_facts(text, original)
    different = in_context & ~same
    if np.count_nonzero(different) > MAX_CORRECTED_SHARE * np.count_nonzero(in_context):
        return True
    return _is_name_replaced(text.facts[different], text.facts[same], original)


def _is_renamed(text: Signature, original: Signature) -> bool:
    """Whether hardly more than a few names or numbers were replaced, each by one other throughout."""
    in_context, same = _compare_facts(text, original)
    replaced = _replaced_facts(text.facts[in_context & ~same], text.facts[same], original)
    repeated = [pair for pair, count in replaced.items() if count > 1]
    others = replaced.total() - sum(replaced[pair] for pair in repeated)
    is_few = len(replaced) <= MAX_RENAMED or others <= MAX_CORRECTED_SHARE * np.count_nonzero(in_context)
    return len(repeated) <= MAX_RENAMED and bool(is_few)


def _compare_facts(text: Signature, original: Signature) -> tuple[Flags, Flags]:
    """Which of a text's facts stand in contexts of the original, and which of them are the same there."""
    in_context = _among(text.facts >> np.uint32(16), original.facts >> np.uint32(16))
    same = original.facts.take(np.searchsorted(original.facts, text.facts), mode="clip") == text.facts
    return in_context, same


def _is_name_replaced(different: NDArray[np.uint32], same: NDArray[np.uint32], original: Signature) -> bool:
    """Whether a token of the original is the same other one in several contexts; one of the two is nowhere else."""
    return any(count > 1 for count in _replaced_facts(different, same, original).values())


def _replaced_facts(
    different: NDArray[np.uint32], same: NDArray[np.uint32], original: Signature
) -> Counter[tuple[int, int]]:
    """In how many contexts each token of the original is each other one; one of the two is nowhere else."""
    at = np.searchsorted(original.facts >> np.uint32(16), different >> np.uint32(16))
    before, after = (facts.astype(np.uint16).tolist() for facts in (original.facts[at], different))
    left = set(same.astype(np.uint16).tolist())
    return Counter(pair for pair in zip(before, after, strict=True) if not left.issuperset(pair))


def _among(hashes: NDArray[np.unsignedinteger], others: NDArray[np.unsignedinteger]) -> Flags:
    """Which 16-bit hashes are among the others, by a table of all values; np.isin takes some three times as long."""
    table = np.zeros(HASH_VALUES, np.bool_)
    table[others] = True
    among: Flags = table[hashes]
    return among


def signature_of(text: str) -> Signature | None:
    """The signature of an article's body; None below `MIN_TOKENS`. O(n), bounded by `MAX_CHARACTERS`."""
    hashes, is_fact, is_unspaced, is_caseless = _tokenize(text)
    if len(hashes) < MIN_TOKENS:
        return None
    keys = _shingles(hashes, SHINGLE_UNSPACED if is_unspaced else SHINGLE) >> np.uint64(32)
    grams = _shingles(hashes, GRAM_UNSPACED if is_unspaced else GRAM) >> np.uint64(48)
    smallest = _distinct(keys.astype(np.uint32))[:KEYS]
    script = (UNSPACED_SCRIPT if is_unspaced else CASELESS) if is_caseless else CASED
    facts = _facts_of_all(hashes, CONTEXT + is_unspaced) if is_caseless else _facts(hashes, is_fact)
    return Signature(smallest.view(np.int32), _distinct(grams.astype(np.uint16)), facts, script)


def _tokenize(text: str) -> tuple[Hashes, Flags, bool, bool]:
    """Case-folded hash of each token; which tokens are facts (numbers, names); whether most are single ideographs, and
    whether most words are of scripts without capitals."""
    encoded = text[:MAX_CHARACTERS].encode("utf-32-le", "surrogatepass")
    points = np.minimum(np.frombuffer(encoded, np.uint32), BEYOND)
    kinds, firsts, values = _character_tables()
    kind = kinds[points]
    begins = kind > WORD
    begins[:1] |= kind[:1] == WORD
    begins[1:] |= (kind[1:] == WORD) & (kind[:-1] != WORD)
    starts = begins.nonzero()[0]
    if not len(starts):
        return np.zeros(0, np.uint64), np.zeros(0, np.bool_), False, False
    lengths = np.empty_like(starts)
    lengths[:-1], lengths[-1] = starts[1:] - starts[:-1], len(points) - starts[-1]
    within = np.arange(starts[0], len(points)) - starts.repeat(lengths)  # position of a character in its token
    weights = (2 * within + 1).astype(np.uint64)
    hashes = np.add.reduceat(values[points[starts[0] :]] * weights, starts - starts[0])
    token_kind, first = kind[starts], firsts[points[starts]]
    is_mark = token_kind == MARK
    opens_sentence = np.ones(len(is_mark), np.bool_)
    opens_sentence[1:] = is_mark[:-1]
    is_fact = (first == DIGIT) | ((first == UPPER) & ~opens_sentence)
    is_unspaced = bool(np.count_nonzero(token_kind == IDEOGRAPH) * 2 > len(starts))
    is_caseless = bool(np.count_nonzero((first == OTHER) & ~is_mark) > np.count_nonzero(first >= UPPER))
    return hashes[~is_mark], is_fact[~is_mark], is_unspaced, is_caseless


@cache
def _character_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], Hashes]:
    """For each code point: its kind, the kind of a token that begins with it, its hash (of the lower-case letter)."""
    kinds, firsts = np.zeros((2, BEYOND + 1), np.uint8)
    folded = np.arange(BEYOND + 1, dtype=np.uint64)
    for code, character in enumerate(map(chr, range(BEYOND))):
        if unicodedata.east_asian_width(character) == "F":  # full-width letters, which some sites use within Chinese
            character = unicodedata.normalize("NFKC", character)
        if character.isalnum():
            kinds[code] = WORD
            kind = UPPER * character.isupper() or LOWER * character.islower()
            firsts[code] = DIGIT if character.isdigit() or character in NUMERALS else kind
            lower = character.lower()
            folded[code] = ord(lower) if len(lower) == 1 else code
    for low, high in UNSPACED:
        kinds[low : high + 1] = IDEOGRAPH
    kinds[BEYOND] = IDEOGRAPH
    kinds[[ord(mark) for mark in SENTENCE_MARKS]] = MARK
    return kinds, firsts, np.where(kinds != SEPARATOR, _mix(folded + SOME_FACT), np.uint64(0))


def _shingles(hashes: Hashes, size: int) -> Hashes:
    """A 64-bit hash of each run of `size` tokens: (tokens - size + 1,)."""
    summed = np.zeros(max(len(hashes) - size + 1, 0), np.uint64)
    for offset in range(size):
        summed *= MULTIPLIER
        summed += hashes[offset : offset + len(summed)]
    return _mix(summed)


def _mix(values: Hashes) -> Hashes:
    """A bijection of 64-bit numbers that spreads every bit over the upper half."""
    values = values ^ (values >> np.uint64(29))
    values *= MULTIPLIER
    values ^= values >> np.uint64(32)
    return values


def _facts(hashes: Hashes, is_fact: Flags) -> NDArray[np.uint32]:
    """Each fact with its context as one number, see `Signature.facts`; without those among two or more other facts."""
    plain = np.where(is_fact, SOME_FACT, hashes)
    at = is_fact[CONTEXT : len(hashes) - 1].nonzero()[0] + CONTEXT
    contexts = _mix(_shingles(plain, CONTEXT)[at - CONTEXT] + plain[at + 1])
    facts_before = is_fact[at - 1].astype(int) + is_fact[at - 2] + is_fact[at - 3]
    at, contexts = at[facts_before < 2], contexts[facts_before < 2]
    context = (contexts >> np.uint64(48)).astype(np.uint32)
    fact = (_mix(hashes[at]) >> np.uint64(48)).astype(np.uint32)
    return _distinct(context << np.uint32(16) | fact)


def _facts_of_all(hashes: Hashes, size: int) -> NDArray[np.uint32]:
    """Each token with those before it as its context, those with the smallest hashes of contexts."""
    contexts = _shingles(hashes, size)[:-1] >> np.uint64(48)
    facts = _mix(hashes[size:]) >> np.uint64(48)
    joined: NDArray[np.uint32] = contexts.astype(np.uint32) << np.uint32(16) | facts.astype(np.uint32)
    return _distinct(joined)[:MAX_FACTS]


def _distinct(values: NDArray[Number]) -> NDArray[Number]:
    """The distinct values in ascending order, like np.unique, which takes seven times as long."""
    ordered = values.copy()
    ordered.sort()
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    distinct: NDArray[Number] = ordered[is_first]
    return distinct
