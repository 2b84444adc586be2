"""Foreign extractors beside ours: one row a package, present only where the package is (extra `peers`).

They are run as their users run them, with the bytes and the package's own defaults. Comments and tables follow what
the gold texts hold. Nothing of these packages is copied here, and no other room may call them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

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
        return self.call(import_module(self.module), html, url) or ""


def package_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _trafilatura(module: Any, html: bytes, url: str | None) -> str | None:
    text: str | None = module.extract(html, url=url, include_comments=False)
    return text


def _readability(module: Any, html: bytes, url: str | None) -> str | None:
    """The package gives a fragment; its text is taken with a line a block, as a reader of the fragment sees it."""
    from lxml import html as lxml_html

    summary = module.Document(html).summary(html_partial=True)
    fragment = lxml_html.fragment_fromstring(summary, create_parent="div")
    for element in fragment.iter("p", "div", "li", "br", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "blockquote", "pre"):
        element.tail = "\n" + (element.tail or "")
    return str(fragment.text_content())


def _resiliparse(module: Any, html: bytes, url: str | None) -> str | None:
    encoding = import_module("resiliparse.parse.encoding")
    text = encoding.bytes_to_str(html, encoding.detect_encoding(html))
    return str(module.extract_plain_text(text, main_content=True, alt_texts=False, preserve_formatting=True))


def _boilerpy3(module: Any, html: bytes, url: str | None) -> str | None:
    """The Python port of boilerpipe takes text only, so the bytes are decoded as our own pages are."""
    return str(module.ArticleExtractor(raise_on_failure=False).get_content(Page(html, url).source))


#: Name on the command line, package, module, call.
ADAPTERS: dict[str, Adapter] = {
    "trafilatura": Adapter("trafilatura", "trafilatura", _trafilatura),
    "readability": Adapter("readability-lxml", "readability", _readability),
    "resiliparse": Adapter("resiliparse", "resiliparse.extract.html2text", _resiliparse),
    "boilerpipe": Adapter("boilerpy3", "boilerpy3.extractors", _boilerpy3),
}
