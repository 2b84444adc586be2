"""Chinese names: bylines of reporters, authors and editors, and which characters can be a personal name.

Chinese has no capitals or spaces, so a name is recognised by its label and length, and without a label by its surname:
nine out of ten people share about a hundred surnames.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from newsextract.files import package_data
from newsextract.text import HAN, SHORT_LINE, character_class

HAN_CLASS = character_class(HAN)
WORDS = package_data("newsextract.language", "chinese_names.toml")
#: Common surnames, and those that also begin words: they count only after a label.
SURNAMES = frozenset(WORDS["surnames"])
AMBIGUOUS_SURNAMES = frozenset(WORDS["ambiguous_surnames"])
DOUBLE_SURNAMES = tuple(WORDS["double_surnames"])
#: Labels of publishing systems in the places of names.
PUBLISHING_WORDS = re.compile("|".join(WORDS["publishing_words"]))
#: A label of authorship and what follows it.
AUTHOR_LABEL = re.compile(
    r"(?:记者|記者|通讯员|通訊員|实习生|實習生|作者|撰文|特约评论员|文字|(?:^|[\s丨|｜])文(?=[\s:：/／|｜丨]))"
    r"(?P<colon>\s*[:：/／|｜丨]\s*|\s*)"
    r"(?P<rest>[^。！？；;\n)）\]】]{2,40})"
)
#: "Name/文": the label follows the name.
LABEL_BEHIND = re.compile(rf"([{HAN_CLASS}]{{2,3}})\s*[/／]\s*(?:文|撰文|记者|報導)")
EDITOR_LABEL = re.compile(rf"(?:责任编辑|責任編輯|责编|编辑|編輯)\s*[:：]\s*(?P<rest>[{HAN_CLASS}、，,\s]{{2,16}})")
IN_BRACKETS = re.compile(rf"[（(]\s*([{HAN_CLASS}]{{2,3}})\s*(?:\s[{HAN_CLASS}]{{2,4}}报道)?[)）]\s*$")
SEPARATORS = re.compile(r"[、，,/／\s|｜和]+")
#: What may follow a name directly.
SUFFIX = re.compile(r"(?:综合|摄影|现场|实习)?(?:报道|報導|整理|编译|摄|发自.*|文|通讯员|记者)$|[（(\[【].*")
#: A text, and what says whether it belongs to the article, which is asked only of one with a label.
Line = tuple[str, Callable[[], bool]]


def authors_in(lines: Iterable[Line]) -> Iterator[list[str]]:
    """The labelled reporters or authors in each text; those of successive short texts together."""
    group: list[str] = []
    for text, is_own in lines:
        names = _labelled_names(text)
        if not (names or group) or not is_own():
            continue
        if group and not (names and len(text) < SHORT_LINE):
            yield group
            group = []
        group += names
    if group:
        yield group


def _labelled_names(text: str) -> list[str]:
    """The labelled names at the beginning or the end of a text."""
    for end in (text,) if len(text) <= 2 * SHORT_LINE else (text[:SHORT_LINE], text[-SHORT_LINE:]):
        for match in AUTHOR_LABEL.finditer(end):
            if names := leading_names(match["rest"], pen_name=bool(match["colon"].strip())):
                return names
        if behind := LABEL_BEHIND.search(end):
            return [behind[1]]
    return []


def editors_in(lines: Iterable[Line]) -> Iterator[list[str]]:
    for text, is_own in lines:
        match = EDITOR_LABEL.search(text[-SHORT_LINE:])
        if match and (names := leading_names(match["rest"], pen_name=True)) and is_own():
            yield names


def unlabelled_names(head: Sequence[str], last: str) -> Iterator[list[str]]:
    """Names without a label: alone in a block below the headline, or in brackets at the very end of the text."""
    for text in head:
        parts = [part for part in SEPARATORS.split(text) if part]
        is_byline = len(text) < SHORT_LINE and 0 < len(parts) <= 4
        if is_byline and all(is_name(part, labelled=i > 0) for i, part in enumerate(parts)):
            yield parts
    if (match := IN_BRACKETS.search(last[-SHORT_LINE:])) and is_name(match[1]):
        yield [match[1]]


def leading_names(text: str, *, pen_name: bool = False) -> list[str]:
    """The names at the beginning of a text; with `pen_name`, the first may be any short word."""
    names: list[str] = []
    for part in SEPARATORS.split(text.strip()):
        name = SUFFIX.sub("", part)
        if not is_name(name, labelled=True) and not (pen_name and not names and _is_pen_name(name)):
            break
        names.append(name)
    return names


def is_name(text: str, *, labelled: bool = False) -> bool:
    """Whether a text of two or three characters (four with a double surname) can be a personal name."""
    if not re.fullmatch(rf"[{HAN_CLASS}]{{2,4}}", text) or PUBLISHING_WORDS.fullmatch(text):
        return False
    if text.startswith(DOUBLE_SURNAMES):
        return len(text) > 2
    return len(text) < 4 and (text[0] in SURNAMES or (labelled and text[0] in AMBIGUOUS_SURNAMES))


def _is_pen_name(name: str) -> bool:
    is_word = re.fullmatch(rf"[{HAN_CLASS}]{{2,6}}|[A-Za-z][\w.]{{1,20}}", name) is not None
    return is_word and not PUBLISHING_WORDS.fullmatch(name)
