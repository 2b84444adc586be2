"""The body as HTML: structure kept, text equal to the body's text, nothing executable."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.render import body_html

ALLOWED = frozenset(
    "p h2 h3 h4 h5 h6 ul ol li blockquote pre table tr td th a em strong figure img figcaption br".split()
)
SENTENCE = "The ferry was late again, the third time this week, and nobody on the pier was surprised. "


def render_all(html: str) -> str:
    page = Page(html, "https://news.example/a/b.html")
    return body_html(page, range(len(page.blocks)))


def lines(html: str) -> list[str]:
    """The text of clean HTML, one block a line, figures left out."""
    html = re.sub(r"<figure>.*?</figure>", "", html.replace("\n", ""))
    cut = re.sub(r"</(?:p|li|td|th|h\d|pre)>|<br>", "\n", html)
    return [line for part in cut.split("\n") if (line := unescape(re.sub(r"<[^>]*>", "", part)).strip())]


class StrictParser(HTMLParser):
    """Collects what is in clean HTML, and fails where tags do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attributes
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("html", "rendered"),
    [
        ("<h1>A title</h1><p>One.<p>Two.", "<h2>A title</h2>\n<p>One.</p>\n<p>Two.</p>"),
        ("<ol><li>One<li><p>Two</p><p>more</p></ol>", "<ol><li>One</li><li>Two<br>more</li></ol>"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "<blockquote><p>a</p><p>b</p></blockquote>"),
        (
            "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        (
            "<p>See <a href='../c?x=1&y=2' onclick='x()'>this <i>page</i></a>, <b>now</b>.",
            '<p>See <a href="https://news.example/c?x=1&amp;y=2">this <em>page</em></a>, <strong>now</strong>.</p>',
        ),
        ("<p>" + "<a href=/x><b></b></a>" * 1000 + "word", "<p>word</p>"),
        (
            "<div><a href=/x><h3>Two</h3> three <b>four</b></a></div><p>Five <span style='display:none'>six</span>",
            '<h3><a href="https://news.example/x">Two</a></h3>\n'
            '<p><a href="https://news.example/x">three <strong>four</strong></a></p>\n<p>Five</p>',
        ),
        (
            "<p>One.</p><figure><img data-src=/x.jpg src=data:image/gif;base64,xx alt='A pier'><figcaption>The pier"
            "</figcaption></figure><p>Two.</p><figure><figure><img src=/a.jpg></figure><figure><img src=/b.jpg>"
            "</figure></figure><p>Three.</p>",
            '<p>One.</p>\n<figure><img src="https://news.example/x.jpg" alt="A pier"><figcaption>The pier</figcaption>'
            '</figure>\n<p>The pier</p>\n<p>Two.</p>\n<figure><img src="https://news.example/a.jpg" alt=""></figure>\n'
            '<figure><img src="https://news.example/b.jpg" alt=""></figure>\n<p>Three.</p>',
        ),
    ],
)
def test_body_html_keeps_structure_links_emphasis_and_figures_of_what_is_shown(html: str, rendered: str) -> None:
    assert render_all(html) == rendered


def test_body_html_holds_selected_blocks_only():
    page = Page("<div><p>One <b>1</b></p><ul><li>Two</li></ul><p>Three</p><p>Four <i>4</i></p></div>")
    assert body_html(page, [0, 3]) == "<p>One <strong>1</strong></p>\n<p>Four <em>4</em></p>"


def test_body_html_has_no_script_or_unsafe_attribute() -> None:
    html = render_all(
        "<p onmouseover=steal()>a <a href='javascript:steal()'>b</a> <a href=' data:text/html,x'>c</a>"
        "<script>steal()</script><svg onload=steal()><p>&lt;script&gt;steal()&lt;/script&gt;"
        "<p><a href='https://x.example/\"><script>steal()</script>'>d</a>"
        "<figure><img src='javascript:steal()'><img src='https://x.example/a\" onerror=\"steal()'></figure><p>end"
    )
    read = StrictParser(html)
    assert read.tags <= ALLOWED
    assert {name for name, _ in read.attributes} <= {"href", "src", "alt"}
    assert all(value and value.startswith("https://") for name, value in read.attributes if name in ("href", "src"))


def test_body_html_has_the_lines_of_the_body() -> None:
    article = extract(
        f"<title>Late</title><article><h1>Late</h1><p>{SENTENCE * 3}</p><ul><li>{SENTENCE}</li></ul>"
        f"<figure><img src=/a.png><figcaption>Foto: X</figcaption></figure><p>{SENTENCE * 2}<a href=/x>More &amp; "
        f"more</a></p></article>",
        "https://news.example/a",
        extractor="econ",
    )
    assert article.article_body_html
    assert lines(article.article_body_html) == article.article_body.split("\n")


TAGS = st.sampled_from("p div b i a ul li br table tr td blockquote figure img h1 pre span script style".split())
MARKUP = st.one_of(
    st.builds("<{}>".format, TAGS), st.builds("</{}>".format, TAGS), st.text(max_size=8), st.just(" words, here. ")
)


@given(st.lists(MARKUP, max_size=40).map("".join))
def test_body_html_of_any_page_is_well_formed_and_has_its_text(html: str) -> None:
    page = Page(html, "https://news.example/")
    clean = body_html(page, range(len(page.blocks)))
    assert StrictParser(clean).tags <= ALLOWED
    assert lines(clean) == [" ".join(text.split()) for text in page.blocks.texts]
