"""Pumps the regular expressions of the package with texts made from their own source.

A pattern is slow where it can try a long run in many ways: from each place of the run (no anchor before a repetition),
or divided between two repetitions. So each repetition without a bound gives pumps: what comes before it once, what it
repeats many times, and behind that a character that nothing matches; and the two repetitions that follow one another.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

import newsextract
from evaluation.growth.measure import cpu_seconds

#: Characters of a pumped text; it is compared with one twice as long.
PUMPED = 8_000
#: CPU seconds of the longer text from which on a pattern is suspicious, and how many times those of the shorter one.
SUSPICIOUS = 0.05
RATIO = 2.8
#: CPU seconds after which a search is stopped.
ENOUGH = 1.0
#: Pumps of a pattern that are tried, and the least bound of a repetition that is pumped.
TRIED = 40
LEAST_BOUND = 20
#: An example of each category of characters.
EXAMPLES = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "7", "CATEGORY_WORD": "w", "CATEGORY_NOT_WORD": " "}
EXAMPLES |= {"CATEGORY_NOT_SPACE": "x", "CATEGORY_NOT_DIGIT": "x"}
#: What may stand behind a pumped run: a character that no pattern matches, and nothing.
ENDS = ("\0", "")
#: Patterns of texts that are never longer than so many characters.
BOUNDED = {
    "newsextract.article.body.": 200,
    "newsextract.page.class_names.OPTIONAL": 200,
    "newsextract.page.data.scripts.NAME": 160,
    "newsextract.metadata.bylines.KOREAN_BYLINE": 60,
    "newsextract.metadata.bylines.JAPANESE_BYLINE": 60,
}
#: How patterns are called: searched for at each place, or matched at the beginning only.
METHODS = ("search", "match", "fullmatch")
SAME_AS = dict.fromkeys(("finditer", "findall", "sub", "subn", "split", "scanner"), "search")
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
Pattern = re.Pattern[Any]
#: The parser of `re`, which has no types.
PARSER: Any = importlib.import_module("re._parser")


class Called(NamedTuple):
    """A pattern and how it is called: with one of METHODS."""

    pattern: Pattern
    method: str


@cache
def patterns() -> dict[str, Called]:
    """The patterns of the package by place: named in modules, alone or in tuples and dictionaries, and in calls.

    A pattern that is only matched at the beginning of a text isn't tried at each place of it.
    """
    sources = dict(_modules())
    calls = {name: [*_calls(ast.parse(inspect.getsource(module)))] for name, module in sources.items()}
    everywhere = [*chain.from_iterable(calls.values())]
    found: dict[Pattern, tuple[str, str]] = {}
    for module, source in sources.items():
        for name, value in vars(source).items():
            for pattern in _patterns_in(value):
                own = calls[module] if any(name == other for other, _ in calls[module]) else everywhere
                called = {method for other, method in own if other == name}
                weakest = next((one for one in METHODS if one in called), METHODS[0])
                found.setdefault(pattern, (f"{module}.{name}", weakest))
    texts = {pattern.pattern for pattern in found}
    for module, source in sources.items():
        for call in ast.walk(ast.parse(inspect.getsource(source))):
            match call:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=str(text)), *_]
                ) if text not in texts:
                    weakest = method if method in METHODS else METHODS[0]
                    found.setdefault(re.compile(text, re.I), (f"{module}:{call.lineno}", weakest))
    return {
        f"{place}-{number}": Called(pattern, method) for number, (pattern, (place, method)) in enumerate(found.items())
    }


def _modules() -> Iterator[tuple[str, Any]]:
    """The package's modules by name."""
    for module in pkgutil.walk_packages(newsextract.__path__, "newsextract."):
        if not module.name.endswith(("__main__", "workers.preload")):
            with suppress(ImportError):  # an extra that isn't installed
                yield module.name, importlib.import_module(module.name)


def _calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names of patterns and of what holds some, each with a method that is asked of it."""
    loops = dict[str, list[str]]()
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    loops.setdefault(target.id, []).extend(_names_in(node.iter))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (method := SAME_AS.get(node.attr, node.attr)) in METHODS:
            for name in _names_in(node.value):
                yield from ((one, method) for one in (name, *loops.get(name, ())))


def _names_in(node: ast.expr) -> Iterator[str]:
    """The names that an expression may have its value from."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Subscript(value=inner):
            yield from _names_in(inner)
        case ast.IfExp(body=first, orelse=second):
            yield from (*_names_in(first), *_names_in(second))


def _patterns_in(value: Any) -> Iterator[Pattern]:
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, re.Pattern):
            yield each
        elif isinstance(each, dict | tuple | list | frozenset) and len(each) < 1_000:
            stack += each.values() if isinstance(each, dict) else each
        elif type(each).__name__ == "Words":  # a pattern with a faster test before it
            stack += vars(each).values()


