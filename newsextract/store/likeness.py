"""Whether two texts are the same article, for the one question that a key alone can't answer."""

import re

#: Words of writing with spaces; single characters of writing without.
TOKEN = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|[^\W_぀-ヿ㐀-鿿豈-﫿]+")
#: Below this share of common token pairs two bodies are two articles.
SAME_BODY = 0.5


def overlap(one: str, other: str) -> float | None:
    """The share of the shorter text's neighbouring token pairs that the other has too; None where either has no text.

    Pairs, because two articles of one language share most of their frequent words but hardly a tenth of the pairs; of
    the shorter, because a story that grows through the day stays the same.
    """
    first, second = _pairs(one), _pairs(other)
    if not first or not second:
        return None
    return len(first & second) / min(len(first), len(second))


def is_other_body(one: str, other: str) -> bool:
    """Whether these are two articles; a missing text proves nothing."""
    shared = overlap(one, other)
    return shared is not None and shared < SAME_BODY


def _pairs(text: str) -> set[tuple[str, str]]:
    tokens = TOKEN.findall(text.casefold())
    return set(zip(tokens, tokens[1:] or tokens, strict=False))
