"""The data of a page: values in JSON scripts, in assignments and calls of other scripts, read and never executed."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from newsextract.page.data import flight, references
from newsextract.page.data.javascript import LiteralError, read_json, read_value

#: Limits of one page: characters of scripts read, literals tried in one script, seconds.
MAX_CHARACTERS, MAX_LITERALS, MAX_SECONDS = 12_000_000, 400, 2.0
#: Tokens of literals that turned out to be code, from which on a script is taken for code.
MAX_CODE_TOKENS = 15_000
#: Fewest characters of a script, and of a literal, that may hold an article.
MIN_SCRIPT, MIN_LITERAL = 200, 150
#: Source -> what the type, id or attributes of a script, or the name assigned to, say; the first that matches.
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
#: that a search only stops there.
PROSE = tuple(
    map(
        re.compile,
        (
            r" (?:[^\W\d_]+[,;:.]? ){6}[^\W\d_]",
            r"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4}){11}",
            r"%20\w+%20\w+%20\w+%20",
            r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{12}",
        ),
    )
)
#: The beginning of a literal: behind an assignment, as an argument; and the name or function before it.
LITERAL = re.compile(
    r"""[=(,:]\s{0,20}(?=\{\s{0,20}(?:["'}]|[\w$]{1,60}\s?[:,}])|\[\s{0,20}["'\[{]|JSON\.parse\(|\(function\()""", re.X
)
NAME = re.compile(r"([A-Za-z_$][\w$.]{0,80}(?:\[[\"'][^\"'\]]{1,60}[\"']\])?)\s*(?:\|\|\s*)?[^\w$.]{0,20}$")
#: Characters of a script's beginning that may name what it is.
HEAD = 60
#: Characters before a literal in which its name stands.
BEFORE = 160
FLIGHT = re.compile(r"__next_f\s*(?:=[^;()]{0,80}\)?)?\)?\.push\(\s*")
STREAM = re.compile(r"streamController\.enqueue\(\s*")
FUNCTION = re.compile(r"\(function\(([\w$,\s]*)\)\s*\{\s*(?=return\s*[{\[]|[\w$]+(?:\.[\w$]+|\[)[^;{}()]{0,80}=)")
ASSIGNED = re.compile(r"\s*([\w$]+)((?:\.[\w$]+|\[\d+\]|\[\"[^\"]*\"\])*)\s*=\s*")
MEMBER = re.compile(r"\.([\w$]+)|\[(\d+)\]|\[\"([^\"]*)\"\]")
ANGULAR_ESCAPES = (("&q;", '"'), ("&s;", "'"), ("&l;", "<"), ("&g;", ">"), ("&a;", "&"))


@dataclass(frozen=True, slots=True)
class DataValue:
    """A JSON value of a page: the source's name ("next-data"), the name it has in the page, the value.

    `rendered`: the elements that React would render the page from, where the value is one of them.
    """

    source: str
    name: str
    value: Any
    rendered: list[Any] | None = None


def read_scripts(root: Any) -> Iterator[DataValue]:
    """The values of the scripts below an element (turbohtml), without JSON-LD, references resolved; in their order."""
    deadline = perf_counter() + MAX_SECONDS
    chunks: list[str] = []
    streams: list[str] = []
    size = 0
    for element in root.iter_elements(("script",)):
        kind = (element.attr("type") or "").lower()
        if "ld+json" in kind or element.attr("src"):
            continue
        text = element.text
        size += len(text)
        if "__next_f" in text:
            chunks += _pushed(text)
            continue
        if len(text) < MIN_SCRIPT or size > MAX_CHARACTERS or perf_counter() > deadline:
            continue
        if "json" in kind or (
            text.lstrip()[:1] in ("{", "[") and "javascript" not in kind and kind not in ("", "module")
        ):
            value = read_json(text)
            if value is None:
                value = read_json(_angular(text))
            if value is not None:
                name = element.attr("id") or ""
                yield from _resolved(_source(f"{name} {' '.join(element.attrs)}"), name or "script", value)
        elif "streamController" in text:
            streams += _strings(text, STREAM)
        elif find_prose(text, 0) >= 0:
            yield from _literals(text, deadline)
    if chunks:
        roots = flight.resolve(flight.read_rows("".join(chunks)))
        for value in roots:
            yield DataValue("next-flight", "flight", value, rendered=roots)
    if streams:
        value = read_json("".join(streams).split("\n", 1)[0])
        if isinstance(value, list):
            yield DataValue("remix", "stream", references.expand_stream(value))


def find_prose(text: str, position: int) -> int:
    """Where the next prose of a script begins; -1 where there is none."""
    patterns = PROSE[:-1] if text.isascii() else PROSE
    return min((match.start() for pattern in patterns if (match := pattern.search(text, position))), default=-1)


def _source(label: str) -> str:
    return next((source for source, pattern in SOURCES if pattern.search(label)), "script")


def _resolved(source: str, name: str, value: Any) -> Iterator[DataValue]:
    """A value with its references resolved."""
    if references.is_indexed(value):
        yield DataValue(source, name, references.expand_indexed(value))
    elif cache := references.find_cache(value):
        for one in references.expand_cache(cache):
            yield DataValue("apollo" if source in ("script", "redux") else source, name, one)
        if cache is not value:
            yield DataValue(source, name, value)
    else:
        yield DataValue(source, name, value)


def _pushed(text: str) -> Iterator[str]:
    """The chunks of flight rows that a script pushes."""
    for match in FLIGHT.finditer(text):
        try:
            value, _ = read_value(text, match.end())
        except LiteralError:
            continue
        if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str) and value[0] == 1:
            yield value[1]


def _strings(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for match in pattern.finditer(text):
        try:
            value, _ = read_value(text, match.end())
        except LiteralError:
            continue
        if isinstance(value, str):
            yield value


def _literals(text: str, deadline: float) -> Iterator[DataValue]:
    """The objects and lists of a script that hold prose: assigned, or given to a function."""
    position, prose, code = 0, 0, 0
    for _ in range(MAX_LITERALS):
        match = LITERAL.search(text, position)
        if match is None or code > MAX_CODE_TOKENS or perf_counter() > deadline:
            return
        position = match.end()
        if prose < position:  # the next prose of the script
            prose = find_prose(text, position)
            if prose < 0:
                return
        try:
            value, end = _value_or_call(text, position)
        except LiteralError as error:
            code += error.tokens
            continue
        if end - position >= MIN_LITERAL and isinstance(value, dict | list):
            position = end
            if end > prose:
                name = _name_before(text, match.start())
                yield from _resolved(_source(f"{name} {text[:HEAD]}"), name, value)


def _name_before(text: str, position: int) -> str:
    """The name that a literal is assigned to, or of the function it is given to."""
    match = NAME.search(text[max(0, position - BEFORE) : position + 1])
    return match[1] if match else "script"


def _value_or_call(text: str, position: int) -> tuple[Any, int]:
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
        if len(arguments) >= len(parameters) - 1:
            names = dict(zip(parameters, arguments, strict=False))
            return _returned(text, function.end(), names), len(text)
    raise LiteralError("no call")


def _returned(text: str, position: int, names: dict[str, Any]) -> Any:
    """What the body of a function returns, after its assignments to members of its parameters."""
    while not text.startswith("return", position):
        match = ASSIGNED.match(text, position)
        if match is None:
            raise LiteralError("no assignment")
        value, position = read_value(text, match.end(), names)
        _assign(names.get(match[1]), MEMBER.findall(match[2]), value)
        while text[position : position + 1] in (";", ",", " ", "\n"):
            position += 1
    value, _ = read_value(text, position + len("return"), names)
    return value


def _assign(target: Any, steps: list[tuple[str, str, str]], value: Any) -> None:
    for number, (name, index, quoted) in enumerate(steps, 1):
        key = name or quoted
        if isinstance(target, dict) and key:
            if number == len(steps):
                target[key] = value
            target = target.get(key)
        elif isinstance(target, list) and index and int(index) < 100_000:
            place = int(index)
            target.extend([None] * (place + 1 - len(target)))
            if number == len(steps):
                target[place] = value
            target = target[place]
        else:
            return


def _angular(text: str) -> str:
    """JSON as Angular's transfer state or a careful template escaped it."""
    if "&q;" in text:
        for escaped, character in ANGULAR_ESCAPES:
            text = text.replace(escaped, character)
        return text
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip()
    return html.unescape(text) if "&quot;" in text else text
