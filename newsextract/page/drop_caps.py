"""Drop caps: the first letter of a text in a block of its own, or an image of it, put before the rest of its word."""

from collections.abc import Mapping
from typing import Any

from turbohtml import Element, Text
from turbohtml.etree import ElementView

from newsextract.page.blocks import Blocks, read_blocks

#: A block of at most so many characters is a drop cap (a letter, perhaps behind a quotation mark) before a text of so
#: many, and of so many in another element.
MAX_CAP = 2
MIN_TEXT = 20
MIN_APART = 40
#: Elements whose single letters are labels: cells, points of lists, buttons.
LABELS = frozenset({"td", "th", "li", "dt", "dd", "button", "label", "caption", "figcaption", "pre"})


def read_joined_blocks(body: ElementView, styled: Mapping[Any, int]) -> Blocks:
    """The blocks below an element, drop caps before the texts they begin. See `read_blocks`."""
    blocks = read_blocks(body, styled)
    return read_blocks(body, styled) if join_drop_caps(blocks) else blocks


def join_drop_caps(blocks: Blocks) -> bool:
    """Moves drop caps of the page to the texts they begin; returns whether there were any.

    A capital in an element of its own is the beginning of the next text if that begins with a small letter, or with
    capitals in the same element; a letter of a script without capitals only if it stands in the same element.
    """
    has_changed = False
    lengths = blocks.lengths
    for row in ((lengths[:-1] <= MAX_CAP) & (lengths[1:] >= MIN_TEXT)).nonzero()[0].tolist():
        cap, rest = _texts_of(blocks, row), _texts_of(blocks, row + 1)
        if len(cap) == 1 and rest and _begins(blocks, row):
            rest[0].data = cap[0].data.strip() + rest[0].data
            cap[0].data = ""
            has_changed = True
    for row in ((blocks.markup[:, 1] > 0) & (lengths >= MIN_TEXT)).nonzero()[0].tolist():
        rest = _texts_of(blocks, row)
        image = rest[0].previous_sibling if rest and blocks.texts[row][0].islower() else None
        letter = _letter_of(image) if isinstance(image, Element) and rest[0].data[:1].islower() else ""
        if letter:
            rest[0].data = letter + rest[0].data
            has_changed = True
    return has_changed


def _texts_of(blocks: Blocks, row: int) -> list[Text]:
    """The text nodes of a block."""
    nodes = blocks.text_nodes[row] or blocks.nodes[blocks.element_list[row]].children
    return [node for node in nodes if isinstance(node, Text)]


def _begins(blocks: Blocks, row: int) -> bool:
    """Whether a block is the first letter of the next one."""
    cap, text = blocks.texts[row][-1], blocks.texts[row + 1]
    first, second = blocks.element_list[row : row + 2]
    if not cap.isalpha() or not text[0].isalpha() or blocks.element_tags[first] in LABELS or cap.islower():
        return False
    parents = blocks.parent_list
    if second == parents[first]:  # the letter is within the element of the text
        return text[0].islower() or not cap.isupper() or text.split(maxsplit=1)[0].isupper()
    is_beside = first == second or parents[first] == parents[second]
    return is_beside and first != second and cap.isupper() and text[0].islower() and len(text) >= MIN_APART


def _letter_of(image: Element) -> str:
    """The capital that an image, or the one in an element without text, shows by its `alt`."""
    shown = image if image.tag == "img" else next(image.iter_elements("img"), None)
    letter: Any = shown.attr("alt") if shown is not None and not image.text.strip() else None
    return letter if letter and len(letter) == 1 and letter.isupper() else ""
