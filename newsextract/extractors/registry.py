"""All extractors by name: ours, and those that installed packages add by entry points."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from newsextract.errors import UnknownExtractor, WrongOption
from newsextract.extractors.base import Extractor

GROUP = "newsextract.extractors"
#: Our own by name: the module in this room and the class in it, imported when it is asked for.
OURS = {
    "bte": "bte.BTE",
    "cedp-ctd": "cedp.CEDPCTD",
    "cedp-dsum": "cedp.CEDPDSum",
    "cedp-nltd": "cedp.CEDPNLTD",
    "cedp-td": "cedp.CEDPTD",
    "ceds": "cepf.CEDS",
    "cedst": "cedst.CEDST",
    "cedst-nc": "cedst.CEDSTNC",
    "cedst-tf": "cedst.CEDSTTF",
    "cepf": "cepf.CEPF",
    "cepr": "cepr.CEPR",
    "cetd": "cetd.CETD",
    "cetr": "cetr.CETR",
    "cetr-tm": "cetr.CETRTM",
    "coreex": "coreex.CoreEx",
    "econ": "econ.Econ",
    "fusion": "fusion.Fusion",
    "mcstd": "mcstd.MCSTD",
    "paired": "paired.Paired",
    "tsrec": "tsrec.TSReC",
    "twcem": "twcem.TWCEM",
}


class Registry(Mapping[str, type[Extractor]]):
    """Name -> class. Entry points of the group `newsextract.extractors` join; they can't replace ours."""

    def __init__(self) -> None:
        self._added: dict[str, Any] | None = None

    def __getitem__(self, name: str) -> type[Extractor]:
        if name in OURS:
            module, _, attribute = OURS[name].partition(".")
            ours: type[Extractor] = getattr(import_module(f"newsextract.extractors.{module}"), attribute)
            return ours
        extractor: type[Extractor] = self._points()[name].load()
        return extractor

    def __contains__(self, name: object) -> bool:  # without loading it
        return name in OURS or name in self._points()

    def __iter__(self) -> Any:
        return iter(sorted(OURS.keys() | self._points().keys()))

    def __len__(self) -> int:
        return len(OURS.keys() | self._points().keys())

    def __repr__(self) -> str:
        return f"<extractors {', '.join(self)}>"

    def _points(self) -> dict[str, Any]:
        if self._added is None:
            self._added = {point.name: point for point in entry_points(group=GROUP) if point.name not in OURS}
        return self._added


EXTRACTORS = Registry()


def make_extractor(name: str, options: Mapping[str, Any] | None = None) -> Extractor:
    """The extractor of that name with those options.

    A name with a dot is a class to import (`mymodule.MyExtractor`). `UnknownExtractor` and `WrongOption` say what is
    allowed.
    """
    extractor: Any = _load(name) if "." in name else _known(name)
    options = dict(options or {})
    if is_dataclass(extractor):
        allowed = [field.name for field in fields(extractor)]
        for option in options.keys() - set(allowed):
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
            raise WrongOption(f"extractor {name!r} has no option {option!r}; {takes}")
    try:
        made: Extractor = extractor(**options)
    except (TypeError, ValueError) as error:
        raise WrongOption(f"extractor {name!r}: {error}") from error
    return made


def _known(name: str) -> type[Extractor]:
    if name not in EXTRACTORS:
        close = get_close_matches(name, EXTRACTORS, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise UnknownExtractor(f"no extractor is called {name!r}{hint}; known are {', '.join(EXTRACTORS)}")
    try:
        return EXTRACTORS[name]
    except (ImportError, AttributeError) as error:
        raise UnknownExtractor(f"extractor {name!r} is installed but can't be loaded: {error}") from error


def _load(path: str) -> Any:
    module, _, attribute = path.rpartition(".")
    try:
        loaded = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownExtractor(f"extractor {path!r} can't be imported: {error}") from error
    if not callable(loaded) or not hasattr(loaded, "name"):
        raise UnknownExtractor(f"{path!r} is no extractor: a class with `name`, `paper`, `needs_peer` is")
    return loaded
