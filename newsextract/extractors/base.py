"""What an extractor is and what it gives back. An extractor is a frozen dataclass of at most five parameters whose call
is the method: `extractor(page, peer=None) -> Extraction`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from newsextract.page import Page


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page and what the method thinks of it.

    `xpath`: its block element; `score`: the method's own value, the higher the more article; `evidence`: what the
    score is made of, by name, where the method has parts.
    """

    text: str
    xpath: str
    score: float
    chosen: bool
    evidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Extraction:
    """What a method chose of a page.

    `texts`, `origins`: the method's blocks in reading order, and which of `page.blocks` each is (a part of);
    `chosen`, `scores`: one value a block; `evidence`: name -> one value a block; `confidence`: of the whole, 0 to 1;
    `by`: the method used, where an extractor has several; `peer_url`: the page it was compared with.
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

    @classmethod
    def of_blocks(cls, page: Page, chosen: ArrayLike, scores: ArrayLike | None = None, **more: Any) -> "Extraction":
        """For methods that decide on the page's own blocks: (blocks,) bool, and (blocks,) values if there are any."""
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
        **more: Any,
    ) -> "Extraction":
        """For methods that decide on text nodes: neighbours in one block with one decision are one block again.

        All columns are (text nodes,); a block's values are the means of its nodes'.
        """
        nodes = page.text_nodes
        mask = np.asarray(chosen, bool)
        runs = nodes.runs(mask)
        texts = [nodes.joined(first, last) for first, last in runs]
        kept = np.array([bool(text) for text in texts], bool)
        first, last = np.array(runs, np.int64).reshape(-1, 2).T

        def of_runs(column: ArrayLike) -> NDArray[np.float64]:
            values = np.asarray(column, float)
            means: NDArray[np.float64] = (np.add.reduceat(values, first) / (last - first))[kept] if runs else values
            return means

        values = of_runs(mask if scores is None else scores)
        columns = {name: of_runs(column) for name, column in (evidence or {}).items()}
        texts = [text for text in texts if text]
        return cls(page, texts, nodes.blocks[first[kept]], mask[first[kept]], values, columns, **more)

    @cached_property
    def text(self) -> str:
        """The chosen blocks in reading order, one a line."""
        return "\n".join(text for text, chosen in zip(self.texts, self.chosen.tolist(), strict=True) if chosen)

    @property
    def chosen_blocks(self) -> list[int]:
        """Which of `page.blocks` the text comes from, ascending."""
        return sorted(set(self.origins[self.chosen].tolist()))

    @cached_property
    def blocks(self) -> list[Block]:
        """Every block of the page in order."""
        paths = self.page.blocks.xpaths
        names, columns = list(self.evidence), [column.tolist() for column in self.evidence.values()]
        rows = zip(*columns, strict=True) if columns else ([] for _ in self.texts)
        return [
            Block(text, paths[origin], score, chosen, dict(zip(names, row, strict=True)))
            for text, origin, score, chosen, row in zip(
                self.texts, self.origins.tolist(), self.scores.tolist(), self.chosen.tolist(), rows, strict=True
            )
        ]


@runtime_checkable
class Extractor(Protocol):
    """A published method, or yours: constructed with its options, called with a page."""

    #: The name under which it is chosen, its paper in a line, and whether it can't do without a peer. One that can,
    #: but is better with it, says so by a further `uses_peer = True`.
    name: ClassVar[str]
    paper: ClassVar[str]
    needs_peer: ClassVar[bool]

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction: ...
