"""No input makes a pattern or a reader explode: each pattern is pumped, each reader gets longer inputs."""

import ast
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from re import _parser
from typing import Any

import pytest

import newsextract
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.lists import read_list, sitemaps_in_robots_txt
from newsextract.page import Page
from newsextract.page.decode import decode
from tests.examples import examples

#: Characters of a pumped text: a cubic pattern takes minutes over them, an exponential one for ever.
PUMPED = 600
#: Repetitions of a pattern that are tried.
TRIED = 12
#: Seconds of CPU time for one text, on a slow machine.
ENOUGH = 1.5
#: An example of each category of characters.
EXAMPLES = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "7", "CATEGORY_WORD": "w", "CATEGORY_NOT_WORD": " "}
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def patterns() -> dict[str, "re.Pattern[Any]"]:
    """The patterns of the package by place: named in modules, alone or in tuples and dictionaries, and in calls."""
    found: dict[re.Pattern[Any], str] = {}
    for module in pkgutil.walk_packages(newsextract.__path__, "newsextract."):
        if module.name.endswith(("__main__", "workers.preload")):
            continue
        try:
            names = vars(source := importlib.import_module(module.name))
        except ImportError:  # an extra that isn't installed
            continue
        for name, value in names.items():
            stack = [value]
            while stack:
                each = stack.pop()
                if isinstance(each, re.Pattern):
                    found.setdefault(each, f"{module.name}.{name}")
                elif isinstance(each, dict | tuple | list | frozenset) and len(each) < 1_000:
                    stack += each.values() if isinstance(each, dict) else each
        for call in ast.walk(ast.parse(inspect.getsource(source))):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[ast.Constant(value=str(text)), *_]):
                    found.setdefault(re.compile(text, re.I), f"{module.name}:{call.lineno}")
    return {f"{place}-{number}": pattern for number, (pattern, place) in enumerate(found.items())}


def example(tree: Iterable[Any]) -> str:
    """A short text for the pattern."""
    return "".join(map(_example_of, tree))


def _example_of(node: Any) -> str:
    name, value = str(node[0]), node[1]
    if name == "LITERAL":
        return chr(value)
    if name == "IN":
        kind, first = value[0]
        if str(kind) == "NEGATE":
            return next((char for char in 'a1 <"=\n' if not re.match(_class(value[1:]), char)), "~")
        return (
            EXAMPLES.get(str(first), "x")
            if str(kind) == "CATEGORY"
            else chr(first if isinstance(first, int) else first[0])
        )
    if name == "BRANCH":
        return example(value[1][0])
    if name == "SUBPATTERN":
        return example(value[-1])
    if name in REPEATS:
        return example(value[2]) * max(1, min(value[0], 50))
    return example(value) if name == "ATOMIC_GROUP" else "" if name in ("AT", "ASSERT", "ASSERT_NOT") else "a"


def _class(members: Iterable[Any]) -> str:
    categories = {"CATEGORY_SPACE": r"\s", "CATEGORY_DIGIT": r"\d", "CATEGORY_WORD": r"\w"}
    texts = {
        "LITERAL": lambda value: re.escape(chr(value)),
        "RANGE": lambda value: f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}",
        "CATEGORY": lambda value: categories.get(str(value), ""),
    }
    return f"[{''.join(texts[str(kind)](value) for kind, value in members)}]"


def pumps(tree: Iterable[Any], before: str = "") -> Iterator[tuple[str, str]]:
    """For each repetition what comes before it, and a text that it repeats."""
    for name, value in tree:
        kind = str(name)
        if kind in REPEATS:
            if value[1] > 20:
                yield from ((before, piece) for piece in {example(value[2]), *_branches(value[2])} if piece)
            yield from pumps(value[2], before)
        elif kind in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
            yield from pumps(value[-1], before)
        elif kind == "ATOMIC_GROUP":
            yield from pumps(value, before)
        elif kind == "BRANCH":
            for branch in value[1]:
                yield from pumps(branch, before)
        before += _example_of((name, value))


def _branches(tree: Iterable[Any]) -> Iterator[str]:
    for name, value in tree:
        if str(name) == "BRANCH":
            yield from map(example, value[1])
        elif str(name) == "SUBPATTERN":
            yield from _branches(value[-1])


def seconds_of(call: Any, *arguments: Any, enough: float = ENOUGH) -> float:
    """The CPU time of a call, ended when it is enough."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, enough)
    start = time.process_time()
    try:
        call(*arguments)
    except TimeoutError:
        return enough
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - start


def test_no_pattern_explodes():
    slow = {}
    for place, pattern in patterns().items():
        tree = _parser.parse(pattern.pattern, pattern.flags)
        for before, piece in islice(dict.fromkeys(pumps(tree)), TRIED):
            for start, repeated in {(before, piece), ("", before + piece)}:
                text: Any = f"{start}{repeated * (PUMPED // len(repeated))}\0"[: 2 * PUMPED]
                text = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
                if seconds_of(pattern.search, text) >= ENOUGH:
                    slow[place] = start, repeated
    assert not slow


@pytest.mark.parametrize(("pattern", "explodes"), examples(__file__, "pumped"))
def test_pumps_find_patterns_that_explode(pattern, explodes):
    texts = [before + piece * (PUMPED // len(piece)) + "\0" for before, piece in pumps(_parser.parse(pattern, 0))]
    assert any(seconds_of(re.compile(pattern, re.S).search, text, enough=0.3) >= 0.3 for text in texts) is explodes


URL = "https://news.example.org/2026/05/01/pier"
READERS = {
    "page": lambda body: Page(body, URL).blocks.texts,
    "meta": lambda body: (Page(body, URL).meta.title, Page(body, URL).json_ld),
    "data": lambda body: Page(body, URL).data_article,
    "decode": lambda body: decode(body, None, URL),
    "list": lambda body: read_list(body, URL),
    "robots": lambda body: sitemaps_in_robots_txt(body, URL),
    "sniffing": lambda body: non_html_reason(body, "text/plain"),
    "header": lambda body: declared_charset(body.decode("latin-1")),
}
STARTS = (b"", b"<rss><channel>", b"<script type='application/ld+json'>", b"charset=")
PIECES = (
    rb"< & &lt; <!-- <!----> <![CDATA[ ]]> <p>x <b><p> </p> a=1\x20 <a\x20b <meta\x20charset\x20 <html\x20lang\x20"
    rb" <?xml\x20 \xe9 \xe9\x20 \xd0\xe1\xc0 \x1b$B \\u03 { [ \x22 \\ \x20 \n <item><link>/a</link></item>"
    rb" <url><loc>/a</loc></url> <image:x> Sitemap:\x20/a\n sitemap\x20 <script>{"
).split()


def is_out_of_proportion(reader: str, start: bytes, piece: bytes) -> bool:
    """Whether eight times as long a text takes 32 times as long, and not in a moment; with the square, it is 64 times.
    Such a one is read twice: the machine may have been busy."""

    def seconds(size: int, times: int = 2) -> float:
        return min(seconds_of(READERS[reader], start + piece * (size // len(piece))) for _ in range(times))

    return seconds(16_000, times=1) > 0.4 and seconds(16_000) > max(0.4, 32 * seconds(2_000))


@pytest.mark.parametrize("reader", READERS)
def test_readers_take_time_in_proportion_to_their_input(reader):
    pieces = [each.decode("unicode_escape").encode("latin-1") for each in PIECES]
    assert [(start, one) for start in STARTS for one in pieces if is_out_of_proportion(reader, start, one)] == []
