"""Interface of extractors: `Extractor`, `Extraction` and `Block`.

An extractor is a frozen dataclass of at most five options whose call is the method: `extractor(page, peer=None)`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import compress
from math import isfinite
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from newsextract.errors import WrongOption
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page with the method's decision.

    `xpath`: of its block element; `score`: the method's value, higher for article text; `evidence`: components of the
    score by name, where the method has them.
    """

    text: str
    xpath: str
    score: float
    chosen: bool
    evidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Extraction:
    """The result of an extractor on one page.

    `texts`: the method's blocks in reading order; `origins`: index of the block of `page.blocks` that each is, or is
    part of; `chosen`, `scores`: one value a block; `evidence`: name -> one value a block; `confidence`: that the text
    is right, 0 to 1; `by`: the method used, if an extractor has several; `peer_url`: the page compared with.

    `source`: "page", or the kind of data with the text ("json-ld", "next-data" ...); then `page` is made from the data.
    `is_withheld`: the data have more than the page shows, unused because the page isn't free. See `with_data`.
    """

    page: Page
    texts: Sequence[str]
    origins: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    scores: NDArray[np.float64]
    evidence: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    confidence: float | None = None
    by: str | None = None
    peer_url: str | None = None
    source: str = "page"
    is_withheld: bool = False

    @classmethod
    def of_blocks(cls, page: Page, chosen: ArrayLike, scores: ArrayLike | None = None, **more: Any) -> "Extraction":
        """The result of a method that decides on `page.blocks`: (blocks,) bool, and (blocks,) values or None."""
        mask = np.asarray(chosen, bool)
        values = mask.astype(float) if scores is None else np.asarray(scores, float)
        return cls(page, page.blocks.texts, np.arange(len(mask)), mask, values, **more)

    @classmethod
    def of_nodes(
        cls,
        page: Page,
        chosen: ArrayLike,
        scores: ArrayLike | None = None,
        evidence: Mapping[str, ArrayLike] | None = None,
    ) -> "Extraction":
        """The result for (text nodes,) columns; equally decided neighbours of a block are joined."""
        nodes = page.view(TextNodes)
        mask = np.asarray(chosen, bool)
        runs = nodes.runs(mask)
        texts = [nodes.joined(first, last) for first, last in runs]
        kept = np.array([bool(text) for text in texts], bool)
        first, last = np.array(runs, np.int64).reshape(-1, 2).T

        def of_runs(column: ArrayLike) -> NDArray[np.float64]:
            values = np.asarray(column, float)
            return (np.add.reduceat(values, first) / (last - first))[kept] if runs else values

        values = of_runs(mask if scores is None else scores)
        columns = {name: of_runs(column) for name, column in (evidence or {}).items()}
        texts = [text for text in texts if text]
        return cls(page, texts, nodes.blocks[first[kept]], mask[first[kept]], values, columns)

    @cached_property
    def text(self) -> str:
        """The text of the chosen blocks in reading order, one block a line."""
        return "\n".join(compress(self.texts, self.chosen.tolist()))

    @cached_property
    def chosen_rows(self) -> list[int]:
        """Indices of the chosen texts, ascending."""
        return list(self.chosen.nonzero()[0].tolist())

    @property
    def chosen_blocks(self) -> list[int]:
        """Indices of the blocks of `page.blocks` that the text comes from, ascending."""
        if self.texts is self.page.blocks.texts:
            return self.chosen_rows
        return sorted(set(self.origins[self.chosen].tolist()))

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks of the page in reading order, with score, decision and evidence."""
        paths = self.page.blocks.xpaths
        columns = {name: column.tolist() for name, column in self.evidence.items()}
        rows = zip(self.texts, self.origins.tolist(), self.scores.tolist(), self.chosen.tolist(), strict=True)
        return [
            Block(text, paths[origin], score, chosen, {name: column[row] for name, column in columns.items()})
            for row, (text, origin, score, chosen) in enumerate(rows)
        ]


@runtime_checkable
class Extractor(Protocol):
    """A method: constructed with its options, called with a page.

    `name`: for selecting it; `paper`: its citation in one line; `needs_peer`: whether it raises `PeerNeeded` without
    one. A method that works without a peer but is better with one also has `uses_peer = True`.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    needs_peer: ClassVar[bool]

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction: ...


def accepts_peer(extractor: Extractor) -> bool:
    """Whether an extractor needs a peer or works better with one; extractors of other packages may lack `uses_peer`."""
    return bool(getattr(extractor, "uses_peer", extractor.needs_peer))


def option(default: Any, *allowed: Any) -> Any:
    """An option of a `Method`. `allowed`: minimum and maximum, or the allowed strings."""
    return field(default=default, metadata={"allowed": allowed})


@dataclass(frozen=True)
class Method:
    """Base of the methods of this package, which need no peer by default. Raises WrongOption."""

    name: ClassVar[str]
    paper: ClassVar[str]
    needs_peer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value, place = getattr(self, each.name), f"{self.name}: {each.name}"
            allowed = each.metadata.get("allowed")
            if isinstance(each.default, bool):
                if not isinstance(value, bool):
                    raise WrongOption(f"{place} is True or False, not {value!r}")
            elif allowed and isinstance(each.default, str):
                if value not in allowed:
                    raise WrongOption(f"{place} is one of {', '.join(allowed)}, not {value!r}")
            elif allowed:
                low, high = allowed
                is_whole = isinstance(each.default, int)
                kind = int if is_whole else int | float
                if isinstance(value, bool) or not isinstance(value, kind) or not isfinite(value):
                    raise WrongOption(f"{place} is a {'whole ' if is_whole else ''}number, not {value!r}")
                if not low <= value <= high:
                    raise WrongOption(f"{place} is {low:g} to {high:g}, not {value!r}")
