"""What is exported opens in pandas, polars, DuckDB and scipy; and who follows the changes misses none."""

import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import duckdb
import numpy as np
import pandas
import polars
import pytest
import scipy.sparse

from newsextract.export.export import Export
from newsextract.store import Selection, Store
from tests.export.conftest import ARTICLES, article
from tests.store.samples import outcome, text

URLS = [one.url for one in ARTICLES]
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def folder(export, news, tmp_path):
    export("--database", news, "--format", "parquet", "-o", "corpus", "--tokens")
    return tmp_path / "corpus"


def test_parquet_opens_in_pandas_polars_and_duckdb_with_its_types(folder):
    frame = pandas.read_parquet(folder).sort_values("change")
    assert frame["url"].tolist() == URLS
    assert frame["date_published"].iloc[0] == NOON and pandas.isna(frame["date_published"].iloc[2])
    assert (frame["confidence"].iloc[0], list(frame["authors"].iloc[0])) == (0.9, ["Tom Reyes", "R. Ashdown"])

    table = polars.read_parquet(folder / "**/*.parquet").sort("change")
    assert table["url"].to_list() == URLS
    assert table.schema["date_published"] == polars.Datetime("us", "UTC")
    assert table["words"][1].to_list()[1] == ["大桥", "今天", "关闭"]

    with duckdb.connect() as database:
        found = database.sql(
            f"SELECT day, count(*), min(date_published), any_value(main_image.url) "
            f"FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true) "
            "WHERE confidence IS NULL OR confidence > 0.5 GROUP BY day ORDER BY day"
        ).fetchall()
    assert [(str(day), count) for day, count, _, _ in found] == [
        ("2026-03-05", 1),
        ("2026-03-06", 2),
        ("2026-03-09", 1),
    ]
    assert found[0][2] == NOON and found[1][3] == "https://i.example/2"


def test_a_bag_of_words_is_a_matrix_with_its_words_and_articles(export, news, tmp_path):
    export("--database", news, "--format", "bow", "-o", "bow", "--no-stop-words")
    matrix = scipy.sparse.load_npz(tmp_path / "bow/matrix.npz")
    words = (tmp_path / "bow/vocabulary.txt").read_text("utf-8").splitlines()
    documents = pandas.read_csv(tmp_path / "bow/documents.csv")
    assert matrix.shape == (4, len(words)) and documents["url"].tolist() == URLS
    lines = export("--database", news, "--fields", "words", "--no-stop-words").decode().splitlines()
    for row, line in enumerate(lines):
        said = [word for sentence in json.loads(line)["words"] for word in sentence]
        counted = {words[column]: int(matrix[row, column]) for column in matrix[row].indices}
        assert counted == {word: said.count(word) for word in said}
    assert matrix.data.dtype == np.int32 and sorted(p.name for p in (tmp_path / "bow").iterdir())[0][0] != "."


class Lines:
    """A sink that keeps what it is given."""

    by_day = False

    def __init__(self):
        self.written = []
        self.before = 0

    def begin(self, since):
        self.before = len(self.written)

    def write(self, row, tokens):
        self.written.append((row.article.url, row.change, row.article.version))

    def end(self):
        pass


def test_following_by_cursor_misses_and_doubles_nothing_while_four_write(postgresql_url):
    """Four writers into PostgreSQL, each with stories of its own and one that all of them change."""
    pages = 12

    def write(number: int) -> None:
        with Store.open(postgresql_url) as writer:
            for page in range(pages):
                shared = outcome("https://shared.example/", text((number, page)))
                writer.commit([outcome(f"https://site{number}.example/{page}"), shared])

    lines = Lines()
    with Store.open(postgresql_url) as store, ThreadPoolExecutor(4) as pool:
        read = Export(store, Selection(), lines)
        writing = [pool.submit(write, number) for number in range(4)]
        cursor = rounds = 0
        while True:
            done = all(future.done() for future in writing)
            before, cursor = cursor, read(cursor)
            assert all(before < change <= cursor for _, change, _ in lines.written[lines.before :])
            rounds += cursor > before
            if done:
                break
        for future in writing:
            future.result()
        expected = {row.article.url: (row.change, row.article.version) for row in store.articles()}
    changes = [change for _, change, _ in lines.written]
    assert changes == sorted(set(changes)), "each change at most once, in order"
    assert {url: (change, version) for url, change, version in lines.written} == expected
    own = [url for url, _, _ in lines.written if "shared" not in url]
    assert len(own) == len(set(own)) == 4 * pages and rounds > 1


def test_a_follower_gets_what_comes_and_ends_well_when_it_is_told_to(tmp_path, sqlite_url):
    with Store.open(sqlite_url) as store:
        store.commit(ARTICLES[:1])
        command = [sys.executable, "-P", "-m", "newsextract", "export", "--follow", "--database", sqlite_url]
        with subprocess.Popen(
            [*command, "--cursor-file", tmp_path / "place"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            overdue = threading.Timer(60, process.kill)
            overdue.start()
            assert json.loads(process.stdout.readline())["url"] == URLS[0]
            store.commit([article("next", text(5))])
            assert json.loads(process.stdout.readline())["headline"] == "next"
            process.send_signal(signal.SIGTERM)
            rest, said = process.stdout.read(), process.stderr.read()
            overdue.cancel()
    assert (process.returncode, rest, said) == (0, b"", b"2\n")
    assert (tmp_path / "place").read_text() == "2\n"
