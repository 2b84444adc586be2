"""JavaScript literals: objects, lists and strings in scripts, read as JSON values and never executed.

The standard library reads JSON. A small parser reads the rest (names without quotes, single quotes, `\\x3C`, `!0`,
`void 0`, names of parameters); expressions that would have to be computed give None. chompjs returns names as strings,
so that parameters can't be replaced, and refuses `\\x` escapes.
"""

import json
import re
from collections.abc import Mapping
from typing import TypeAlias

from newsextract.page.json_text import DECODER, MAX_DEPTH, MAX_VALUES, unescape

#: A JSON value.
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | None"
#: Minimum characters of data or code that may have an article.
MIN_LITERAL = 150
#: Number of tokens of a literal that may be code, and their share of all.
MAX_CODE = 150
CODE_SHARE = 0.2
TOKEN = re.compile(
    r"""(?:[\s;]++|//[^\n]*+|/\*.*?\*/)*+
    (?:(?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`\\]*(?:\\.[^`\\]*)*`)
    |(?P<number>(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)n?)
    |(?P<name>[^\W\d][\w$]*|\$[\w$]*)
    |(?P<mark>=>|[^\s]))""",
    re.S | re.X,
)
CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None}
CLOSING = {"{": "}", "[": "]", "(": ")"}


class LiteralError(ValueError):
    """The text at a position can't be read as a literal."""


def read_value(text: str, position: int, names: Mapping[str, Json] | None = None) -> tuple[Json, int]:
    """The value that begins at a position, and where it ends. `names`: the parameters in scope. Raises LiteralError."""
    if not names:
        try:
            return DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            pass
    parser = _Parser(text, position, names or {})
    try:
        return parser.value(0), parser.end
    except RecursionError as error:
        raise LiteralError("nested too deeply") from error


def read_json(text: str) -> Json:
    """The value of a text that is JSON as a whole, or None."""
    try:
        value: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value


class _Parser:
    """Recursive descent over the tokens of one literal. `end`: where the last token read ends."""

    def __init__(self, text: str, position: int, names: Mapping[str, Json]) -> None:
        self.text, self.end, self.names = text, position, names
        self.count = self.code = 0  # tokens read, tokens skipped because they are code
        self.kind, self.token = "", ""
        self.ahead = False

    def next(self) -> str:
        """Reads the next token: its text, with its kind in `kind`. Raises LiteralError at the end of the text."""
        if self.ahead:
            self.ahead = False
            return self.token
        match = TOKEN.match(self.text, self.end)
        self.count += 1
        if match is None or self.count > MAX_VALUES:
            raise LiteralError(f"no literal at {self.end}")
        self.end = match.end()
        self.kind = match.lastgroup or ""
        self.token = match[self.kind]
        return self.token

    def peek(self) -> str:
        """The next token, which `next` will return again."""
        token = self.next()
        self.ahead = True
        return token

    def value(self, depth: int) -> Json:
        if depth > MAX_DEPTH:
            raise LiteralError("nested too deeply")
        token = self.next()
        if self.kind == "string":
            return unescape(token)
        if self.kind == "number":
            return _number(token)
        if token == "{":
            return self.object(depth)
        if token == "[":
            return self.members(depth, "]")
        if token == "(":
            value = self.value(depth + 1)
            self.skip_to(")")
            return value
        if token in ("!", "-", "+", "void"):
            value = self.value(depth + 1)
            return (not value) if token == "!" else None if token == "void" or value is None else value
        if self.kind == "name":
            return self.named(token, depth)
        raise LiteralError(f"no literal: {token!r}")

    def object(self, depth: int) -> dict[str, Json]:
        """The members of an object whose brace is read."""
        members: dict[str, Json] = {}
        while (token := self.next()) != "}":
            if token == ",":
                continue
            if self.kind not in ("string", "number", "name"):
                raise LiteralError(f"no member: {token!r}")
            name = unescape(token) if self.kind == "string" else token
            separator = self.next()
            if separator == ":":
                members[name] = self.element(depth, "}")
            elif separator in ",}":  # {a, b}: values of these names
                members[name] = self.names.get(name)
                self.ahead = True
            else:  # a method
                self.ahead = True
                self.skip_element("}")
        return members

    def members(self, depth: int, closing: str) -> list[Json]:
        """The members of a list, or the arguments of a call, whose bracket is read; holes are None."""
        members: list[Json] = []
        while (token := self.peek()) != closing:
            if token == ",":
                members.append(None)
                self.next()
                continue
            members.append(self.element(depth, closing))
            if self.peek() == ",":
                self.next()
        self.next()
        return members

    def element(self, depth: int, closing: str) -> Json:
        """A member's value; None for an expression, which is skipped up to the following comma or bracket."""
        try:
            value = self.value(depth + 1)
        except LiteralError:
            if depth >= MAX_DEPTH:
                raise
            value, self.ahead = None, True
            self.skip()
        if self.peek() not in (",", closing):
            value = None
            self.skip_element(closing)
        return value

    def skip(self) -> None:
        """Counts a token as code. Raises LiteralError if there is too much."""
        self.code += 1
        if self.code > MAX_CODE + CODE_SHARE * self.count or self.count > MAX_VALUES:
            raise LiteralError("code, not data")

    def skip_element(self, closing: str) -> None:
        """Skip up to the next comma or closing bracket of this level."""
        expected: list[str] = []
        while (token := self.next()) not in (closing, ",") or expected:
            self.skip()
            if self.kind == "mark" and token in CLOSING:
                expected.append(CLOSING[token])
            elif expected and token == expected[-1]:
                expected.pop()
        self.ahead = True

    def skip_to(self, closing: str) -> None:
        """Skip the rest of a bracket, with its closing one."""
        while self.next() != closing:
            self.ahead = True
            self.skip_element(closing)
            if self.next() == closing:
                return

    def named(self, name: str, depth: int) -> Json:
        """The value of a name: constant, parameter, a call's first argument (`new Date(...)`), parsed JSON."""
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name == "function":
            raise LiteralError("a function")
        while self.peek() == "." or self.kind == "name":
            name = self.next()
        if self.peek() != "(":
            return None
        self.next()
        value = next(iter(self.members(depth + 1, ")")), None)
        return read_json(value) if name == "parse" and isinstance(value, str) else value


def _number(token: str) -> float | int | None:
    try:
        return int(token, 16) if token[:2] in ("0x", "0X") else int(token)
    except ValueError:
        try:
            return float(token)
        except ValueError:
            return None
