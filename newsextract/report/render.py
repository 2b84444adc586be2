"""Rendering of the report as one HTML document that loads nothing, and writing it.

Its content security policy allows only the inline style sheet and script, each by its hash: markup of the page that
slipped through the escaping could still neither run nor load anything.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from newsextract.article.extract import read_article, with_decision
from newsextract.errors import PageError, StorageError
from newsextract.extractors import accepts_peer, extract_with_data, make_extractor
from newsextract.files import atomic_write, storing
from newsextract.items import Article, Image
from newsextract.page import Page
from newsextract.report.block_rows import TEXTS, block_rows, has_masses, visible_text
from newsextract.report.comparison import compare_extractors, count_votes, table_lines
from newsextract.report.curve import draw_curve
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.site_profile import SiteProfile, block_sentences
from newsextract.urls import split_url
from newsextract.version import VERSION


def render_report(
    page: Page,
    name: str,
    *,
    extractor: str = NEWSEXTRACT_EXTRACTOR,
    options: Mapping[str, object] | None = None,
    peer: Page | None = None,
    peer_name: str | None = None,
    site: SiteProfile | None = None,
) -> str:
    """The HTML report on a page, called `name` in it. Raises PageError for a page without text, PeerNeeded."""
    instance = make_extractor(extractor, options)
    extraction = extract_with_data(instance, page, peer)
    if not len(extraction.page.blocks):
        raise PageError(f"{name} has no text to report on")
    article = read_article(page, instance, peer, site)
    summary, decision = article.summary, article.decision
    assert summary is not None and decision is not None
    on_site = block_sentences(summary, site) if site is not None and decision.weights is not None else {}
    if decision.weights is not None and extraction.page is page:
        extraction = with_decision(extraction, summary, decision)
    rows = block_rows(extraction, article.body_rows, on_site)
    results, missing = compare_extractors(extraction.page, peer, instance.name, extraction)
    style, script = _read_template("report.css"), _read_template("report.js")
    sources = f"style-src {_csp_hash(style)}; script-src {_csp_hash(script)}"
    return _template().render(
        version=VERSION,
        style=style,
        script=script,
        policy=f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'",
        name=name,
        headline=visible_text(article.headline or name),
        address=page.url if page.url and split_url(page.url) else None,  # a click would run a `javascript:` URL
        article=article,
        fields=article_fields(article),
        extractor=instance,
        peer_name=peer_name or (peer and (peer.url or "a page without URL")),
        takes_peer=accepts_peer(instance),
        by=extraction.by,
        fused=has_masses(extraction),
        parts=list(extraction.evidence),
        meanings=TEXTS["meanings"],
        curve=draw_curve(extraction),
        groups=fold_rows(rows),
        unlisted=len(extraction.texts) - len(rows),
        kept=int(extraction.chosen.sum()),
        body=len(article.body_rows),
        results=results,
        missing=missing,
        lines=list(table_lines(extraction.page, extraction, results)),
        votes=count_votes(results),
    )


def write_report(text: str, path: Path) -> None:
    """Writes the report, atomically unless `path` is a pipe or device. Raises StorageError."""
    content = text.encode("utf-8", "replace")  # a file name in the text may contain lone surrogates
    try:
        with storing(path):
            if path.exists() and not path.is_file():
                path.write_bytes(content)  # a pipe or terminal can't be replaced, and a folder raises the right error
            else:
                with atomic_write(path.resolve()) as file:
                    file.write(content)
    except ValueError as error:  # an impossible file name
        raise StorageError(f"{path} can't be written: {error}") from error


def fold_rows(rows: Sequence[dict[str, Any]]) -> dict[str, Sequence[dict[str, Any]]]:
    """The rows before the first kept one, up to the last kept one, and after it; all in the middle if none is kept."""
    kept = [place for place, row in enumerate(rows) if row["state"] != "left"]
    first, last = (kept[0], kept[-1] + 1) if kept else (0, len(rows))
    return {"before": rows[:first], "kept": rows[first:last], "behind": rows[last:]}


def _read_template(name: str) -> str:
    return files("newsextract.report").joinpath("templates", name).read_text("utf-8")


def _csp_hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _template() -> jinja2.Template:
    loader, strict = jinja2.FunctionLoader(_read_template), jinja2.StrictUndefined
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=strict, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["visible"] = visible_text
    return environment.get_template("report.html.jinja")


def article_fields(article: Article) -> list[tuple[str, str, str | None]]:
    """The fields with a value, in the order of texts.toml: name, value, and source."""
    values = {name: getattr(article, name) for name in TEXTS["fields"]}
    filled = {name: value for name, value in values.items() if value not in (None, "", [])}
    return [(name, visible_text(_field_text(value)), article.sources.get(name)) for name, value in filled.items()]


def _field_text(value: Any) -> str:
    if isinstance(value, list):
        return " · ".join(map(_field_text, value))
    if isinstance(value, Image):
        return value.url
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)
