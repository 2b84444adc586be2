"""`EXTRACTORS`: all extractors by name, built in and from entry points; `make_extractor`: one with its options.

To add an extractor: a module in `newsextract/methods/` and its line in `BUILT_IN`. Other packages add theirs by an
entry point in the group `newsextract.extractors`.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from newsextract.errors import UnknownExtractor, WrongOption, suggest
from newsextract.extractors.base import Extractor
from newsextract.version import VERSION

GROUP = "newsextract.extractors"
#: The extractor with whose confidence the page type classifier was fitted; those of other extractors aren't comparable.
FITTED_EXTRACTOR = "fusion"
#: Name -> module of the package and class, imported on first use.
BUILT_IN = {
    "bte": "methods.bte.BTE",
    "cedp-ctd": "methods.cedp.CEDPCTD",
    "cedp-dsum": "methods.cedp.CEDPDSum",
    "cedp-nltd": "methods.cedp.CEDPNLTD",
    "cedp-td": "methods.cedp.CEDPTD",
    "ceds": "methods.cepf.CEDS",
    "cedst": "methods.cedst.CEDST",
    "cedst-nc": "methods.cedst.CEDSTNC",
    "cedst-tf": "methods.cedst.CEDSTTF",
    "cepf": "methods.cepf.CEPF",
    "cepr": "methods.cepr.CEPR",
    "cetd": "methods.cetd.CETD",
    "cetr": "methods.cetr.CETR",
    "cetr-tm": "methods.cetr.CETRTM",
    "coreex": "methods.coreex.CoreEx",
    "econ": "methods.econ.Econ",
    "fusion": "extractors.fusion.Fusion",
    "mcstd": "methods.mcstd.MCSTD",
    "paired": "methods.paired.Paired",
    "tsrec": "methods.tsrec.TSReC",
    "twcem": "methods.twcem.TWCEM",
}

#: The fitted weights on which articles depend.
WEIGHTS = (
    "extractors/fusion/boxes.json",
    "extractors/fusion/weights.json",
    "metadata/authors.json",
    "metadata/dates.json",
    "metadata/headline.json",
    "metadata/page_type.json",
    "site_profile/weights.json",
)


class Registry(Mapping[str, type[Extractor]]):
    """Name -> class; entry points add names but cannot replace built-in ones."""

    def __getitem__(self, name: str) -> type[Extractor]:
        if name in BUILT_IN:
            module, _, attribute = BUILT_IN[name].rpartition(".")
            built_in: type[Extractor] = getattr(import_module(f"newsextract.{module}"), attribute)
            return built_in
        extractor: type[Extractor] = _entry_points()[name].load()
        return extractor

    def __contains__(self, name: object) -> bool:  # without importing it
        return name in BUILT_IN or name in _entry_points()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(BUILT_IN.keys() | _entry_points().keys()))

    def __len__(self) -> int:
        return len(BUILT_IN.keys() | _entry_points().keys())

    def __repr__(self) -> str:
        return f"<extractors {', '.join(self)}>"


@cache
def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points  # only for unknown names: it takes as long as importing turbohtml

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in BUILT_IN}


EXTRACTORS = Registry()


def make_extractor(name: str, options: Mapping[str, object] | None = None) -> Extractor:
    """Construct an extractor by name with its options.

    A name with a dot is a class to import (`mymodule.MyExtractor`). Raises `UnknownExtractor` or `WrongOption`, whose
    messages list what is allowed.
    """
    extractor = _class_of(name)
    options = dict(options or {})
    if options and is_dataclass(extractor):
        allowed = [field.name for field in fields(extractor)]
        for option in options.keys() - set(allowed):
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
            raise WrongOption(f"extractor {name!r} has no option {option!r}; {takes}")
    try:
        made: Extractor = extractor(**options)
    except (TypeError, ValueError) as error:
        raise WrongOption(f"extractor {name!r}: {error}") from error
    return made


def _class_of(name: str) -> Any:
    """The class of a registered name or dotted path. Raises UnknownExtractor with the closest name."""
    if "." not in name and name not in EXTRACTORS:
        hint = f" ({close})" if (close := suggest(name, EXTRACTORS)) else ""
        raise UnknownExtractor(f"there is no extractor {name!r}{hint}; known are {', '.join(EXTRACTORS)}")
    module, _, attribute = name.rpartition(".")
    try:
        loaded = getattr(import_module(module), attribute) if "." in name else EXTRACTORS[name]
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise UnknownExtractor(f"extractor {name!r} can't be loaded: {error}") from error
    if not callable(loaded) or not hasattr(loaded, "name"):
        raise UnknownExtractor(f"{name!r} isn't an extractor: use a class with `name`, `paper` and `needs_peer`")
    return loaded


def made_by(name: str, options: Mapping[str, object], **settings: object) -> str:
    """What makes articles, as a line of JSON: version, extractor, a hash of all weights, and settings with a value."""
    weights = hashlib.sha256(b"".join((files("newsextract") / path).read_bytes() for path in WEIGHTS)).hexdigest()[:16]
    maker = {"newsextract": VERSION, "extractor": name, "weights": weights, "options": options, **settings}
    return json.dumps({key: value for key, value in maker.items() if value}, ensure_ascii=False, default=str)
