"""`scripts/bench`: that each command reaches the bench and prints what it gives."""

import gzip
import json

import pytest

from newsextract.demo import Site


@pytest.fixture
def corpus(tmp_path):
    """Three articles of the demonstration site as a corpus folder."""
    site, folder = Site(), tmp_path / "mine"
    (folder / "pages").mkdir(parents=True)
    rows = []
    for number, gold in enumerate(site.gold()[:3]):
        (folder / "pages" / f"{number}.html.gz").write_bytes(gzip.compress(site.page(gold.path).body))
        rows.append({"id": str(number), "url": None, "text": gold.text, "title": gold.headline})
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_run_is_a_table_and_can_be_kept_and_compared(command, corpus, tmp_path):
    result = command("bench", "run", corpus, "--extractor", "econ", "--output", "scores.json")
    assert result.returncode == 0, result.stderr
    assert "mine" in result.stdout
    assert "econ" in result.stdout
    assert json.loads((tmp_path / "scores.json").read_text())["runs"]
    compared = command("bench", "compare", "scores.json", "scores.json")
    assert compared.returncode == 0, compared.stderr
    assert "+0.0000" in compared.stdout


def test_one_page_is_shown_beside_its_gold(command, corpus):
    result = command("bench", "page", f"{corpus}/1", "--full")
    assert result.returncode == 0, result.stderr
    assert "recall" in result.stdout


def test_a_corpus_becomes_an_archive(command, corpus, tmp_path):
    result = command("bench", "warc", corpus, "-o", "mine.warc.gz")
    assert (result.returncode, result.stdout) == (0, "")
    assert f"3 pages written to {tmp_path / 'mine.warc.gz'}" in result.stderr
    assert (tmp_path / "mine.warc.gz").stat().st_size > 1000


def test_metadata_scores_are_printed(newsextract, corpus):
    result = newsextract("bench", "metadata", corpus)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[0])["headline_pages"] == 3


def test_a_gate_without_floors_says_so(command, corpus):
    result = command("bench", "gate", corpus)
    assert result.returncode == 2
    assert "floors" in result.stderr


def test_the_page_of_algorithms_is_written_where_it_is_asked_for(command, tmp_path):
    result = command("bench", "table", tmp_path)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert (tmp_path / "ALGORITHMS.md").read_text("utf-8").startswith("#")


def test_an_extractor_is_set_against_others_and_the_status_says_whether_it_is_below(command, corpus):
    ahead = command("bench", "against", corpus, "--others", "bte,econ", "--convention", "auto", "-o", "known.json")
    assert (ahead.returncode, ahead.stderr) == (0, "")
    assert "fusion against others" in ahead.stdout
    assert "BELOW" not in ahead.stdout
    below = command("bench", "against", corpus, "-e", "bte", "--others", "fusion", "--known", "known.json")
    assert (below.returncode, below.stderr) == (1, "")
    assert "BELOW" in below.stdout


def test_what_golds_hold_is_printed_as_the_table_has_it(command, corpus):
    result = command("bench", "conventions", corpus)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith('["mine"]\nheadline = [0, 3]\n')
