"""Exports as pandas, polars, DuckDB and scipy read them, and an export that follows the change log."""

import json
import signal
import subprocess
import threading
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

from tests import preloaded
from tests.export.conftest import ARTICLES, article
from tests.store.samples import text

URLS = [outcome.url for outcome in ARTICLES]
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def folder(export, news, tmp_path):
    export("--database", news, "--format", "parquet", "-o", "corpus", "--tokens")
    return tmp_path / "corpus"


def test_parquet_is_read_by_pandas_polars_and_duckdb_with_its_types(folder):
    import duckdb
    import pandas
    import polars

    frame = pandas.read_parquet(folder).sort_values("change")
    assert frame["url"].tolist() == URLS
    assert frame["date_published"].iloc[0] == NOON and pandas.isna(frame["date_published"].iloc[2])
    assert (frame["confidence"].iloc[0], list(frame["authors"].iloc[0])) == (0.9, ["Tom Reyes", "R. Ashdown"])

    table = polars.read_parquet(folder / "**/*.parquet").sort("change")
    assert table["url"].to_list() == URLS
    assert table.schema["date_published"] == polars.Datetime("us", "UTC")
    assert table["words"][1].to_list()[1] == ["大桥", "今天", "关闭"]

    with duckdb.connect() as database:
        days = database.sql(
            f"SELECT day, count(*), min(date_published), any_value(main_image.url) "
            f"FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true) "
            "WHERE confidence IS NULL OR confidence > 0.5 GROUP BY day ORDER BY day"
        ).fetchall()
    counts = [(str(day), count) for day, count, _, _ in days]
    assert counts == [("2026-03-05", 1), ("2026-03-06", 2), ("2026-03-09", 1)]
    assert days[0][2] == NOON and days[1][3] == "https://i.example/2"


def test_bag_of_words_counts_each_word_of_each_article(export, news, tmp_path):
    import pandas
    import scipy.sparse

    export("--database", news, "--format", "bow", "-o", "bow", "--no-stop-words")
    matrix = scipy.sparse.load_npz(tmp_path / "bow/matrix.npz")
    words = (tmp_path / "bow/vocabulary.txt").read_text("utf-8").splitlines()
    documents = pandas.read_csv(tmp_path / "bow/documents.csv")
    assert matrix.shape == (4, len(words)) and documents["url"].tolist() == URLS
    lines = export("--database", news, "--fields", "words", "--no-stop-words").splitlines()
    for row, line in enumerate(lines):
        words_of_article = [word for sentence in json.loads(line)["words"] for word in sentence]
        counted = {words[column]: int(matrix[row, column]) for column in matrix[row].indices}
        assert counted == Counter(words_of_article)
    assert matrix.data.dtype == np.int32
    names = {path.name for path in (tmp_path / "bow").iterdir()}
    assert names == {"matrix.npz", "vocabulary.txt", "documents.csv"}


def test_export_follow_prints_new_changes_and_saves_the_cursor_on_sigterm(tmp_path, store):
    store.commit(ARTICLES[:1])
    command = [*preloaded.command("newsextract"), "export", "--follow", "--cursor-file", "cursor"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        assert json.loads(process.stdout.readline())["url"] == URLS[0]
        store.commit([article("next", text(5))])
        assert json.loads(process.stdout.readline())["headline"] == "next"
        process.send_signal(signal.SIGTERM)
        rest, messages = process.communicate()
        watchdog.cancel()
    assert (process.returncode, rest, messages) == (0, b"", b"cursor: 2\n")
    assert (tmp_path / "cursor").read_text().startswith("2\n")
