"""Which pages a worker holds parsed: the crawl and the worker keep the same list, so a page is sent and parsed once."""

from collections import OrderedDict
from typing import Generic, TypeVar

Held = TypeVar("Held")

#: Bytes of the pages a worker holds (a tree takes about ten times its page): enough for the references of a few sites
#: and the pages under way. One page is always held, however large.
CAPACITY = 12_000_000


class Shelf(Generic[Held]):
    """The pages used last, by key. Both sides make the same calls in the same order, so both hold the same keys."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._held: OrderedDict[str, tuple[int, Held]] = OrderedDict()
        self._capacity = capacity
        self._size = 0

    def __contains__(self, key: object) -> bool:
        return key in self._held

    def get(self, key: str) -> Held:
        """The page, which is now the one used last."""
        self._held.move_to_end(key)
        return self._held[key][1]

    def put(self, key: str, held: Held, size: int) -> None:
        """Takes a page of that many bytes that is not held yet; those used longest ago go."""
        self._held[key] = size, held
        self._size += size
        while self._size > self._capacity and len(self._held) > 1:
            self._size -= self._held.popitem(last=False)[1][0]
