"""React Flight: the rows that Next.js pushes to `self.__next_f`, joined, parsed, and their references resolved.

A row is `id:payload`, ended by a line feed, or `id:Tlength,text` of that many bytes of UTF-8. A payload is JSON, behind
a letter for imports, hints and errors. In it `["$", type, key, props]` is an element and `"$id"` the value of another
row (React, packages/react-client/src/ReactFlightClient.js). nextflight and njsparser were tried: the first guesses
among 3,000 lines of heuristics, the second requires a JavaScript engine.
"""

import re
from html import escape
from typing import Any

from newsextract.page.data.javascript import read_json
from newsextract.page.data.prose import balanced
from newsextract.page.walk import VOID

#: Rows of one page, and how often one row is put in the place of references to it.
MAX_ROWS, MAX_USES = 20_000, 3
ROW = re.compile(rb"([0-9a-fA-F]*):")
#: Letters before a payload that is no data: imports, hints, errors, debugging, streams.
IGNORED = frozenset(b"IHEDWRrXxCPN")
#: Levels of elements that are resolved and rendered, and pieces of HTML.
MAX_DEPTH, MAX_PIECES = 400, 200_000
TAG = re.compile(r"[a-z][a-z0-9]*$")
#: Elements that show nothing; properties of elements that are attributes of HTML.
UNRENDERED = frozenset("script style noscript template svg iframe link meta title head button input select".split())
ATTRIBUTES = {"className": "class", "id": "id", "href": "href", "role": "role"}
REFERENCE = re.compile(r"\$[L@QWihFT]?([0-9a-fA-F]+)((?::[^:]+)*)$")


def read_rows(chunks: str) -> dict[str, Any]:
    """Id -> value of each row; rows that are broken are left out."""
    data = chunks.encode("utf-8", "replace")
    rows: dict[str, Any] = {}
    position = 0
    while position < len(data) and len(rows) < MAX_ROWS:
        match = ROW.match(data, position)
        if match is None:
            position = _next_line(data, position)
            continue
        name, start = match[1].decode(), match.end()
        if data[start : start + 1] == b"T":
            comma = data.find(b",", start, start + 20)
            length = _hexadecimal(data[start + 1 : comma]) if comma > 0 else None
            if length is not None:
                position = comma + 1 + length
                rows[name] = data[comma + 1 : position].decode("utf-8", "replace")
                continue
        position = _next_line(data, start)
        payload = data[start:position].strip()
        if payload and payload[0] not in IGNORED:
            value = read_json(payload.decode("utf-8", "replace"))
            if value is not None:
                rows[name] = value
    return rows


def resolve(rows: dict[str, Any]) -> list[Any]:
    """The values of the rows that no other row refers to, with the rows they refer to in place of the references.

    A row is used at most MAX_USES times and never within itself.
    """
    resolver = _Resolver(rows)
    roots = [name for name in rows if name == "0"] + [name for name in rows if name != "0"]
    return [resolver.root(name) for name in roots if name not in resolver.uses]


class _Resolver:
    """`uses`: how often each row was used."""

    def __init__(self, rows: dict[str, Any]) -> None:
        self.rows = rows
        self.uses: dict[str, int] = {}
        self.open: set[str] = set()

    def root(self, name: str) -> Any:
        self.uses[name] = 1
        self.open = {name}
        return self.value(self.rows[name])

    def value(self, value: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            return None
        if isinstance(value, str):
            return self.text(value, depth) if value[:1] == "$" else value
        if isinstance(value, list):
            return [self.value(member, depth + 1) for member in value]
        if isinstance(value, dict):
            return {name: self.value(member, depth + 1) for name, member in value.items()}
        return value

    def text(self, text: str, depth: int) -> Any:
        """The value of a string that begins with `$`."""
        if text[1:2] == "$":
            return text[1:]
        match = REFERENCE.match(text)
        if match is None:
            return text if text == "$" else None if text in ("$undefined", "$NaN") else text[2:]
        name = match[1]
        if name not in self.rows or name in self.open or self.uses.get(name, 0) >= MAX_USES:
            return None
        self.uses[name] = self.uses.get(name, 0) + 1
        self.open.add(name)
        value = self.rows[name]
        for step in filter(None, match[2].split(":")):
            value = _member(value, step)
        value = self.value(value, depth + 1)
        self.open.discard(name)
        return value


def _member(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list):
        if len(value) == 4 and value[0] == "$" and step == "props":
            return value[3]
        if step.isdigit() and int(step) < len(value):
            return value[int(step)]
    return None


def _next_line(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return len(data) if end < 0 else end + 1


def _hexadecimal(digits: bytes) -> int | None:
    try:
        return int(digits, 16)
    except ValueError:
        return None


def render(values: list[Any]) -> str:
    """The elements of rows as HTML, as React renders them: tags, classes, links and text; no data of components."""
    out: list[str] = []
    _render(values, out, 0, False)
    return "".join(out)


def _render(value: Any, out: list[str], depth: int, is_shown: bool) -> None:
    """Draw the elements of a value; strings only where they are shown, as children of an element."""
    if isinstance(value, str):
        if is_shown:
            out.append(escape(value, quote=False))
    elif depth > MAX_DEPTH or len(out) > MAX_PIECES:
        return
    elif isinstance(value, dict):
        for member in value.values():
            if isinstance(member, dict | list):
                _render(member, out, depth + 1, False)
    elif isinstance(value, list):
        if len(value) >= 4 and value[0] == "$" and isinstance(value[3], dict):
            _render_element(value[1], value[3], out, depth)
        else:
            for member in value:
                _render(member, out, depth + 1, is_shown)


def _render_element(tag: Any, props: dict[str, Any], out: list[str], depth: int) -> None:
    """An element; that of a component is rendered as what is given to it to be rendered."""
    is_tag = isinstance(tag, str) and TAG.match(tag) is not None
    if is_tag and tag in UNRENDERED:
        return
    if is_tag:
        said = ((ATTRIBUTES[name], value) for name, value in props.items() if name in ATTRIBUTES)
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in said if isinstance(value, str))
        out.append(f"<{tag}{attributes}>")
    inner = props.get("dangerouslySetInnerHTML")
    if isinstance(inner, dict) and isinstance(inner.get("__html"), str):
        out.append(balanced(inner["__html"]))
    for name, member in props.items():
        if name == "children" or not is_tag:
            _render(member, out, depth + 1, name == "children")
    if is_tag and tag not in VOID:
        out.append(f"</{tag}>")
