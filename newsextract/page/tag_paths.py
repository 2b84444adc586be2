"""The distinct tag paths of a page, stored as a tree: each path is its parent's path and one tag more.

A tuple of tags for each path would take depth times as much memory, gigabytes for a deep page of many tags.
"""

from collections.abc import Sequence
from typing import overload


class TagPaths(Sequence[tuple[str, ...]]):
    """Tuples of tag names from the root down, by index; a path's index is greater than its parent's.

    Columns, one row a path. `parents`: index of the path without its last tag, -1 at the root; `tags`: the last tag;
    `depths`: number of tags.
    """

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.depths: list[int] = []
        self._index: dict[tuple[int, str], int] = {}

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

    def add(self, parent: int, tag: str) -> int:
        """The index of a path, given its parent's (-1: none) and its last tag; added if it is new."""
        index = self._index.get((parent, tag))
        if index is None:
            index = self._index[parent, tag] = len(self.tags)
            self.parents.append(parent)
            self.tags.append(tag)
            self.depths.append(1 if parent < 0 else self.depths[parent] + 1)
        return index

    def differing_suffixes(self, a: int, b: int) -> tuple[list[str], list[str]]:
        """The tags of two paths below their common prefix, each list from the path's end upwards."""
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
