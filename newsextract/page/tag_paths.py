"""The distinct tag paths of a page, as one tree: a path is its parent's path and one tag more.

A tuple of tags for each path would take depth times as much memory, which a deep page of many tags turns into
gigabytes.
"""

from collections.abc import Sequence
from typing import overload


class TagPaths(Sequence[tuple[str, ...]]):
    """Tag names from the root down, by number; a path's number is greater than its parent's.

    `parents`: number of the path less its last tag, -1 at the root; `tags`: the last tag; `depths`: how many tags.
    """

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.depths: list[int] = []
        self._known: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.tags)

    @overload
    def __getitem__(self, index: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        path, at = [], range(len(self))[index]
        while at >= 0:
            path.append(self.tags[at])
            at = self.parents[at]
        return tuple(reversed(path))

    def number(self, parent: int, tag: str) -> int:
        """The number of a path, given its parent's (-1: none); a new one where it was not met before."""
        known = self._known.get((parent, tag))
        if known is None:
            known = self._known[parent, tag] = len(self.tags)
            self.parents.append(parent)
            self.tags.append(tag)
            self.depths.append(1 if parent < 0 else self.depths[parent] + 1)
        return known

    def parting(self, a: int, b: int) -> tuple[list[str], list[str]]:
        """What two paths have beyond their common beginning, each from its end upwards."""
        left: list[str] = []
        right: list[str] = []
        while a != b:
            if b < 0 or (a >= 0 and self.depths[a] >= self.depths[b]):
                left.append(self.tags[a])
                a = self.parents[a]
            else:
                right.append(self.tags[b])
                b = self.parents[b]
        return left, right
