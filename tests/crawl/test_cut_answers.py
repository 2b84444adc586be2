"""Answers that end early: asked for again, marked if they stay so, and never in the place of a whole text."""

import gzip
import zlib

import brotli
import pytest
import zstandard

from evaluation.crawling.kill import path_of
from newsextract.compression import is_whole_stream
from newsextract.crawl.cut_answers import ends_whole
from tests.crawling import NO_LENGTH, STORIES, Answer, article, crawl, front, make_due, sql

PACK = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("name", PACK)
def test_stream_is_whole_with_its_end(name):
    body = PACK[name](article("The pier", "Bergen").encode() * 400)
    assert is_whole_stream(body, name) and not is_whole_stream(body[: len(body) // 2], name)
    assert is_whole_stream(body[:40], "unknown")


@pytest.mark.parametrize(
    ("body", "is_whole"),
    [
        ("<html><body><p>A</p></body></html>\n<!-- served in 3 ms -->", True),
        ("<!doctype html><title>A</title><div><p>Without the tags that may be left out<li>B</div>", True),
        ("<html><body><main><div><p>The ferry sail", False),
        ("<rss><channel><item><title>A</title></item>", True),
        ("no markup at all", True),
    ],
)
def test_markup_says_whether_a_document_ends_early(body, is_whole):
    assert ends_whole(body.encode()) is is_whole


def test_answers_that_end_early_are_marked_and_replace_no_whole_text(tmp_path, site):
    pages = {path: article(f"Story {n}", f"Place {n}") for n, path in enumerate(STORIES[:6])}
    plain, packed, *kept = pages
    cut = {
        path: Answer(page[: 2 * len(page) // 3], length=NO_LENGTH, headers={"ETag": '"1"'})
        for path, page in pages.items()
    }
    stream = gzip.compress(pages[packed].encode())
    cut[packed] = Answer(stream[: 3 * len(stream) // 4], headers={"Content-Encoding": "gzip"})
    site["/"] = front(*pages)
    site.pages |= {path: cut[path] if path in (plain, packed) else Answer(pages[path]) for path in pages}
    first = crawl(tmp_path, "site", settings={"RETRY_TIMES": "1"}, url=site.url)
    by_path = {one["url"].removeprefix(site.url): one for one in first.articles}
    assert [site.asked.count(path) for path in pages] == [2, 2, 1, 1, 1, 1]
    assert {path for path, one in by_path.items() if one["is_truncated"]} == {plain, packed} & by_path.keys()
    assert [sql(tmp_path / "newsextract.db", "SELECT failures, etag FROM urls WHERE url LIKE ?", f"%{plain}")] == [
        [(1, None)]
    ]
    assert plain in by_path, "what came is better than nothing, if it says so"

    site.pages |= {path: cut[path] if path in kept else Answer(pages[path]) for path in pages}
    make_due(tmp_path, *pages)
    second = crawl(tmp_path, "site", url=site.url)
    assert {one["url"] for one in second.articles} == {f"{site.url}{path}" for path in pages}
    assert not any(one["is_truncated"] for one in second.articles)
    bodies = {one["url"]: len(one["article_body"]) for one in second.articles}
    assert max(bodies.values()) - min(bodies.values()) < 100, "all are whole"
    assert second.dropped["cut_off"] == len(kept)

    waiting = {
        path_of(url)
        for (url,) in sql(tmp_path / "newsextract.db", "SELECT url FROM urls WHERE failures = 1 AND kind = 'page'")
    }
    assert waiting == set(kept), "they are asked for again soon"
    site.pages |= {path: Answer(pages[path].replace("Story", "The story")) for path in kept}
    make_due(tmp_path, *kept)
    third = crawl(tmp_path, "site", url=site.url)
    assert {one["headline"] for one in third.articles if one["url"].removeprefix(site.url) in kept} == {
        f"The story {n}" for n in range(2, 6)
    }
