"""Inputs that grow: for each reader the texts, pages and lists of `inputs.toml`, repeated up to a size."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from itertools import chain, permutations, product
from typing import Any, NamedTuple

from evaluation.growth.further_readers import OF_FILES, OF_FURTHER_TEXTS, OF_MANY, OF_PAGES
from evaluation.growth.readers import OF_LISTS, OF_TEXTS, Reader, read_page, read_views
from newsextract.files import package_data

INPUTS: dict[str, Any] = package_data("evaluation.growth", "inputs.toml")
#: Elements around the content of a deep page; a parser flattens what is deeper than 512.
DEPTH = 300
PROSE = "The council voted on Monday to keep the old ferry running through the whole winter, said the mayor."
PARAGRAPHS = f"<p>{PROSE}</p>" * 6
#: What stands before and behind a structure: an article.
START = f"<title>The old ferry stays</title><article><h1>The old ferry stays</h1>{PARAGRAPHS}"
END = f"{PARAGRAPHS}</article>"
CODE = f'const x=1;mdx("p",null,"{PROSE}");{{}}'


class Input(NamedTuple):
    """An input: its name, what reads it, and what makes it about so many bytes long.

    `is_of_bytes`: whether what it costs is judged by its bytes; of many small articles or pages, each costs something.
    """

    name: str
    reader: Reader
    make: Callable[[int], str]
    is_of_bytes: bool = True


def repeated(piece: str, size: int) -> str:
    """The piece up to a size, with running numbers where it has the sign for them."""
    times = max(1, size // len(piece.encode()))
    return "".join(piece.replace("№", str(number)) for number in range(times)) if "№" in piece else piece * times


def inputs() -> Iterator[Input]:
    """All inputs of all readers."""
    for (name, reader), (text, piece) in product(OF_TEXTS.items(), INPUTS["texts"].items()):
        yield Input(f"{name}: {text}", reader, partial(repeated, piece))
    for (name, reader), (entries, (start, piece)) in product(OF_LISTS.items(), INPUTS["lists"].items()):
        yield Input(f"{name}: {entries} of a list", reader, partial(_after, start, piece))
    for structure, before, piece, behind in structures():
        yield Input(f"page: {structure}", read_page, partial(_page, before, piece, end=behind + END))
        if structure in INPUTS["structures"]:
            last, alone = partial(_page, before, piece, end=behind), partial(_page, before, piece, start="", end=behind)
            yield Input(f"page: {structure} behind the text", read_page, last)
            yield Input(f"page: {structure} alone", read_page, alone)
            yield Input(f"views: {structure}", read_views, partial(_page, before, piece, end=behind + END))
    yield from _further_inputs()
    for (place, form), (text, piece) in product(INPUTS["places"].items(), INPUTS["texts"].items()):
        yield Input(f"page: {text} in {place}", read_page, partial(_text_in, form, piece))
        if "json}" in form or "jsx}" in form:
            yield Input(f"page: {text} in {place} alone", read_page, partial(_text_in, form, piece, start="", end=""))


def _further_inputs() -> Iterator[Input]:
    """Files, many articles or pages, and pages that are read in other ways."""
    for (name, reader), (text, piece) in product(OF_FURTHER_TEXTS.items(), INPUTS["texts"].items()):
        yield Input(f"{name}: {text}", reader, partial(repeated, piece))
    for name, (kind, start, piece) in INPUTS["files"].items():
        yield Input(f"{kind}: {name}", {**OF_FILES, **OF_MANY}[kind], partial(_after, start, piece), kind in OF_FILES)
    for (name, reader), (structure, before, piece, behind) in product(OF_PAGES.items(), structures()):
        if structure in INPUTS["structures"]:
            yield Input(f"{name}: {structure}", reader, partial(_page, before, piece, end=behind + END), False)
    for structure, before, piece in pairs():
        yield Input(f"page: {structure}", read_page, partial(_page, before, piece))


def pairs() -> Iterator[tuple[str, str, str]]:
    """Two structures that meet: name, what comes before what is repeated, and what is repeated."""
    for (outer, form), (inner, other) in permutations(INPUTS["pairs"].items(), 2):
        opening, content = form.split("¶")[0], other.replace("¶", "x")
        yield f"{inner} in each {outer}", "", form.replace("¶", content)
        yield f"{inner} repeated in {outer}", opening, content
        yield f"{inner} in {outer} in {inner}", "", opening + other.split("¶")[0]


def structures() -> Iterator[tuple[str, str, str, str]]:
    """The structures of pages: name, what comes before what is repeated, what is repeated, and what comes behind it."""
    for name, structure in INPUTS["structures"].items():
        parts = structure.split("¶")
        yield (name, *parts, "") if len(parts) == 2 else (name, *parts) if len(parts) == 3 else (name, "", *parts, "")
    elements, contents = INPUTS["elements"], INPUTS["elements"]["contents"]
    for opening in dict.fromkeys(chain(map("<{}>".format, elements["tags"].split()), elements["opened"])):
        tag = opening.strip("<>").split()[0]
        yield f"{opening}x</{tag}>", "", f"{opening}x</{tag}>", ""
        yield f"{opening}<h3>x</h3></{tag}>", "", f"{opening}<h3>x</h3></{tag}>", ""
        yield f"{opening}x", "", f"{opening}x", ""
        for content in contents:
            yield f"{content} in {DEPTH} {opening}", opening.replace("№", "1") * DEPTH, content, ""


def _after(start: str, piece: str, size: int) -> str:
    return start + repeated(piece, size)


def _page(before: str, piece: str, size: int, *, start: str = START, end: str = END) -> str:
    return f"{start}{before}{repeated(piece, size)}{end}"


def _text_in(form: str, piece: str, size: int, *, start: str = START, end: str = END) -> str:
    """A page with a text in a place. Where the place has several texts, they share the size."""
    text = repeated(piece, size // max(1, form.replace("{{", "").count("{")))
    prose = json.dumps(f"{PROSE} {PROSE} {text} {PROSE}")
    return f"{start}{form.format(text, html=escape(text), json=prose, jsx=json.dumps(CODE.format(text)))}{end}"
