"""Pickling of frozen dataclasses with slots, dozens of which go to a worker and back with each page."""

from collections.abc import Iterable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")


def pickled_at_once(cls: type[T]) -> type[T]:
    """Class decorator, outside of `dataclass`, which looks up all fields again for each object that is pickled.

    For two fields and more. The state is the same, so what was pickled without it can be read.
    """
    names = [field.name for field in fields(cls)]  # type: ignore[arg-type]  # dataclasses only
    values, setters = attrgetter(*names), [getattr(cls, name).__set__ for name in names]

    def get_state(self: T) -> tuple[Any, ...]:
        state: tuple[Any, ...] = values(self)
        return state

    def set_state(self: T, state: Iterable[Any]) -> None:
        for put, value in zip(setters, state, strict=False):
            put(self, value)

    cls.__getstate__ = get_state  # type: ignore[assignment]
    cls.__setstate__ = set_state  # type: ignore[attr-defined]
    return cls
