"""What the store keeps of an article's text to know a copy of it again, and the rule by which one text is a copy.

A signature is made by `newsextract.export.signature_of`, in a worker, which knows no database; the store keeps and
compares it. Two texts are compared only where they share a key, so a rule that is exact may cost a little. Two
signatures of one version alone can be compared.
"""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The first byte of every kept signature; another number means that old and new ones can't be compared.
VERSION = 1
HEADER = struct.Struct("<BBHH")
#: How many different values a hash of a gram, a context or a fact has.
VALUES = 1 << 16

#: A copy has this share of its grams in the original. A text of which a third is new still is one (a tail that the
#: original lacked, a box, another lead); two stories put together are not.
SHARED = 0.65
#: Two texts of one template say other things in the same places: this share of the facts is other, and this many.
OTHER_FACTS = 0.32
FEWEST_FACTS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """A text as three sets of hashes.

    `keys` (at most 16, int32): the smallest hashes of its long shingles, under which the text is looked up. `grams`
    (uint16, sorted): all its short shingles. `facts` (uint32, sorted): each number or name in its place, the words
    before it in the upper half and the fact itself in the lower.
    """

    keys: NDArray[np.int32]
    grams: NDArray[np.uint16]
    facts: NDArray[np.uint32]

    def to_bytes(self) -> bytes:
        """As it is kept: 2 bytes a gram, 4 a fact, 4 a key."""
        head = HEADER.pack(VERSION, len(self.keys), len(self.grams), len(self.facts))
        return head + self.keys.tobytes() + self.facts.tobytes() + self.grams.tobytes()

    @classmethod
    def from_bytes(cls, kept: bytes) -> "Signature | None":
        """The inverse; None for one of another version, or that is damaged."""
        if len(kept) < HEADER.size:
            return None
        version, keys, grams, facts = HEADER.unpack_from(kept)
        if version != VERSION or len(kept) != HEADER.size + 4 * keys + 4 * facts + 2 * grams:
            return None
        parts: list[NDArray[Any]] = []
        offset = HEADER.size
        for kind, count in ((np.int32, keys), (np.uint32, facts), (np.uint16, grams)):
            parts.append(np.frombuffer(kept, kind, count, offset))
            offset += parts[-1].nbytes
        return cls(parts[0], parts[2], parts[1])


def is_copy(text: Signature, original: Signature) -> bool:
    """Whether a text says what an earlier one has said already: its words are there, and its facts are not others."""
    return shared(text, original) >= SHARED and not has_other_facts(text, original)


def shared(text: Signature, original: Signature) -> float:
    """The share of a text's grams that the original has too, less what 16 bits make equal by chance."""
    if not len(text.grams):
        return 0.0
    found = np.isin(text.grams, original.grams, assume_unique=True, kind="sort").mean()
    chance = len(original.grams) / VALUES
    return float((found - chance) / (1 - chance))


def has_other_facts(text: Signature, original: Signature) -> bool:
    """Whether the two are one template: where both have a fact behind the same words, it is often another one.

    What only one of them has, a lead, a tail, a box, says nothing here: its words are not in the other.
    """
    places = np.isin(text.facts >> 16, original.facts >> 16)
    same = np.isin(text.facts, original.facts, assume_unique=True)
    other = int((places & ~same).sum())
    return other >= FEWEST_FACTS and other >= OTHER_FACTS * int(places.sum())
