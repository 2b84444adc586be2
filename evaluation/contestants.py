"""What the bench runs on a page: an extractor of this project with its options, or a foreign package.

A contestant is given the bytes and starts from nothing, as for a page just fetched; only the peer, which a crawl
keeps, comes ready. Its clock is split at the end of the parse, because a method's own cost is what lies above that.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any, NamedTuple, Protocol

from evaluation.adapters import ADAPTERS, package_version
from newsextract.article import extract
from newsextract.errors import WrongCall
from newsextract.extractors import EXTRACTORS, make_extractor
from newsextract.page import Page


class Trial(NamedTuple):
    """An output and what it took: milliseconds of CPU for the parse, and for everything.

    `parse` is None where the two can't be told apart. CPU time, not the clock on the wall: other work on the machine
    is not the method's.
    """

    text: str
    parse: float | None
    total: float


class Contestant(Protocol):
    """Made once, called once a page, in any process: it must be picklable."""

    @property
    def name(self) -> str:
        """As given by the caller, options and all: the key in results."""

    def versions(self) -> Mapping[str, str]:
        """Packages that decide its output, with their versions."""

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> Trial:
        """One page from its bytes."""

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        """Whether it would keep the page as an article; None where it does not judge."""


@dataclass(frozen=True)
class Ours:
    """An extractor of EXTRACTORS."""

    name: str
    extractor: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def versions(self) -> Mapping[str, str]:
        return {}

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> Trial:
        extractor = make_extractor(self.extractor, dict(self.options))
        start = process_time()
        page = Page(html, url)
        _ = page.tree
        parsed = process_time()
        text = extractor(page, peer=peer).text
        end = process_time()
        return Trial(text, (parsed - start) * 1000, (end - start) * 1000)

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        return extract(html, url, extractor=self.extractor, options=dict(self.options)).is_article


@dataclass(frozen=True)
class Theirs:
    """A foreign package behind an adapter, given the bytes as its users give them."""

    name: str

    def versions(self) -> Mapping[str, str]:
        package = ADAPTERS[self.name].package
        return {package: package_version(package)}

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> Trial:
        adapter = ADAPTERS[self.name]
        start = process_time()
        text = adapter.extract(html, url)
        return Trial(text, None, (process_time() - start) * 1000)

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        return None


def contestants(names: str | Sequence[str | Contestant]) -> list[Contestant]:
    """From "econ,cetd:density=td,trafilatura" or a list of such names; every one is made once to see that it can be."""
    parts = names.split(",") if isinstance(names, str) else names
    chosen = [contestant(part.strip()) if isinstance(part, str) else part for part in parts]
    if not chosen:
        raise WrongCall(f"no extractor named; known are {_known()}")
    if len({one.name for one in chosen}) < len(chosen):
        raise WrongCall(f"an extractor is named twice: {', '.join(one.name for one in chosen)}")
    return chosen


def contestant(name: str) -> Contestant:
    """NAME or NAME:key=value:key=value; values are JSON where they can be, else text."""
    extractor, *pairs = name.split(":")
    if extractor in set(EXTRACTORS):
        options = dict(_option(pair, name) for pair in pairs)
        make_extractor(extractor, options)
        return Ours(name, extractor, options)
    if extractor not in ADAPTERS or pairs:
        raise WrongCall(f"no extractor {name!r} to run; known are {_known()}")
    ADAPTERS[extractor].check()
    return Theirs(name)


def _option(pair: str, name: str) -> tuple[str, Any]:
    key, sign, value = pair.partition("=")
    if not sign or not key.isidentifier():
        raise WrongCall(f"{name!r}: options are written NAME:key=value:key=value")
    try:
        return key, json.loads(value)
    except (ValueError, RecursionError):
        return key, value


def _known() -> str:
    return ", ".join([*sorted(EXTRACTORS), *sorted(ADAPTERS)])
