"""The body of an article: its lines, and its HTML, which keeps the structure and holds nothing executable."""

from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Extraction, Page, extract
from newsextract.article.body import body_rows, is_furniture
from newsextract.article.html import body_html, body_text
from newsextract.article.html.inline import INLINE
from newsextract.article.html.writer import CONTAINERS
from newsextract.urls import content_hash
from tests.examples import examples

TEXT = "The council met on Monday, and after a long debate it voted for the new bridge."


def body(html: str, headline: str | None = None, authors: tuple[str, ...] = ()) -> list[str]:
    page = Page(html)
    extraction = Extraction.of_blocks(page, [True] * len(page.blocks))
    return [extraction.texts[row] for row in body_rows(extraction, headline, authors)]


@pytest.mark.parametrize("line", examples(__file__, "furniture"))
def test_body_rows_drops_furniture_line(line):
    assert body(f"<div><p>{TEXT}</p><p>{line}</p><p>{TEXT}</p></div>", authors=("Anna Berg",)) == [TEXT, TEXT]


@pytest.mark.parametrize("line", examples(__file__, "sentences"))
def test_body_rows_keeps_sentence_that_begins_like_furniture(line):
    assert body(f"<div><p>{TEXT}</p><p>{line}</p></div>", authors=("Anna Berg",)) == [TEXT, line]


@pytest.mark.parametrize(("html", "is_left_out"), examples(__file__, "biographies"))
def test_biography_of_an_author_is_left_out_whoever_it_is(html, is_left_out):
    assert (body(f"<article><p>{TEXT}</p><p>{TEXT}</p>{html}</article>") == [TEXT, TEXT]) is is_left_out


FOLLOW = (
    "Abonează-te pe <a href=https://t.me/m>Telegram</a> și <a href=https://whatsapp.com/channel/m>WhatsApp</a>",
    "다리신문을 <a href=https://www.facebook.com/m>Facebook</a>",
    "<a href=https://play.google.com/store/apps/m>Google Play</a>",
)
TOLD = (
    "Ann Lee shared it with her readers on <a href=https://x.com/annlee>X</a>.",
    "Ann Lee <a href=https://x.com/annlee/status/1/photo/2>showed the bridge</a> in May",
    "Follow the river to <a href=https://tarn.example/>Tarn</a> and <a href=https://t.me/m>Orrel</a>",
)


@pytest.mark.parametrize(("line", "is_kept"), [*((line, False) for line in FOLLOW), *((line, True) for line in TOLD)])
def test_body_rows_drops_lines_that_only_lead_to_accounts_on_networks(line, is_kept):
    assert len(body(f"<div><p>{TEXT}</p><p>{line}</p><p>{TEXT}</p></div>")) == 2 + is_kept


def test_text_of_short_lines_beside_the_date_is_no_byline():
    text = "هذا إعلان العبّارة الجديدة من الميناء"
    published = [datetime(2024, 5, 6, tzinfo=UTC)]
    page = Page(f"<h1>إعلان</h1><p><time>6 مايو 2024</time></p><div><p>{text}</p><p>استمتعوا!</p></div>")
    extraction = Extraction.of_blocks(page, [True] * len(page.blocks))
    rows = body_rows(extraction, "إعلان", [], language="ar", published=published)
    assert text in [extraction.texts[row] for row in rows]


@pytest.mark.parametrize("kept", examples(__file__, "kept"))
def test_body_rows_keeps_listings_tables_and_dates_between_paragraphs(kept):
    html = f"<div><p>{TEXT}</p><p>{TEXT} So it did.</p>{kept}<p>{TEXT} And more.</p></div>"
    assert body(html) == Page(html).blocks.texts


@pytest.mark.parametrize(("end", "is_kept"), examples(__file__, "boxes"))
def test_body_rows_drops_a_box_about_the_author_at_the_end(end, is_kept):
    life = "Ann Lee is a reporter on the coast, who joined the paper in 2015 and lives in Tarn with her two cats."
    lines = body(f"<article><p>{TEXT}</p><p>{TEXT} So it did.</p>{end.format(life)}</article>", authors=("Ann Lee",))
    assert lines[:2] == [TEXT, f"{TEXT} So it did."]
    assert (life in lines) is is_kept and (is_kept or len(lines) == 2)


def test_body_rows_drops_the_headline_but_not_a_refrain_that_is_the_headline():
    html = f"<h1>Council votes, at last, for bridge</h1><p>{TEXT}</p><p>COUNCIL VOTES AT LAST FOR BRIDGE!</p>"
    assert body(html, headline="Council votes, at last, for bridge") == [TEXT]
    refrain = "O wide, wide world"
    verses = "".join(f"<p>{refrain}<br>line {number} of the song</p>" for number in range(4))
    assert body(f"<h1>{refrain}</h1>{verses}", headline=refrain).count(refrain) == 4


@pytest.mark.parametrize("caption", examples(__file__, "captions"))
def test_body_rows_drops_caption(caption):
    text = "Crowds gathered at the bridge on Monday, waiting for the vote."
    assert text not in body(f"<div><p>{TEXT}</p>{caption.format(text)}<p>{TEXT}</p></div>")


def test_body_rows_keeps_page_whose_template_calls_all_text_caption():
    assert body(f"<div class='caption-layout'><p>{TEXT}</p><p>{TEXT}</p></div>") == [TEXT, TEXT]
    assert body("") == []


def test_is_furniture_never_takes_a_line_of_paragraph_length():
    assert is_furniture("Share " * 6) and not is_furniture("Share " * 60)


