"""JSON as it occurs in pages: valid JSON by the standard library, broken JSON as far as it can be understood.

The reader of broken JSON takes unescaped quotes, missing and superfluous commas and brackets, comments, single quotes,
names without quotes and several values in a row; of a text that ends in the middle, what is complete. It looks at each
character a bounded number of times. (json_repair 0.64 needs 10 µs a character on hostile texts, keeps the last of
several values and a half of a string that ends too early.)
"""

import html
import json
import re
from typing import Any

#: Reads JSON with control characters in strings, too.
DECODER = json.JSONDecoder(strict=False)
#: Limits of the data of a page: characters, values, levels of nesting, places that can't be understood.
MAX_CHARACTERS = 6_000_000
MAX_VALUES = 400_000
MAX_DEPTH = 120
MAX_JUNK = 500
ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|.))", re.S)
CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "", "\n": "", "\r\n": ""}
#: Surrogate pairs, which JavaScript writes as two escapes, and lone halves, which no text may contain.
PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
HALF = re.compile("[\ud800-\udfff]")
#: White space, commas and comments; the marks of CDATA and of HTML comments around a script.
BLANK = re.compile(r"(?:[\s,;\ufeff]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|<!--|-->|<!\[CDATA\[|\]\]>)*+")
#: A member's name with its colon.
NAME = re.compile(r"""(?:"([^"\\\n]{0,200}+)"|'([^'\\\n]{0,200}+)'|([A-Za-z_@$][\w$@-]{0,100}+))\s*+:""")
#: A string ends at a quote before what may follow a value: in an object the next member or the end, in a list the next
#: value or the end.
MEMBER = r"""(?:["'][^"'\\\n]{0,200}["']|[A-Za-z_@$][\w$@-]{0,100})\s*+:"""
ENDS = {
    "}": rf"\s*+(?:[}}\]]|$|//|/\*|[,;]\s*+(?:[,}}\]]|$|//|/\*|{MEMBER})|{MEMBER})",
    "]": r"""\s*+(?:[}\]]|$|//|/\*|,\s*+(?:["'{\[\]}\d-]|true|false|null|$|//|/\*)|["'{\[])""",
}
STRINGS = {
    (quote, closing): re.compile(rf"{quote}((?:[^{quote}\\]++|\\.|{quote}(?!{end}))*+){quote}", re.S)
    for quote in "\"'"
    for closing, end in ENDS.items()
}
WORD = re.compile(r"[^\s,\[\]{}\"':]++")
CONSTANTS = {"true": True, "false": False}
#: Members of an article that stand in one of its persons, organisations or pictures if a brace is missing before them.
ARTICLE_MEMBERS = frozenset(
    "headline datePublished dateModified articleBody articleSection mainEntityOfPage publisher author keywords".split()
)
OWNED = frozenset({"Person", "Organization", "NewsMediaOrganization", "ImageObject", "WebPage"})


def read(text: str) -> Any:
    """The value of a text, repaired if it is invalid; of several values in a row, a list; None if there is none."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return _Reader(text).all()


def unescape(literal: str) -> str:
    """The text of a quoted string literal, with JSON's and JavaScript's escapes; invalid ones stay."""
    inner = literal[1:-1]
    if "\\" not in inner:
        return inner
    return joined_surrogates(ESCAPE.sub(_unescaped, inner))


def joined_surrogates(text: str) -> str:
    """The text with surrogate pairs as one character, and halves of pairs as U+FFFD."""
    if not HALF.search(text):
        return text
    paired = PAIR.sub(lambda m: (m[1] + m[2]).encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return HALF.sub("\ufffd", paired)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        point = int(code, 16)
        return chr(point) if point < 0x110000 else "\ufffd"
    return CONTROL.get(match[4], match[4])


class _Reader:
    """Recursive descent over a broken text. `end`: where the last token read ends."""

    def __init__(self, text: str) -> None:
        self.text = html.unescape(text) if text.count("&quot;") > text.count('"') else text
        self.end = self.junk = 0
        self.lacks_braces = self.text.count("{") > self.text.count("}")

    def all(self) -> Any:
        """The values of the text."""
        values: list[Any] = []
        while (mark := self.mark()) and self.junk < MAX_JUNK:
            if mark in "{[":
                values.append(self.value(0))
            elif values and isinstance(values[-1], dict) and NAME.match(self.text, self.end):
                self.members(values[-1], 0)  # a brace too many had closed the object
            else:
                self.end += 1
                self.junk += mark not in "}]"
        values = [value for value in values if value not in ({}, [])]
        return values[0] if len(values) == 1 else values or None

    def mark(self) -> str:
        """The first character of the next token, which stays; "" at the end."""
        match = BLANK.match(self.text, self.end)
        self.end = match.end() if match else self.end
        return self.text[self.end : self.end + 1]

    def value(self, depth: int, closing: str = "]") -> Any:
        """The value that begins here, within an object or a list; None for what isn't one."""
        mark = self.mark()
        if mark and mark in "\"'":
            match = STRINGS[mark, closing].match(self.text, self.end)
            self.end = match.end() if match else len(self.text)
            return unescape(match[0]).strip("\"'" if match[1][:1] == match[1][-1:] == mark else "") if match else None
        if mark and mark in "{[" and depth < MAX_DEPTH:
            self.end += 1
            return self.members({}, depth + 1) if mark == "{" else self.elements(depth + 1)
        match = WORD.match(self.text, self.end)
        if match is None:
            self.junk += 1
            return None
        self.end = match.end()
        try:
            return (
                CONSTANTS[match[0]] if match[0] in CONSTANTS else float(match[0]) if "." in match[0] else int(match[0])
            )
        except ValueError:
            return None

    def members(self, values: dict[str, Any], depth: int) -> dict[str, Any]:
        """The members of an object up to its brace, to a bracket of the list around it, or to what isn't a member."""
        while (mark := self.mark()) and self.junk < MAX_JUNK:
            if mark == "}":
                self.end += 1
                break
            if match := NAME.match(self.text, self.end):
                name = match[1] or match[2] or match[3] or ""
                if self.lacks_braces and name in ARTICLE_MEMBERS and str(values.get("@type")) in OWNED:
                    break
                self.end = match.end()
                value = self.value(depth, "}")
                if value is not None:
                    values[name] = value
            elif mark == "]":
                break
            else:
                self.end += 1
                self.junk += 1
        return values

    def elements(self, depth: int) -> list[Any]:
        """The elements of a list up to its bracket, or to the brace of the object around it."""
        values: list[Any] = []
        while (mark := self.mark()) and self.junk < MAX_JUNK:
            if mark == "]":
                self.end += 1
                break
            if mark == "}" or (mark in "\"'" and NAME.match(self.text, self.end)):
                break
            start, value = self.end, self.value(depth)
            self.end = max(self.end, start + 1)
            if value is not None:
                values.append(value)
        return values
