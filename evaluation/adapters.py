"""Foreign extractors beside ours: one row a package, present only where the package is (extra `peers`).

They are run as their users run them, with the bytes where they take bytes, without readers' comments, which no gold
text holds. Nothing of these packages is copied here, and no other room may call them.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import lxml.html

from newsextract.errors import WrongCall
from newsextract.page import Page


@dataclass(frozen=True)
class Adapter:
    """`package` is its name in the index, `module` what is imported, `call` takes that module, the bytes, the URL."""

    package: str
    module: str
    call: Callable[[Any, bytes, str | None], str | None]

    def check(self) -> None:
        """WrongCall where the package is not installed."""
        try:
            import_module(self.module)
        except ImportError as error:
            raise WrongCall(
                f"{self.package} is not installed ({error}); the foreign extractors of the bench come with "
                "pip install 'newsextract[peers]'"
            ) from error

    def extract(self, html: bytes, url: str | None) -> str:
        """Its text, "" where it finds none; what it logs is not shown."""
        module = import_module(self.module)
        level = logging.root.manager.disable
        logging.disable(logging.CRITICAL)
        try:
            return self.call(module, html, url) or ""
        finally:
            logging.disable(level)


def package_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _trafilatura(module: Any, html: bytes, url: str | None) -> str | None:
    text: str | None = module.extract(html, url=url, include_comments=False)
    return text


def _readability(module: Any, html: bytes, url: str | None) -> str | None:
    """The package gives a cleaned document; its text nodes are its lines. Bytes that it can't read it gets as text."""
    try:
        summary = module.Document(html).summary()
    except module.Unparseable:
        summary = module.Document(Page(html, url).source).summary()
    return "\n".join(lxml.html.document_fromstring(summary).itertext())


def _resiliparse(module: Any, html: bytes, url: str | None) -> str | None:
    """Text only: bytes are decoded as our own pages are."""
    text: str = module.extract_plain_text(Page(html, url).source, main_content=True, alt_texts=False, comments=False)
    return text


def _boilerpy3(module: Any, html: bytes, url: str | None) -> str | None:
    """A Python port of boilerpipe's ArticleExtractor. It takes text, and loses whole pages to tags left open, which
    boilerpipe's own parser repairs: so it gets our tree's."""
    tree = Page(html, url).tree
    repaired = "" if tree is None else tree.node.html
    return str(module.ArticleExtractor(raise_on_failure=False).get_content(repaired))


#: Name on the command line, package, module, call.
ADAPTERS: dict[str, Adapter] = {
    "trafilatura": Adapter("trafilatura", "trafilatura", _trafilatura),
    "readability": Adapter("readability-lxml", "readability.readability", _readability),
    "resiliparse": Adapter("resiliparse", "resiliparse.extract.html2text", _resiliparse),
    "boilerpipe": Adapter("boilerpy3", "boilerpy3.extractors", _boilerpy3),
}
