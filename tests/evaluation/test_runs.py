import pytest

from evaluation import runs
from evaluation.extractors import ForeignExtractor, find_extractors
from evaluation.results import Result, merged
from evaluation.runs import run
from newsextract.errors import NewsextractError, WrongCall
from tests.evaluation.extractors import Compares, Fails, Says

THREE = ("One two three four.", "Five six seven eight.", "Nine ten eleven twelve.")


@pytest.fixture
def village(write_corpus):
    return write_corpus(*[{"id": f"p{i}", "text": text, "html": text} for i, text in enumerate(THREE)])


def test_a_run_gives_figures_times_and_how_it_was_made(village):
    result = run([village], [Says(), Says("short", cut=8)])
    right, short = result.runs
    assert (right.set, right.extractor, right.pages) == ("village", "says", 3)
    assert right.scores["f"] == right.scores["fp"] == right.scores["f4"] == right.scores["lcs"] == 1.0
    assert right.times["total"] == {"median": 3.0, "p95": 3.0}
    assert right.times["above"]["median"] == 2.0
    assert short.scores["recall"] < 1.0 == short.scores["precision"]
    assert right.intervals["f"] == [1.0, 1.0]
    assert {"date", "newsextract", "python", "lxml", "says", "peers", "sample"} <= result.made.keys()
    [difference] = result.differences
    assert (difference.first, difference.second) == ("says", "short")
    assert difference.difference < 0
    assert difference.certain


def test_worker_processes_give_the_same_figures(village):
    alone = run([village], [Says(), Says("short", cut=8)])
    together = run([village], [Says(), Says("short", cut=8)], workers=2)
    assert [one.scores for one in alone.runs] == [one.scores for one in together.runs]
    assert [one.by_page for one in alone.runs] == [one.by_page for one in together.runs]


def test_extractors_of_this_project_run_by_name_and_option(write_corpus):
    text = "The council met on Monday, and it decided nothing. " * 5
    html = f"<html><body><div><p>{text}</p><p>{text}</p></div></body></html>"
    folder = write_corpus({"id": "a", "text": f"{text}\n{text}", "html": html})
    [found] = run([folder], "econ").runs
    assert found.scores["recall"] == 1.0
    assert not found.failures
    assert 0 < found.times["parse"]["median"] < found.times["total"]["median"]


def test_a_page_that_an_extractor_fails_on_counts_as_empty_and_is_named(write_corpus):
    folder = write_corpus({"id": "a", "text": "die", "html": "die"}, {"id": "b", "text": "live", "html": "live"})
    [found] = run([folder], [Fails()]).runs
    assert found.scores["f"] == 0.5
    assert found.scores["empty"] == 0.5
    assert found.failures == {"a": "RuntimeError: dead"}


def test_a_page_that_hangs_costs_that_page_only(write_corpus, monkeypatch):
    monkeypatch.setattr(runs, "PAGE_TIMEOUT", 0.2)
    folder = write_corpus({"id": "a", "text": "hang", "html": "hang"}, {"id": "b", "text": "live", "html": "live"})
    [found] = run([folder], [Fails()]).runs
    assert list(found.failures) == ["a"]
    assert "more than 0.2 s" in found.failures["a"]
    assert found.scores["f"] == 0.5


def test_a_method_that_needs_a_peer_is_not_judged_where_there_is_none(write_corpus):
    rows = [("/a/1", "x"), ("/a/2", "y"), ("/b/long", "z")]
    pages = [{"id": name, "url": f"https://s.example{path}", "text": name} for path, name in rows]
    folder = write_corpus(*pages, {"id": "alone", "url": "https://t.example/", "text": "q"})
    [without] = run([folder], [Compares()]).runs
    assert (without.pages, without.not_applicable, without.scores) == (0, 4, {})
    [paired] = run([folder], [Compares()], peers="same-site").runs
    assert (paired.pages, paired.not_applicable) == (3, 1)
    assert paired.label == "compares+peer"


def test_the_peer_is_the_most_similar_page_of_the_same_site(write_corpus):
    urls = ["https://s.example/news/story-1", "https://www.s.example/news/story-27", "https://s.example/about-us"]
    right = {"p0": urls[1], "p1": urls[0], "p2": urls[0]}
    pages = [{"id": f"p{i}", "url": url, "text": right[f"p{i}"]} for i, url in enumerate(urls)]
    [found] = run([write_corpus(*pages)], [Compares()], peers="same-site").runs
    assert found.scores["lcs"] == 1.0


def test_pages_without_a_url_are_paired_by_their_ids(write_corpus):
    rows = [("portal_one_01", "B"), ("portal_one_02", "A"), ("other_7", "C")]
    pages = [{"id": key, "text": text, "html": html} for (key, text), html in zip(rows, "ABC", strict=True)]
    [found] = run([write_corpus(*pages)], [Compares()], peers="same-site").runs
    assert (found.pages, found.scores["f"]) == (2, 1.0)


def test_pages_that_are_no_article_are_judged_by_whether_they_are_refused(write_corpus):
    rows = [{"id": str(i), "page_type": "listing", "html": html} for i, html in enumerate(["article", "list", "shop"])]
    [found] = run([write_corpus(*rows)], [Says()]).runs
    assert found.scores == {"refused": pytest.approx(2 / 3)}


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
def test_a_wrong_call_is_refused_before_anything_is_run(village, call, said):
    with pytest.raises(WrongCall, match=said):
        run([village], **{"extractors": "econ", **call})


def test_a_foreign_package_that_is_not_installed_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trafilatura", None)
    with pytest.raises(WrongCall, match=r"trafilatura is not installed.*newsextract\[peers\]"):
        find_extractors("trafilatura")


def test_foreign_packages_have_their_versions_in_results():
    assert list(ForeignExtractor("trafilatura").versions()) == ["trafilatura"]


def test_a_result_is_read_as_it_was_written(village, tmp_path):
    result = run([village], [Says(), Says("short", cut=8)])
    path = tmp_path / "scores.json"
    result.save(path)
    again = Result.load(path)
    assert again.made == result.made
    assert again.runs[1].by_page["id"] == ["p0", "p1", "p2"]
    assert again.run("village", "short").scores == pytest.approx(result.runs[1].scores, abs=1e-6)
    result.save(path, by_page=False)
    assert Result.load(path).runs[0].by_page == {}
    assert "p0" not in path.read_text()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 99}', '{"format": 1, "made": {}, "runs": [3]}'])
def test_a_file_that_is_no_result_is_refused(tmp_path, content):
    path = tmp_path / "scores.json"
    path.write_text(content)
    with pytest.raises(WrongCall, match=r"scores\.json"):
        Result.load(path)


def test_a_result_that_can_t_be_written_leaves_nothing_behind(village, tmp_path):
    with pytest.raises(NewsextractError, match="can't be written"):
        run([village], [Says()]).save(tmp_path / "nowhere" / "scores.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(NewsextractError, match="can't be written"):
        run([village], [Says()]).save(tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "village"]


def test_of_two_results_the_later_stands(village):
    first, second = run([village], [Says(), Says("b")]), run([village], [Says("b", cut=8)])
    both = merged([first, second])
    assert both.labels == ["says", "b"]
    assert both.run("village", "b").scores["f"] < 1.0
