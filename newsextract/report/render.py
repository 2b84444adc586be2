"""Rendering of the report as one HTML document that loads nothing, and writing it.

Its content security policy allows only the inline style sheet and script, each by its hash: markup of the page that
slipped through the escaping could still neither run nor load anything.

The comparison of all extractors on the page has the share of each block that each keeps, and their agreement.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from newsextract.article.body import body_rows
from newsextract.article.extract import read_article, with_decision
from newsextract.errors import NewsextractError, PageError, StorageError
from newsextract.extractors import EXTRACTORS, Extraction, accepts_peer, extract_with_data, make_extractor
from newsextract.files import atomic_write, storing
from newsextract.items import Article, Image
from newsextract.page import Page
from newsextract.report.drawings import MAX_ROWS, TEXTS, Floats, block_rows, draw_curve, has_masses, visible_text
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.site_profile import block_sentences
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
) -> str:
    """The HTML report on a page, called `name` in it. Raises PageError for a page without text, PeerNeeded."""
    instance = make_extractor(extractor, options)
    extraction = extract_with_data(instance, page, peer)
    if not len(extraction.page.blocks):
        raise PageError(f"{name} has no text to report on")
    reading = read_article(page, instance, peer)
    article, summary, decision = reading.article, reading.summary, reading.decision
    on_site = block_sentences(summary, page.site) if decision.weights is not None else {}
    if decision.weights is not None and extraction.page is page:
        extraction = with_decision(extraction, summary, decision)
    body = body_rows(extraction, article.headline, article.authors)
    rows = block_rows(extraction, body, on_site)
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
        body=len(body),
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


# ---- comparison ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExtractorResult:
    """An extractor's result on a page. `shares`: (page's blocks,), the share of each that it keeps, 0 to 1;
    `agreement`: F1 of the characters kept with those that the report's extractor keeps.
    """

    name: str
    paper: str
    shares: Floats
    agreement: float

    @property
    def kept(self) -> int:
        """Blocks of which it keeps at least a part."""
        return int((self.shares > 0).sum())


def compare_extractors(
    page: Page, peer: Page | None, name: str, extraction: Extraction
) -> tuple[list[ExtractorResult], dict[str, str]]:
    """All extractors' results: the report's own first, then by agreement; and why others have none."""
    own = kept_shares(extraction)
    results, missing = [], {}
    for other in [other for other in EXTRACTORS if other != name]:
        try:
            extractor = make_extractor(other)
            if extractor.needs_peer and peer is None:
                missing[other] = "needs a peer: another page of the same template"
                continue
            shares = kept_shares(extractor(page, peer))
        except NewsextractError as error:
            missing[other] = str(error)
        except Exception as error:  # a third-party extractor may fail in any way, and the report can do without
            missing[other] = f"failed: {type(error).__name__}: {error}"
        else:
            results.append(ExtractorResult(other, extractor.paper, shares, _agreement(page, own, shares)))
    results.sort(key=lambda result: (-result.agreement, result.name))
    return [ExtractorResult(name, "this report's", own, 1.0), *results], missing


def kept_shares(extraction: Extraction) -> Floats:
    """(page's blocks,) share of each block's characters that an extraction keeps."""
    count = len(extraction.page.blocks)
    lengths = np.fromiter(map(len, extraction.texts), float, len(extraction.texts)) + 1
    total = np.bincount(extraction.origins, lengths, count)
    kept = np.bincount(extraction.origins, lengths * extraction.chosen, count)
    shares: Floats = kept / np.maximum(total, 1)
    return shares


def _agreement(page: Page, first: Floats, second: Floats) -> float:
    """2 |A and B| / (|A| + |B|) in characters; 1 if both keep nothing."""
    lengths = page.blocks.lengths
    both, sum_of_kept = lengths @ np.minimum(first, second), lengths @ (first + second)
    return float(2 * both / sum_of_kept) if sum_of_kept else 1.0


def table_lines(page: Page, extraction: Extraction, results: Sequence[ExtractorResult]) -> Iterator[dict[str, Any]]:
    """The lines of the table in page order: a block with each extractor's mark, or a run that none keeps.

    Blocks are numbered from 1; `row`: the block's number in the list of the extraction's blocks.
    """
    origins = extraction.origins[:MAX_ROWS].tolist()
    row_of = {origin: number for number, origin in reversed(list(enumerate(origins, 1)))}
    votes = count_votes(results)
    for unkept, run in groupby(range(min(len(page.blocks), MAX_ROWS)), lambda block: not votes[block]):
        blocks = list(run)
        if unkept:
            yield {"first": blocks[0] + 1, "last": blocks[-1] + 1}
            continue
        for block in blocks:
            shares = [float(result.shares[block]) for result in results]
            marks = ["whole" if share > 0.95 else "part" if share > 0 else "none" for share in shares]
            yield {"row": row_of.get(block), "text": page.blocks.texts[block], "marks": marks, "votes": votes[block]}


def count_votes(results: Sequence[ExtractorResult]) -> list[int]:
    """(page's blocks,) number of extractors that keep at least a part of each."""
    votes: list[int] = np.sum([result.shares > 0 for result in results], axis=0).tolist()
    return votes