ALLOWED = frozenset({*CONTAINERS.values(), *INLINE.values()}) | frozenset(
    "p pre table caption thead tr td th figure img figcaption br".split()
)
VOID = frozenset(("img", "br"))
SENTENCE = "The ferry was late again, the third time this week, and nobody on the pier was surprised. "


def render_all(html: str) -> str:
    page = Page(html, "https://news.example/a/b.html")
    return body_html(page, range(len(page.blocks)))


class Reader(HTMLParser):
    """Reads clean HTML as docs/SCHEMA.md says, and fails where tags do not match; captions are left out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.lines = [""]
        self.rows: list[list[str]] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif self.rows:
            self.rows[-1][-1:] = [cell + (" " if tag not in INLINE.values() else "") for cell in self.rows[-1][-1:]]
        elif tag not in INLINE.values():
            self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "tr":
            self.lines += ["\t".join(" ".join(cell.split()) for cell in self.rows.pop()), ""]
        elif tag not in INLINE.values() and not self.rows:
            self.lines.append("")

    def handle_data(self, text: str) -> None:
        if {"caption", "figcaption"} & {*self.open}:
            return
        if self.rows:
            self.rows[-1][-1] += text
        elif "pre" in self.open:
            first, *more = text.split("\n")
            self.lines[-1] += first
            self.lines += more
        else:
            self.lines[-1] += text

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip(" \n") for line in self.lines if line.strip())


@pytest.mark.parametrize(
    ("html", "rendered"),
    [*examples(__file__, "html"), ("<p>" + "<a href=/x><b></b></a>" * 1000 + "word", "<p>word</p>")],
)
def test_body_html_keeps_structure_links_emphasis_and_figures_of_what_is_shown(html, rendered):
    assert render_all(html) == rendered


@pytest.mark.parametrize(("html", "rendered", "text"), examples(__file__, "structure"))
def test_html_and_text_of_the_body_have_its_structure(html, rendered, text):
    page = Page(f"<div><p>{TEXT}</p>{html}<p>{TEXT}</p></div>", "https://news.example/a/b.html")
    rows = body_rows(Extraction.of_blocks(page, [True] * len(page.blocks)), None, ())
    assert body_html(page, rows) == f"<p>{TEXT}</p>\n{rendered}\n<p>{TEXT}</p>"
    assert body_text(page, rows) == f"{TEXT}\n{text}\n{TEXT}"


def test_body_rows_and_html_hold_chosen_blocks_only():
    page = Page(f"<div><p>{TEXT} <b>1</b></p><ul><li>Two</li></ul><p>Three</p><p>Four <i>4</i></p></div>")
    rows = body_rows(Extraction.of_blocks(page, [True, False, False, True]), None, ())
    assert body_html(page, rows) == f"<p>{TEXT} <strong>1</strong></p>\n<p>Four <em>4</em></p>"


def test_body_html_has_no_script_or_unsafe_attribute():
    html = render_all(
        "<p onmouseover=steal()>a <a href='javascript:steal()'>b</a> <a href=' data:text/html,x'>c</a>"
        "<script>steal()</script><svg onload=steal()><p>&lt;script&gt;steal()&lt;/script&gt;"
        "<p><a href='https://x.example/\"><script>steal()</script>'>d</a>"
        "<figure><img src='javascript:steal()'><img src='https://x.example/a\" onerror=\"steal()'></figure><p>end"
    )
    read = Reader(html)
    assert read.tags <= ALLOWED
    assert {name for name, _ in read.attributes} <= {"href", "src", "alt"}
    assert all(value and value.startswith("https://") for name, value in read.attributes if name in ("href", "src"))


def test_body_html_has_the_lines_of_the_body():
    article = extract(
        f"<title>Late</title><article><h1>Late</h1><p>{SENTENCE * 3}</p><ul><li>{SENTENCE}</li></ul>"
        f"<figure><img src=/a.png><figcaption>Foto: X</figcaption></figure><p>{SENTENCE * 2}<a href=/x>More &amp; "
        f"more</a></p></article>",
        "https://news.example/a",
        extractor="econ",
    )
    assert article.article_body_html
    assert Reader(article.article_body_html).text == article.article_body


TAGS = st.sampled_from(
    """p div b i a code ul ol li dl dt dd br table caption tr th td blockquote footer details summary figure figcaption
    img h1 h2 pre span script style""".split()
)
MARKUP = st.one_of(
    st.builds("<{}>".format, TAGS), st.builds("</{}>".format, TAGS), st.text(max_size=8), st.just(" words, here. ")
)
NESTED = st.recursive(
    st.just("")
    | st.sampled_from(["one", "two <b>2</b>", "—", "a<br>b", "<img src=/x.jpg>", "x \n\n y", "<a href=/>l</a>"]),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format, TAGS.filter(lambda tag: tag not in ("br", "img")), st.lists(inner).map("".join)
    ),
    max_leaves=30,
)


@given(st.lists(MARKUP, max_size=40).map("".join) | NESTED, st.integers(1, 5))
def test_html_of_any_page_is_well_formed_and_has_the_text_of_the_body(html, step):
    page = Page(html, "https://news.example/")
    rows = range(0, len(page.blocks), step)
    read = Reader(body_html(page, rows))
    assert read.tags <= ALLOWED
    assert read.text == body_text(page, rows)
    assert content_hash(None, read.text) == content_hash(None, "".join(page.blocks.texts[row] for row in rows))


def test_image_in_a_template_is_not_the_articles():
    template = "<template><p><img src=/t.jpg></p></template>"
    html = f"<article><h1>Pier</h1><p>{TEXT}</p>{template}<p>{SENTENCE}</p></article>"
    article = extract(html, "https://example.org/pier")
    assert article.article_body.count("\n") == 1 and "t.jpg" not in article.article_body_html
