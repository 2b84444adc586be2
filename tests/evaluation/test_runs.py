import pytest

from evaluation import runs
from evaluation.extractors import find_extractors
from evaluation.runs import run
from newsextract.errors import WrongCall
from tests.evaluation.extractors import Compares, Fails, Says

THREE = ("One two three four.", "Five six seven eight.", "Nine ten eleven twelve.")


@pytest.fixture
def village(write_corpus):
    return write_corpus(*[{"id": f"p{i}", "text": text, "html": text} for i, text in enumerate(THREE)])


def test_run_gives_scores_times_and_versions(village):
    result = run([village], [Says(), Says("short", cut=8)])
    right, short = result.runs
    assert (right.set, right.extractor, right.pages) == ("village", "says", 3)
    assert right.scores["f"] == right.scores["fp"] == right.scores["f4"] == right.scores["lcs"] == 1.0
    assert right.times["total"] == {"median": 3.0, "p95": 3.0}
    assert right.times["above"]["median"] == 2.0
    assert short.scores["recall"] < 1.0 == short.scores["precision"]
    assert right.intervals["f"] == [1.0, 1.0]
    assert {"date", "newsextract", "python", "lxml", "says", "peers", "sample"} <= result.made.keys()


def test_run_in_worker_processes_gives_the_same_scores(village):
    alone = run([village], [Says(), Says("short", cut=8)])
    together = run([village], [Says(), Says("short", cut=8)], workers=2)
    assert [one.scores for one in alone.runs] == [one.scores for one in together.runs]
    assert [one.by_page for one in alone.runs] == [one.by_page for one in together.runs]


def test_run_counts_a_failed_page_as_empty_and_names_it(write_corpus):
    folder = write_corpus({"id": "a", "text": "die", "html": "die"}, {"id": "b", "text": "live", "html": "live"})
    [found] = run([folder], [Fails()]).runs
    assert found.scores["f"] == 0.5
    assert found.scores["empty"] == 0.5
    assert found.failures == {"a": "RuntimeError: dead"}


def test_run_stops_an_extractor_that_hangs_on_a_page(write_corpus, monkeypatch):
    monkeypatch.setattr(runs, "PAGE_TIMEOUT", 0.2)
    folder = write_corpus({"id": "a", "text": "hang", "html": "hang"}, {"id": "b", "text": "live", "html": "live"})
    [found] = run([folder], [Fails()]).runs
    assert list(found.failures) == ["a"]
    assert "more than 0.2 s" in found.failures["a"]
    assert found.scores["f"] == 0.5


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


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"extractors": "ecno"}, "ecno"),
        ({"extractors": "econ,econ"}, "named twice"),
        ({"extractors": "econ:mode"}, "NAME:key=value"),
        ({"extractors": "econ:colour=3"}, "colour"),
        ({"extractors": []}, "no extractor named"),
        ({"peers": "some"}, "none, same-site or crawl"),
        ({"workers": -1}, "workers is 0 or more"),
        ({"sample": 0}, "at least one page"),
    ],
)
def test_run_refuses_wrong_arguments(village, call, said):
    with pytest.raises(WrongCall, match=said):
        run([village], **{"extractors": "econ", **call})


def test_find_extractors_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trafilatura", None)
    with pytest.raises(WrongCall, match=r"trafilatura is not installed.*newsextract\[peers\]"):
        find_extractors("trafilatura")
