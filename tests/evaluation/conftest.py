"""Small corpora written for these tests; no page of a real corpus."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

WriteCorpus = Callable[..., Path]


@pytest.fixture
def write_corpus(tmp_path: Path) -> WriteCorpus:
    """Writes a corpus folder: rows of gold.jsonl, each with its page's HTML under `html`."""

    def write(*rows: dict[str, object], name: str = "village") -> Path:
        folder = tmp_path / name
        (folder / "pages").mkdir(parents=True)
        with (folder / "gold.jsonl").open("w", encoding="utf-8") as gold:
            for row in rows:
                html = str(row.pop("html", "<p>Nothing.</p>"))
                (folder / "pages" / f"{row['id']}.html.gz").write_bytes(gzip.compress(html.encode()))
                gold.write(json.dumps(row) + "\n")
        return folder

    return write
