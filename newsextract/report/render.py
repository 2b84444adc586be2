"""One page's report as one HTML document that asks nothing of any other machine.

Its policy allows no source but the one style sheet and the one script in it, each by its hash: whatever of the page
might slip through as markup could still not run, load or look like anything.
"""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jinja2

from newsextract.article import article_of, body_rows
from newsextract.errors import PageError
from newsextract.extractors import Extraction, make_extractor
from newsextract.items import Article
from newsextract.page import Page
from newsextract.report.compare import compare
from newsextract.report.curve import draw_curve
from newsextract.report.fields import fields, web_address
from newsextract.report.matrix import lines, votes
from newsextract.report.rows import fuses, rows
from newsextract.report.shown import shown
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.version import VERSION


def render_report(
    page: Page,
    name: str,
    *,
    extractor: str = NEWSEXTRACT_EXTRACTOR,
    options: Mapping[str, Any] | None = None,
    peer: Page | None = None,
    peer_name: str | None = None,
) -> str:
    """The report on a page that is called `name`.

    PageError for a page without text, PeerNeeded for an extractor that compares two pages and got one, UnknownExtractor
    and WrongOption as everywhere.
    """
    chooser = make_extractor(extractor, options)
    if not len(page.blocks):
        raise PageError(f"{name} has no text to report on")
    extraction = chooser(page, peer)
    article = article_of(page, chooser, peer)
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            **_frame(),
            **_blocks(extraction, article),
            **_comparison(page, peer, chooser.name, extraction),
            name=name,
            headline=shown(article.headline or name),
            address=web_address(page.url),
            article=article,
            fields=fields(article),
            extractor=chooser,
            peer_name=peer_name or (peer and (peer.url or "a page without URL")),
            takes_peer=chooser.needs_peer or getattr(chooser, "uses_peer", False),
        )
    )


def _frame() -> dict[str, Any]:
    """What is the same in every report."""
    style, script = _own("report.css"), _own("report.js")
    allowed = f"style-src {_hash(style)}; script-src {_hash(script)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return {"version": VERSION, "style": style, "script": script, "policy": policy}


def _blocks(extraction: Extraction, article: Article) -> dict[str, Any]:
    body = body_rows(extraction, article.headline, article.authors)
    listed = rows(extraction, body)
    return {
        "by": extraction.by,
        "fused": fuses(extraction),
        "parts": list(extraction.evidence),
        "curve": draw_curve(extraction),
        "rows": listed,
        "unlisted": len(extraction.texts) - len(listed),
        "kept": int(extraction.chosen.sum()),
        "body": len(body),
    }


def _comparison(page: Page, peer: Page | None, name: str, extraction: Extraction) -> dict[str, Any]:
    opinions, silent = compare(page, peer, name, extraction)
    return {
        "opinions": opinions,
        "silent": silent,
        "lines": list(lines(page, extraction, opinions)),
        "votes": votes(opinions),
    }


def _own(name: str) -> str:
    """The text of a file of ours, as the document will hold it between the tags."""
    return files("newsextract.report").joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_own),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown
    return environment
