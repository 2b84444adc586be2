"""Runs of extractors on corpora, with peers, and their results as files."""

import pytest

from evaluation import runs
from evaluation.extractors import find_extractors
from evaluation.results import Result, merged
from evaluation.runs import run
from newsextract.errors import WrongCall
from tests.evaluation.extractors import Compares, Fails, Says
from tests.examples import examples


def test_run_gives_scores_times_and_versions_and_the_same_scores_in_worker_processes(village):
    result = run([village], [Says(), Says("short", cut=8)])
    right, short = result.runs
    assert (right.set, right.extractor, right.pages) == ("village", "says", 3)
    assert right.scores["f"] == right.scores["fp"] == right.scores["f4"] == right.scores["lcs"] == 1.0
    assert right.times["total"] == {"median": 3.0, "p95": 3.0}
    assert right.times["above"]["median"] == 2.0
    assert short.scores["recall"] < 1.0 == short.scores["precision"]
    assert right.intervals["f"] == [1.0, 1.0]
    assert {"date", "newsextract", "python", "lxml", "says", "peers", "sample"} <= result.made.keys()
    together = run([village], [Says(), Says("short", cut=8)], workers=2)
    assert [(one.scores, one.by_page) for one in result.runs] == [(one.scores, one.by_page) for one in together.runs]


def test_run_counts_a_failed_page_as_empty_names_it_and_stops_an_extractor_that_hangs(write_corpus, monkeypatch):
    monkeypatch.setattr(runs, "PAGE_TIMEOUT", 0.2)
    rows = [{"id": word, "text": word, "html": word} for word in ("die", "hang", "live", "well")]
    [found] = run([write_corpus(*rows)], [Fails()]).runs
    assert (found.scores["f"], found.scores["empty"]) == (0.5, 0.5)
    assert found.failures.keys() == {"die", "hang"}
    assert found.failures["die"] == "RuntimeError: dead" and "more than 0.2 s" in found.failures["hang"]


def test_run_leaves_out_pages_without_a_needed_peer(write_corpus):
    rows = [("/a/1", "x"), ("/a/2", "y"), ("/b/long", "z")]
    pages = [{"id": name, "url": f"https://s.example{path}", "text": name} for path, name in rows]
    folder = write_corpus(*pages, {"id": "alone", "url": "https://t.example/", "text": "q"})
    [without] = run([folder], [Compares()]).runs
    assert (without.pages, without.not_applicable, without.scores) == (0, 4, {})
    [paired] = run([folder], [Compares()], peers="same-site").runs
    assert (paired.pages, paired.not_applicable) == (3, 1)
    assert paired.label == "compares+peer"


def test_run_scores_articles_and_other_pages_of_a_mixed_corpus_apart(write_corpus):
    pages = [("listing", "list"), ("listing", "article"), ("page", "article")]
    rows = [{"id": str(i), "page_type": page_type, "html": html} for i, (page_type, html) in enumerate(pages)]
    folder = write_corpus(*rows, {"id": "a", "text": "One two.", "html": "One two."})
    [measured] = run([folder], [Says()]).runs
    assert (measured.scores["f"], measured.scores["refused"]) == (1.0, pytest.approx(1 / 3))
    assert measured.intervals["f"] == [1.0, 1.0]
    assert measured.groups == {"listing": {"pages": 2, "refused": 0.5}, "page": {"pages": 1, "refused": 0.0}}


@pytest.mark.parametrize(("call", "said"), examples(__file__, "wrong"))
def test_run_refuses_wrong_arguments(village, call, said):
    with pytest.raises(WrongCall, match=said):
        run([village], **{"extractors": "econ", **call})


def test_find_extractors_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trafilatura", None)
    with pytest.raises(WrongCall, match=r"trafilatura is not installed.*newsextract\[peers\]"):
        find_extractors("trafilatura")


def test_choose_peers_takes_the_most_similar_url_of_the_site_or_id(write_corpus):
    urls = ["https://s.example/news/story-1", "https://www.s.example/news/story-27", "https://s.example/about-us"]
    pages = [{"id": f"p{i}", "url": url, "text": urls[i == 0]} for i, url in enumerate(urls)]
    [found] = run([write_corpus(*pages)], [Compares()], peers="same-site").runs
    assert found.scores["lcs"] == 1.0
    rows = [("portal_one_01", "B"), ("portal_one_02", "A"), ("other_7", "C")]
    pages = [{"id": key, "text": text, "html": html} for (key, text), html in zip(rows, "ABC", strict=True)]
    [found] = run([write_corpus(*pages, name="ids")], [Compares()], peers="same-site").runs
    assert (found.pages, found.scores["f"]) == (2, 1.0)


def test_result_reads_what_it_saved_and_refuses_other_files(village, tmp_path):
    result, path = run([village], [Says(), Says("short", cut=8)]), tmp_path / "scores.json"
    result.save(path)
    again = Result.load(path)
    assert again.made == result.made
    assert again.runs[1].by_page["id"] == ["p0", "p1", "p2"]
    assert again.run("village", "short").scores == pytest.approx(result.runs[1].scores, abs=1e-6)
    result.save(path, by_page=False)
    assert Result.load(path).runs[0].by_page == {} and "p0" not in path.read_text()
    for content in ("", "[]", "{}", '{"format": 99}', '{"format": 1, "made": {}, "runs": [3]}'):
        path.write_text(content)
        with pytest.raises(WrongCall, match=r"scores\.json"):
            Result.load(path)


def test_merged_keeps_the_later_of_equal_runs(village):
    first, second = run([village], [Says(), Says("b")]), run([village], [Says("b", cut=8)])
    both = merged([first, second])
    assert both.labels == ["says", "b"]
    assert both.run("village", "b").scores["f"] < 1.0
