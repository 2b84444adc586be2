"""Extractors with known outputs, importable in worker processes."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.extractors import TimedText
from newsextract.errors import PeerNeeded


@dataclass(frozen=True)
class Says:
    """Gives back the page's bytes as text, less the first `cut` characters, or always the same text."""

    name: str = "says"
    cut: int = 0
    says: str = ""

    def versions(self) -> Mapping[str, str]:
        return {"says": "1.0"}

    def extract(self, html, url, peer):
        return TimedText(self.says or html.decode()[self.cut :], 1.0, 3.0)

    def is_article(self, html, url):
        return b"article" in html


@dataclass(frozen=True)
class Fails(Says):
    """Fails, hangs or dies on the pages that say so."""

    name: str = "fails"

    def extract(self, html, url, peer):
        if b"hang" in html:
            time.sleep(30)
        if b"die" in html:
            raise RuntimeError("dead")
        return super().extract(html, url, peer)


@dataclass(frozen=True)
class Compares(Says):
    """Gives back the peer's URL; refuses to work without."""

    name: str = "compares"

    def extract(self, html, url, peer):
        if peer is None:
            raise PeerNeeded("needs two pages")
        return TimedText(peer.url or peer.source, None, 2.0)