def pumps(pattern: Pattern) -> dict[tuple[str, str], None]:
    """For each repetition what comes before it, and a text that it repeats; without the former, too."""
    tree = PARSER.parse(pattern.pattern, pattern.flags)
    found = [*_pumps(tree)]
    pairs = [(before, piece) for start, piece in found for before in (start, "")]
    return dict.fromkeys([*pairs, *(("", start + piece) for start, piece in found)])


def _pumps(tree: Iterable[Any], before: str = "") -> Iterator[tuple[str, str]]:
    run = ""  # of the repetition right before
    for name, value in tree:
        kind = str(name)
        if kind in REPEATS:
            if value[1] > LEAST_BOUND:
                pieces = dict.fromkeys((example(value[2]), *_branches(value[2])))
                yield from ((before, piece) for piece in pieces if piece)
                if run:  # what both repeat: " *\n *"
                    yield before, run
            yield from _pumps(value[2], before)
            run = example(value[2])
        else:
            if kind in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
                yield from _pumps(value[-1], before)
            elif kind == "ATOMIC_GROUP":
                yield from _pumps(value, before)
            elif kind == "BRANCH":
                for branch in value[1]:
                    yield from _pumps(branch, before)
            run = "" if kind in ("LITERAL", "IN", "ANY") else run
        before += _example_of((name, value))


def _branches(tree: Iterable[Any]) -> Iterator[str]:
    for name, value in tree:
        if str(name) == "BRANCH":
            yield from map(example, value[1])
        elif str(name) == "SUBPATTERN":
            yield from _branches(value[-1])
        elif str(name) == "IN":
            yield from (_member(member) for member in value[:6])


def example(tree: Iterable[Any]) -> str:
    """A short text for the pattern."""
    return "".join(map(_example_of, tree))


def _example_of(node: Any) -> str:
    name, value = str(node[0]), node[1]
    if name == "LITERAL":
        return chr(value)
    if name == "IN":
        if str(value[0][0]) == "NEGATE":
            return next((char for char in 'a1 <"=\n' if not re.match(_class(value[1:]), char)), "~")
        return _member(value[0])
    if name == "BRANCH":
        return example(value[1][0])
    if name == "SUBPATTERN":
        return example(value[-1])
    if name in REPEATS:
        return example(value[2]) * int(max(1, min(value[0], 50)))
    return example(value) if name == "ATOMIC_GROUP" else "" if name in ("AT", "ASSERT", "ASSERT_NOT") else "a"


def _member(member: Any) -> str:
    """A character of a member of a class."""
    kind, first = member
    if str(kind) == "CATEGORY":
        return EXAMPLES.get(str(first), "x")
    return "a" if str(kind) == "NEGATE" else chr(first if isinstance(first, int) else first[0])


def _class(members: Iterable[Any]) -> str:
    categories = {"CATEGORY_SPACE": r"\s", "CATEGORY_DIGIT": r"\d", "CATEGORY_WORD": r"\w"}
    texts = {
        "LITERAL": lambda value: re.escape(chr(value)),
        "RANGE": lambda value: f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}",
        "CATEGORY": lambda value: categories.get(str(value), ""),
    }
    return f"[{''.join(texts[str(kind)](value) for kind, value in members)}]"


def slow_patterns(places: Iterable[tuple[str, Called]]) -> dict[str, str]:
    """Place -> the pump of each pattern whose time grows faster than the text."""
    slow = {}
    for place, called in places:
        length = next((length for name, length in BOUNDED.items() if place.startswith(name)), PUMPED)
        if pump := slow_pump(called, length):
            slow[place] = pump
    return slow


def slow_pump(called: Called, length: int = PUMPED) -> str:
    """The pump that makes a pattern take more than in proportion, or ""."""
    for before, piece in [*pumps(called.pattern)][:TRIED]:
        for end in ENDS:
            if is_slow(called, before, piece, end, length):
                return f"{called.method} of {before!r} and {piece!r} repeated, then {end!r}"
    return ""


def is_slow(called: Called, before: str, piece: str, end: str, length: int) -> bool:
    """Whether a text twice as long takes much more than twice the time; measured again if it seems so."""

    def seconds(size: int) -> float:
        text: Any = before + piece * (size // len(piece)) + end
        return _seconds(
            called, text.encode("latin-1", "replace") if isinstance(called.pattern.pattern, bytes) else text
        )

    for _ in range(3):
        if (long := seconds(2 * length)) >= ENOUGH:
            return True
        if long < SUSPICIOUS or long < RATIO * seconds(length):
            return False
    return True


def _seconds(called: Called, text: Any) -> float:
    """CPU seconds of a match at the beginning, or of finding all matches, at most ENOUGH."""
    pattern, method = called
    call = (
        partial(getattr(pattern, method), text) if method != METHODS[0] else partial(deque, pattern.finditer(text), 0)
    )
    try:
        return cpu_seconds(call, ENOUGH)
    except TimeoutError:
        return ENOUGH
