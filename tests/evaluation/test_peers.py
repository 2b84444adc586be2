"""Peers of the pages of a corpus."""

from evaluation.runs import run
from tests.evaluation.extractors import Compares


def test_choose_peers_takes_the_most_similar_url_of_the_site(write_corpus):
    urls = ["https://s.example/news/story-1", "https://www.s.example/news/story-27", "https://s.example/about-us"]
    right = {"p0": urls[1], "p1": urls[0], "p2": urls[0]}
    pages = [{"id": f"p{i}", "url": url, "text": right[f"p{i}"]} for i, url in enumerate(urls)]
    [found] = run([write_corpus(*pages)], [Compares()], peers="same-site").runs
    assert found.scores["lcs"] == 1.0


def test_choose_peers_of_pages_without_url_by_their_ids(write_corpus):
    rows = [("portal_one_01", "B"), ("portal_one_02", "A"), ("other_7", "C")]
    pages = [{"id": key, "text": text, "html": html} for (key, text), html in zip(rows, "ABC", strict=True)]
    [found] = run([write_corpus(*pages)], [Compares()], peers="same-site").runs
    assert (found.pages, found.scores["f"]) == (2, 1.0)
