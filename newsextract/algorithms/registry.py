"""All extractors by name: ours, and those that installed packages add by entry points."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any

from newsextract.algorithms.base import Extractor
from newsextract.algorithms.econ import Econ
from newsextract.errors import UnknownExtractor, WrongOption

GROUP = "newsextract.extractors"
OURS: tuple[type[Extractor], ...] = (Econ,)


class Registry(Mapping[str, type[Extractor]]):
    """Name -> class. Entry points of the group `newsextract.extractors` join; they can't replace ours."""

    def __init__(self) -> None:
        self._ours = {extractor.name: extractor for extractor in OURS}
        self._added: dict[str, Any] | None = None

    def __getitem__(self, name: str) -> type[Extractor]:
        if name in self._ours:
            return self._ours[name]
        extractor: type[Extractor] = self._points()[name].load()
        return extractor

    def __iter__(self) -> Any:
        return iter(sorted(self._ours.keys() | self._points().keys()))

    def __len__(self) -> int:
        return len(self._ours.keys() | self._points().keys())

    def __repr__(self) -> str:
        return f"<extractors {', '.join(self)}>"

    def _points(self) -> dict[str, Any]:
        if self._added is None:
            self._added = {point.name: point for point in entry_points(group=GROUP) if point.name not in self._ours}
        return self._added


EXTRACTORS = Registry()


def make_extractor(name: str, options: Mapping[str, Any] | None = None) -> Extractor:
    """The extractor of that name with those options; `UnknownExtractor` or `WrongOption` names what is allowed."""
    if not isinstance(name, str) or name not in EXTRACTORS:
        close = get_close_matches(str(name), EXTRACTORS, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise UnknownExtractor(f"no extractor is called {name!r}{hint}; known are {', '.join(EXTRACTORS)}")
    try:
        extractor = EXTRACTORS[name]
    except (ImportError, AttributeError) as error:
        raise UnknownExtractor(f"extractor {name!r} is installed but can't be loaded: {error}") from error
    allowed = [field.name for field in fields(extractor)] if is_dataclass(extractor) else []
    for option in options or {}:
        if allowed and option not in allowed:
            raise WrongOption(f"extractor {name!r} has no option {option!r}; it takes {', '.join(allowed)}")
        if is_dataclass(extractor) and not allowed:
            raise WrongOption(f"extractor {name!r} takes no options, {option!r} was given")
    try:
        return extractor(**(options or {}))
    except (TypeError, ValueError) as error:
        raise WrongOption(f"extractor {name!r}: {error}") from error
