"""Paired: TSReC if the page has a peer of its template, otherwise ECON.

No paper of its own; the two it combines are cited in `tsrec.py` and `econ.py`. The default before `fusion`.
"""

from dataclasses import dataclass, replace

from newsextract.errors import PeerNeeded
from newsextract.extractors.base import Extraction, Method
from newsextract.methods.econ import Econ
from newsextract.methods.tsrec import TSReC
from newsextract.page import Page


@dataclass(frozen=True)
class Paired(Method):
    """No options. `Extraction.by` is the method that was used."""

    name = "paired"
    paper = "tsrec where a page has a peer, else econ"
    uses_peer = True

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        try:
            return replace(TSReC()(page, peer), by="tsrec")
        except PeerNeeded:
            return replace(Econ()(page), by="econ")
