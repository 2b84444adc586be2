"""Text of a page as a report shows it: what would be invisible or would turn other text around is made visible."""

from collections.abc import Iterable

#: Characters of a block or field that are shown; a page may hold megabytes in one.
LONGEST = 4_000


def _named(*spans: Iterable[int]) -> dict[int, str]:
    return {code: f"⟨U+{code:04X}⟩" for span in spans for code in span}


#: C0 without tab and newline, DEL and C1; overrides, embeddings and isolates of direction, which also end our own.
NAMED = _named(range(9), range(0xB, 0x20), range(0x7F, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A))


def shown(text: str) -> str:
    """The text with control characters by their names, cut at LONGEST."""
    more = len(text) - LONGEST
    cut = text if more <= 0 else f"{text[:LONGEST]} … ({more} more characters)"
    return cut.translate(NAMED)


def number(value: float) -> str:
    """A value to three digits, without trailing noughts."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
