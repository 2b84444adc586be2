"""Validation of an extractor's options, when it is constructed and not at its first page."""

from collections.abc import Collection, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any

from newsextract.errors import WrongOption


def check_options(
    extractor: Any, bounds: Mapping[str, tuple[float, float]], words: Mapping[str, Collection[str]]
) -> None:
    """Raise WrongOption unless numbers are within `bounds`, strings among `words`, and switches True or False.

    A number whose default is an int has to be one. Called in `__post_init__` of an extractor, which is a dataclass.
    """
    for field in fields(extractor):
        value, place = getattr(extractor, field.name), f"{extractor.name}: {field.name}"
        if isinstance(field.default, bool):
            if not isinstance(value, bool):
                raise WrongOption(f"{place} is True or False, not {value!r}")
        elif field.name in bounds:
            low, high = bounds[field.name]
            whole = isinstance(field.default, int)
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not isfinite(value):
                raise WrongOption(f"{place} is a {'whole ' if whole else ''}number, not {value!r}")
            if not low <= value <= high:
                raise WrongOption(f"{place} is {low:g} to {high:g}, not {value!r}")
        elif field.name in words and value not in words[field.name]:
            raise WrongOption(f"{place} is one of {', '.join(words[field.name])}, not {value!r}")
