"""Text of a page as a report prints it: control and bidirectional formatting characters are made visible."""

from collections.abc import Iterable

#: Characters printed of a block or field; a page may hold megabytes in one.
MAX_LENGTH = 4_000


def _code_points(*spans: Iterable[int]) -> dict[int, str]:
    return {code: f"⟨U+{code:04X}⟩" for span in spans for code in span}


#: C0 controls but tab and newline, DEL and C1; bidirectional embeddings, overrides and isolates, which could also end
#: those of the report.
REPLACED = _code_points(range(9), range(0xB, 0x20), range(0x7F, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A))


def visible_text(text: str) -> str:
    """The text with control characters as their code points, cut at MAX_LENGTH."""
    excess = len(text) - MAX_LENGTH
    cut = text if excess <= 0 else f"{text[:MAX_LENGTH]} … ({excess} more characters)"
    return cut.translate(REPLACED)


def format_number(value: float) -> str:
    """A value with three significant digits, without trailing zeros."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
