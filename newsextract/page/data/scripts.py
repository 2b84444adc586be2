"""The data of a page: values in JSON scripts, and in assignments and calls of other scripts; read but never
executed.

React Flight: Next.js pushes rows to `self.__next_f`, which are joined, parsed, and their references resolved. A row is
`id:payload`, ended by a line feed, or `id:Tlength,text` of that many bytes of UTF-8. A payload is JSON, behind a letter
for imports, hints and errors. In it `["$", type, key, props]` is an element and `"$id"` the value of another row
(React, packages/react-client/src/ReactFlightClient.js). nextflight and njsparser were tried: the first guesses among
3,000 lines of heuristics, the second requires a JavaScript engine.

Rich Harris's devalue (SvelteKit, Nuxt 3) writes a value as a list in which every member is an index into the same list;
an object that occurs twice is written once. Cycles are cut, and a value is expanded at most MAX_USES times.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TypeGuard

from newsextract.page.data.javascript import MIN_LITERAL, Json, LiteralError, read_json, read_value
from newsextract.page.json_text import MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES
from newsextract.page.parse import Listed

#: Seconds for the scripts of a page; how many literals of one may turn out to be code before it counts as code.
MAX_SECONDS = 2.0
MAX_CODE = 100
#: Source -> what the type, id or attributes of a script, or the assigned name, match; the first match counts.
SOURCES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (source, re.compile(pattern))
    for source, pattern in (
        ("next-data", r"__NEXT_DATA__"),
        ("next-flight", r"__next_f"),
        ("nuxt", r"__NUXT"),
        ("sveltekit", r"sveltekit|__SAPPER__"),
        ("remix", r"__remixContext|__reactRouterContext"),
        ("angular", r"(?:^|\s)[\w-]*-state(?:\s|$)|transfer-?state"),
        ("apollo", r"__APOLLO"),
        ("redux", r"__(?:PRELOADED|INITIAL)_STATE__|REDUX"),
        ("arc", r"Fusion\.globalContent|Fusion\.contentCache"),
    )
)
#: Seven words in a row; as many characters of other scripts; the same escaped. Each begins with a fixed character, so
#: that a search stops only there.
PROSE = tuple(
    map(
        re.compile,
        (
            r" (?:[^\W\d_]+[,;:.]? ){6}[^\W\d_]",
            r"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4}){11}",
            r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{12}",
        ),
    )
)
#: The beginning of a literal: after an assignment, as an argument; and the name or function before it.
LITERAL = re.compile(
    r"""[=(,:]\s{0,20}(?=\{\s{0,20}(?:["'}]|[\w$]{1,60}\s?[:,}])|\[\s{0,20}["'\[{]|JSON\.parse\(|\(function\()""", re.X
)
NAME = re.compile(r"([A-Za-z_$][\w$.]{0,80}(?:\[[\"'][^\"'\]]{1,60}[\"']\])?)\s*(?:\|\|\s*)?[^\w$.]{0,20}$")
#: Characters before a literal that are searched for its name, and of a script's beginning that may identify it.
BEFORE = 160
FLIGHT = re.compile(r"__next_f\s*(?:=[^;()]{0,80}\)?)?\)?\.push\(\s*")
FUNCTION = re.compile(r"\(function\(([\w$,\s]*)\)\s*\{\s*(?=return\s*[{\[]|[\w$]+(?:\.[\w$]+|\[)[^;{}()]{0,80}=)")
ASSIGNED = re.compile(r"\s*([\w$]+)((?:\.[\w$]+|\[\d+\])*)(?:\.([\w$]+)|\[\"?([^\"\]]*)\"?\])\s*=\s*")


@dataclass(frozen=True, slots=True)
class DataValue:
    """A JSON value in a page: the source's name ("next-data"), its name in the page, the value."""

    source: str
    name: str
    value: Json


def read_scripts(listed: Iterable[Listed]) -> Iterator[DataValue]:
    """The values of a page's scripts, without JSON-LD, references resolved; in their order."""
    deadline = perf_counter() + MAX_SECONDS
    chunks: list[str] = []
    size = 0
    for tag, element, text in listed:
        if tag != "script" or not text or element.attr("src"):
            continue
        kind = (element.attr("type") or "").lower()
        if "ld+json" in kind:
            continue
        size += len(text)
        if "__next_f" in text:
            chunks += _pushed(text)
            continue
        if len(text) < MIN_LITERAL or size > MAX_CHARACTERS or perf_counter() > deadline:
            continue
        if "json" in kind or (
            text.lstrip()[:1] in ("{", "[") and "javascript" not in kind and kind not in ("", "module")
        ):
            value = read_json(text)
            if value is not None:
                name = element.attr("id") or ""
                yield _resolved(_source(f"{name} {' '.join(element.attrs)}"), name or "script", value)
        elif find_prose(text, 0) >= 0:
            yield from _literals(text, deadline)
    if chunks:
        for value in resolve_rows(read_rows("".join(chunks))):
            yield DataValue("next-flight", "flight", value)


def most_spaces(listed: Iterable[Listed]) -> int:
    """How many spaces one of a page's scripts has at most, JSON-LD too; those that push flight rows are one."""
    spaces = Counter[int]()
    for number, (tag, _, text) in enumerate(listed):
        if tag == "script":
            spaces[-1 if "__next_f" in text else number] += text.count(" ")
    return max(spaces.values(), default=0)


def find_prose(text: str, position: int) -> int:
    """The position of the next prose in a script, or -1."""
    patterns = PROSE[:-1] if text.isascii() else PROSE
    return min((match.start() for pattern in patterns if (match := pattern.search(text, position))), default=-1)


def _source(label: str) -> str:
    return next((source for source, pattern in SOURCES if pattern.search(label)), "script")


def _resolved(source: str, name: str, value: Json) -> DataValue:
    return DataValue(source, name, _Indexed(value).at(0) if is_indexed(value) else value)


def _pushed(text: str) -> Iterator[str]:
    """The chunks of flight rows that a script pushes."""
    for match in FLIGHT.finditer(text):
        try:
            value, _ = read_value(text, match.end())
        except LiteralError:
            continue
        if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str) and value[0] == 1:
            yield value[1]


def _literals(text: str, deadline: float) -> Iterator[DataValue]:
    """The objects and lists of a script with prose: assigned, or passed to a function."""
    position, prose, code = 0, 0, 0
    while True:
        match = LITERAL.search(text, position)
        if match is None or code > MAX_CODE or perf_counter() > deadline:
            return
        position = match.end()
        if prose < position:  # the next prose of the script
            prose = find_prose(text, position)
            if prose < 0:
                return
        try:
            value, end = _value_or_call(text, position)
        except LiteralError:
            code += 1
            continue
        if end - position >= MIN_LITERAL and isinstance(value, dict | list):
            position = end
            if end > prose:
                name = _name_before(text, match.start())
                yield _resolved(_source(f"{name} {text[:BEFORE]}"), name, value)


def _name_before(text: str, position: int) -> str:
    """The name that a literal is assigned to, or of the function it is passed to."""
    match = NAME.search(text[max(0, position - BEFORE) : position + 1])
    return match[1] if match else "script"


def _value_or_call(text: str, position: int) -> tuple[Json, int]:
    """A literal, or what a function that is called at once returns (Nuxt 2: `(function(a,b){return {...}}("x",1))`)."""
    if not text.startswith("(function(", position):
        return read_value(text, position)
    function = FUNCTION.match(text, position)
    if function is None:
        raise LiteralError("a function")
    parameters = [name.strip() for name in function[1].split(",") if name.strip()]
    close = len(text)
    for _ in range(5):
        close = text.rfind("}(", function.end(), close)
        if close < 0:
            break
        try:
            arguments, _ = read_value("[" + text[close + 2 :].split("</", 1)[0].rstrip(" ;)\n") + "]", 0)
        except LiteralError:
            continue
        if isinstance(arguments, list) and len(arguments) >= len(parameters) - 1:
            names = dict(zip(parameters, arguments, strict=False))
            return _returned(text, function.end(), names), len(text)
    raise LiteralError("no call")


def _returned(text: str, position: int, names: dict[str, Json]) -> Json:
    """What the body of a function returns, after its assignments to members of its parameters."""
    while not text.startswith("return", position):
        match = ASSIGNED.match(text, position)
        if match is None:
            raise LiteralError("no assignment")
        value, position = read_value(text, match.end(), names)
        target, last = names.get(match[1]), match[3] or match[4]
        for step in filter(None, match[2].split(".")):
            target = target.get(step) if isinstance(target, dict) else None
        if isinstance(target, dict):
            target[last] = value
        while text[position : position + 1] in (";", ",", " ", "\n"):
            position += 1
    value, _ = read_value(text, position + len("return"), names)
    return value


# ---- React Flight ---------------------------------------------------------------------------------------------------


#: How often a row or value may replace references to it.
MAX_USES = 3
ROW = re.compile(rb"([0-9a-fA-F]*):")
TEXT_ROW = re.compile(rb"T([0-9a-fA-F]{1,18}),")
#: Letters before a payload that isn't data: imports, hints, errors, debugging, streams.
IGNORED = frozenset(b"IHEDWRrXxCPN")
#: Maximum levels of rows that are resolved.
MAX_ROW_DEPTH = 400
REFERENCE = re.compile(r"\$[L@QWihFT]?([0-9a-fA-F]+)((?::[^:]+)*)$")


def read_rows(chunks: str) -> dict[str, Json]:
    """Id -> value of each row; broken rows are left out."""
    data = chunks.encode("utf-8", "replace")
    rows: dict[str, Json] = {}
    position = 0
    while position < len(data):
        match = ROW.match(data, position)
        if match is None:
            position = _next_line(data, position)
            continue
        name, start = match[1].decode(), match.end()
        if text := TEXT_ROW.match(data, start):
            position = text.end() + int(text[1], 16)
            rows[name] = data[text.end() : position].decode("utf-8", "replace")
            continue
        position = _next_line(data, start)
        payload = data[start:position].strip()
        if payload and payload[0] not in IGNORED:
            value = read_json(payload.decode("utf-8", "replace"))
            if value is not None:
                rows[name] = value
    return rows


def resolve_rows(rows: dict[str, Json]) -> list[Json]:
    """The rows that no other refers to, with references replaced, each row MAX_USES times at most."""
    resolver = _Rows(rows)
    roots = sorted(rows, key=lambda name: name != "0")
    return [resolver.text(f"${name}", 0) for name in roots if name not in resolver.uses]


class _References:
    """Values that replace references to them. `uses`: how often each was used; `open`: those being read."""

    def __init__(self) -> None:
        self.uses: Counter[Hashable] = Counter()
        self.open: set[Hashable] = set()

    def enter(self, name: Hashable) -> bool:
        """Begins to read the value of a name; False within itself, or after MAX_USES uses."""
        if name in self.open or self.uses[name] >= MAX_USES:
            return False
        self.uses[name] += 1
        self.open.add(name)
        return True


class _Rows(_References):
    """Resolves the references of rows."""

    def __init__(self, rows: dict[str, Json]) -> None:
        super().__init__()
        self.rows = rows

    def value(self, value: Json, depth: int) -> Json:
        if depth > MAX_ROW_DEPTH:
            return None
        if isinstance(value, str):
            return self.text(value, depth) if value[:1] == "$" else value
        if isinstance(value, list):
            return [self.value(member, depth + 1) for member in value]
        if isinstance(value, dict):
            return {name: self.value(member, depth + 1) for name, member in value.items()}
        return value

    def text(self, text: str, depth: int) -> Json:
        """The value of a string that begins with `$`."""
        if text[1:2] == "$":
            return text[1:]
        match = REFERENCE.match(text)
        if match is None:
            return text if text == "$" else None if text in ("$undefined", "$NaN") else text[2:]
        value = self.rows.get(match[1])
        for step in filter(None, match[2].split(":")):
            value = _member(value, step)
        if not self.enter(match[1]):
            return None
        value = self.value(value, depth + 1)
        self.open.discard(match[1])
        return value


def _member(value: Json, step: str) -> Json:
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


# ---- devalue --------------------------------------------------------------------------------------------------------


def is_indexed(value: Json) -> TypeGuard[list[Json]]:
    """Whether a JSON value is devalue's list: its first member is an object or list whose values are indices."""
    first = value[0] if isinstance(value, list) and len(value) > 1 else None
    members = list(first.values()) if isinstance(first, dict) else first
    if not isinstance(value, list) or not isinstance(members, list):
        return False
    indices = members[1:] if members and isinstance(members[0], str) else members
    return bool(indices) and all(type(index) is int and index < len(value) for index in indices)


class _Indexed(_References):
    """Expands a list of devalue."""

    def __init__(self, values: list[Json]) -> None:
        super().__init__()
        self.values = values
        self.count = 0

    def at(self, index: Json, depth: int = 0) -> Json:
        """The value with an index; None for indices of `undefined`, holes and NaN, which are negative."""
        if type(index) is not int or not 0 <= index < len(self.values) or depth > MAX_DEPTH:
            return None
        value = self.values[index]
        if not isinstance(value, dict | list):
            return value
        self.count += 1
        if self.count > MAX_VALUES or not self.enter(index):
            return None
        expanded = self.expanded(value, depth + 1)
        self.open.discard(index)
        return expanded

    def expanded(self, value: dict[str, Json] | list[Json], depth: int) -> Json:
        if isinstance(value, dict):
            return {name: self.at(member, depth) for name, member in value.items()}
        if not value or not isinstance(value[0], str):
            return [self.at(member, depth) for member in value]
        # A wrapper: ["Date", "2026-…"], ["Ref", 2], ["Map", 3, 4], ["null", "name", 5].
        members = [self.at(member, depth) if type(member) is int else member for member in value[1:]]
        return members[0] if len(members) == 1 else members
