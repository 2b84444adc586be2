"""Drop caps: the first letter of a text in a block of its own, or an image of it, put before the rest of its word."""

from collections.abc import Mapping
from typing import Any
from unicodedata import category

from turbohtml import Element, Text
from turbohtml.etree import ElementView

from newsextract.page.blocks import Blocks, read_blocks
from newsextract.page.walk import short_text

#: A block of at most so many characters is a drop cap (a letter, perhaps behind a quotation mark) before a text of so
#: many, and of so many in another element.
MAX_CAP = 2
MIN_TEXT = 20
MIN_APART = 40
#: Attributes that name what an image shows.
NAMES = ("alt", "title", "aria-label")
#: Cells, in a table of one row no labels. Elements whose single letters are labels: cells, points of lists, buttons.
CELLS = frozenset({"td", "th"})
LABELS = CELLS | frozenset({"li", "dt", "dd", "button", "label", "caption", "figcaption", "pre"})


def read_joined_blocks(body: ElementView, styled: Mapping[Any, int]) -> Blocks:
    """The blocks below an element, drop caps before the texts they begin. See `read_blocks`."""
    blocks = read_blocks(body, styled)
    return read_blocks(body, styled) if join_drop_caps(blocks) else blocks


def join_drop_caps(blocks: Blocks) -> bool:
    """Moves drop caps of the page to the texts they begin; returns whether there were any.

    A capital in an element of its own is the beginning of the next text if that begins with a small letter or a vowel
    sign, or with capitals in the same element; a letter of a script without capitals also stands in the same element.
    """
    has_changed = False
    texts, lengths = blocks.texts, blocks.lengths
    is_text = lengths >= MIN_TEXT
    for row in ((lengths[:-1] <= MAX_CAP) & is_text[1:]).nonzero()[0].tolist():
        cap, rest = _texts_of(blocks, row), _texts_of(blocks, row + 1)
        if len(cap) == 1 and rest and _begins(blocks, row):
            rest[0].data = cap[0].data.strip() + rest[0].data
            cap[0].data = ""
            has_changed = True
    for row in is_text.nonzero()[0].tolist():
        if texts[row][0] > "Z" and not texts[row][0].isupper():  # few are: small letters, and those of other scripts
            rest = _texts_of(blocks, row)
            image = rest[0].previous_sibling if rest else None
            letter = _letter_of(image) if isinstance(image, Element) and _goes_on(rest[0].data.lstrip()) else ""
            if letter:
                line, text = rest[0].data, rest[0].data.lstrip()
                is_word = text != line and "\n" not in line[: -len(text)]  # what begins a line of the source is joined
                rest[0].data = letter + (line if is_word else text)
                has_changed = True
    return has_changed


def _texts_of(blocks: Blocks, row: int) -> list[Text]:
    """The text nodes of a block."""
    nodes = blocks.text_nodes[row] or blocks.nodes[blocks.element_list[row]].children
    return [node for node in nodes if isinstance(node, Text)]


def _begins(blocks: Blocks, row: int) -> bool:
    """Whether a block is the first letter of the next one."""
    cap, text = next(filter(str.isalpha, reversed(blocks.texts[row])), ""), blocks.texts[row + 1]
    first, second = blocks.element_list[row : row + 2]
    tag = blocks.element_tags[first]
    is_label = tag in LABELS and not (tag in CELLS and _is_only_row(blocks.nodes[first].parent))
    if is_label or not _is_capital(cap):
        return False
    parents = blocks.parent_list
    if second == parents[first]:  # the letter is within the element of the text
        return _goes_on(text) or (text[0].isalpha() and (not cap.isupper() or text.split(maxsplit=1)[0].isupper()))
    is_beside = first == second or parents[first] == parents[second]
    is_rest = text[0].islower() if category(cap) != "Lo" else category(text[0])[0] == "M"
    return is_beside and first != second and is_rest and len(text) >= MIN_APART


def _is_capital(letter: str) -> bool:
    """Whether a word of a text may begin with a letter: a capital, or one of a script without them."""
    return letter.isalpha() and letter == letter.title()


def _goes_on(text: str) -> bool:
    """Whether a text may continue a word: it begins with a small letter, a sign, or a letter of a caseless script."""
    letter = text[:1]
    return bool(letter) and (letter.islower() or category(letter) in ("Lo", "Mn", "Mc"))


def _is_only_row(row: Any) -> bool:
    """Whether a row of a table is its only one, so that the table lays out a text: white space may stand beside it."""
    around = getattr(row, "parent", None)
    return around is not None and len(around) <= 3 and sum(type(node) is Element for node in around.children) == 1


def _letter_of(image: Element) -> str:
    """The capital, perhaps behind a quotation mark, that an image, or one in a small element, is named by."""
    text = short_text(image)
    if text is None:
        return ""
    parts = [image, *image.iter_elements()]
    names = {letter for part in parts for name in NAMES if (letter := part.attr(name))}
    if letters := "".join(text.split()):
        if all(part.tag != "svg" for part in parts):
            return ""
        names |= {letters} - {2 * name for name in names}  # a title and a text
    letter = names.pop() if len(names) == 1 else ""
    return letter if _is_capital(letter[-1:]) and not any(map(str.isalnum, letter[:-1])) else ""
