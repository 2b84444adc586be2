"""Extractors as the evaluation runs them: those of this project with their options, and other packages.

Each gets the bytes of a page and starts without cached results, as for a page just fetched; only the peer, which a
crawl keeps, is parsed already. CPU time is taken at the end of the parse and at the end of the extraction, because the
cost of a method is what it adds to the parse.

Other packages (extra `peers`) are called as their users call them, with bytes if they take bytes, without readers'
comments, which no gold text has. Nothing of them is copied here, and no other package may call them.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple, Protocol

import lxml.html

from evaluation.corpora import Gold
from evaluation.results import package_version
from evaluation.training.folds import fold_of, fold_weights
from newsextract.article.extract import extract
from newsextract.cli.options import extractor_options
from newsextract.errors import WrongCall
from newsextract.extractors import EXTRACTORS, extract_with_data, make_extractor
from newsextract.page import Page


class TimedText(NamedTuple):
    """An extracted text, and milliseconds of CPU time for the parse and in total (not wall time, which depends on
    other work of the machine). `parse` is None for packages that don't separate the two.
    """

    text: str
    parse: float | None
    total: float


class EvaluatedExtractor(Protocol):
    """Interface of both kinds. Created once, called once per page, in any process: it must be picklable."""

    @property
    def name(self) -> str:
        """As given by the caller, with options: the key in results."""

    def versions(self) -> Mapping[str, str]:
        """Name and version of the packages that its output depends on."""

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> TimedText:
        """Extracts one page from its bytes."""

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        """Whether it classifies the page as an article; None if it doesn't classify pages."""


@dataclass(frozen=True)
class OwnExtractor:
    """An extractor of EXTRACTORS. `folds`: a folder with weights by fold; each page gets those of its fold."""

    name: str
    extractor: str
    options: Mapping[str, Any] = field(default_factory=dict)
    folds: Path | None = None

    def for_page(self, gold: Gold) -> "OwnExtractor":
        """The extractor with the weights that were fitted without the page's site, if there are weights by fold."""
        if self.folds is None:
            return self
        return replace(self, options={**self.options, "weights": str(fold_weights(self.folds, fold_of(gold)))})

    def versions(self) -> Mapping[str, str]:
        return {}

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> TimedText:
        extractor = make_extractor(self.extractor, dict(self.options))
        start = process_time()
        page = Page(html, url)
        _ = page.tree
        parsed = process_time()
        text = extract_with_data(extractor, page, peer).text
        end = process_time()
        return TimedText(text, (parsed - start) * 1000, (end - start) * 1000)

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        return extract(html, url, extractor=self.extractor, options=dict(self.options)).is_article


@dataclass(frozen=True)
class ForeignExtractor:
    """Another package: name on the command line and on PyPI, module to import, function of module, bytes and URL."""

    name: str
    package: str
    module: str
    call: Callable[[Any, bytes, str | None], str | None]

    def versions(self) -> Mapping[str, str]:
        return {self.package: package_version(self.package)}

    def check(self) -> None:
        """Raises WrongCall if the package is not installed."""
        try:
            import_module(self.module)
        except ImportError as error:
            raise WrongCall(
                f"{self.package} is not installed ({error}); the foreign extractors come with "
                "pip install 'newsextract[peers]'"
            ) from error

    def text(self, html: bytes, url: str | None) -> str:
        """The extracted text, "" if there is none. Log messages of the package are suppressed."""
        with silenced():
            return self.call(import_module(self.module), html, url) or ""

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> TimedText:
        start = process_time()
        text = self.text(html, url)
        return TimedText(text, None, (process_time() - start) * 1000)

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        return None


@contextmanager
def silenced() -> Iterator[None]:
    """Log messages in the block are suppressed."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(level)


def _trafilatura(module: Any, html: bytes, url: str | None) -> Any:
    return module.extract(html, url=url, include_comments=False)


def _readability(module: Any, html: bytes, url: str | None) -> str | None:
    """Text nodes of the cleaned document, one a line. Bytes that it can't parse are passed as decoded text."""
    try:
        summary = module.Document(html).summary()
    except module.Unparseable:
        summary = module.Document(Page(html, url).source).summary()
    return "\n".join(lxml.html.document_fromstring(summary).itertext())


def _resiliparse(module: Any, html: bytes, url: str | None) -> Any:
    """It accepts only text: bytes are decoded by `newsextract.page`."""
    return module.extract_plain_text(Page(html, url).source, main_content=True, alt_texts=False, comments=False)


def _boilerpy3(module: Any, html: bytes, url: str | None) -> str | None:
    """Python port of boilerpipe's ArticleExtractor. It loses whole pages to unclosed tags, which boilerpipe's own
    parser repairs; therefore it gets the serialisation of our tree."""
    repaired = Page(html, url).tree.node.html
    return str(module.ArticleExtractor(raise_on_failure=False).get_content(repaired))


#: Name on the command line -> package.
FOREIGN = {
    extractor.name: extractor
    for extractor in (
        ForeignExtractor("trafilatura", "trafilatura", "trafilatura", _trafilatura),
        ForeignExtractor("readability", "readability-lxml", "readability.readability", _readability),
        ForeignExtractor("resiliparse", "resiliparse", "resiliparse.extract.html2text", _resiliparse),
        ForeignExtractor("boilerpipe", "boilerpy3", "boilerpy3.extractors", _boilerpy3),
    )
}


def find_extractors(names: str | Sequence[str | EvaluatedExtractor]) -> list[EvaluatedExtractor]:
    """The extractors of "econ,cetd:density=td,trafilatura" or of a list of such names.

    Raises WrongCall for unknown names and options, and for packages that are not installed.
    """
    parts = names.split(",") if isinstance(names, str) else names
    extractors = [find_extractor(part.strip()) if isinstance(part, str) else part for part in parts]
    if not extractors:
        raise WrongCall(f"no extractor named; known are {_known_names()}")
    if len({extractor.name for extractor in extractors}) < len(extractors):
        raise WrongCall(f"an extractor is named twice: {', '.join(extractor.name for extractor in extractors)}")
    return extractors


def find_extractor(name: str) -> EvaluatedExtractor:
    """An extractor from NAME or NAME:key=value:key=value; values are parsed as JSON, otherwise text."""
    extractor, *pairs = name.split(":")
    if extractor in set(EXTRACTORS):
        options = extractor_options(pairs, f"{name!r} (NAME:key=value:key=value):")
        make_extractor(extractor, options)
        return OwnExtractor(name, extractor, options)
    if extractor not in FOREIGN or pairs:
        raise WrongCall(f"no extractor {name!r} to run; known are {_known_names()}")
    FOREIGN[extractor].check()
    return FOREIGN[extractor]


def _known_names() -> str:
    return ", ".join([*sorted(EXTRACTORS), *sorted(FOREIGN)])
