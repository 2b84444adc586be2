"""Features of list pages and static pages: what a list repeats, what a post has once, in any language."""

import pytest

from newsextract import Page
from newsextract.metadata.describe import Metadata
from newsextract.metadata.page_layout import page_layout_features
from newsextract.metadata.page_type import page_type_features

EXCERPT = (
    "The council voted on Tuesday to rebuild the old pier, three winters after a storm took its last forty metres…"
)
RECORD = """<div class="post-{n} hentry"><h2><a href="/2024/05/story-{n}/">Story number {n} of the harbour</a></h2>
<span>May {n}, 2024</span><p>{excerpt}</p><a href="/2024/05/story-{n}/">{more}</a></div>"""


def list_page(more: str) -> str:
    records = "".join(RECORD.format(n=n, excerpt=EXCERPT, more=more) for n in range(1, 9))
    return f'<body class="archive category paged">{records}<div class="nav-links"><a href=/page/2/>2</a></div></body>'


ARTICLE = (
    '<title>Pier to be rebuilt – Gazette</title><body class="single single-post postid-7">'
    '<article class="post-7 hentry">'
    f"<h1>Pier to be rebuilt</h1><span>May 7, 2024</span>{'<p>' + EXCERPT.replace('…', '.') + '</p>'}"
    f"<p>{EXCERPT.replace('…', '.')} And more.</p></article><div class=comment-form>Reply</div></body>"
)


OF_LISTS = "repeated link in the text,dates in the text,linked headings in the text,excerpts,several records".split(",")


def features(html: str, path: str = "", headline: str = "") -> dict[str, float]:
    page = Page(html)
    rows = [row for row, text in enumerate(page.blocks.texts) if len(text) > 80]
    return page_layout_features(page, path, Metadata({"headline": headline}, {}, rows))


@pytest.mark.parametrize("more", ["Read more", "阅读全文", "Leer más"])
def test_page_layout_of_list_has_repeated_records(more):
    found = features(list_page(more))
    for name in OF_LISTS:
        assert found[name] > 0.8, name
    assert found["text under linked headings"] > 0.9
    assert found["body of a list"] and found["pager"] and not found["one record"]


def test_page_layout_of_article_has_one_record():
    found = features(ARTICLE, headline="Pier to be rebuilt")
    assert found["one record"] and found["body of a post"] and found["parts of a post"] > 0
    assert found["title begins with headline"]
    for name in OF_LISTS:
        assert found[name] == 0.0, name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/category/news/page/17/", "path of a list"),
        ("/tag/storm/", "path of a list"),
        ("/blog/index2.html", "path of a list"),
        ("/2015/03/", "path of a month"),
        ("/impressum/", "path of a static page"),
        ("/contact-us.html", "path of a static page"),
    ],
)
def test_page_layout_reads_kind_of_path(path, name):
    assert features(ARTICLE, path)[name]


def test_page_layout_of_dated_post_is_no_list_path():
    found = features(ARTICLE, "/2015/03/21/pier-to-be-rebuilt/")
    assert not any(found[name] for name in ("path of a list", "path of a month", "path of a static page"))


@pytest.mark.parametrize("html", ["", "<p></p>", "<body class='a'><p>one</p>"])
def test_page_layout_of_hardly_any_page_is_finite(html):
    values = page_type_features(Page(html, "http://[bad"), "", Metadata({}, {})).values()
    assert all(-1 <= value <= 1 for value in values)
