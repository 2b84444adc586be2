"""The body of an article: its lines, and its HTML, which keeps the structure and holds nothing executable."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Extraction, Page, extract
from newsextract.article.body import body_rows, is_byline, is_furniture
from newsextract.article.html import body_html, body_text
from newsextract.article.html.inline import INLINE
from newsextract.article.html.writer import CONTAINERS
from newsextract.urls import content_hash

TEXT = "The council met on Monday, and after a long debate it voted for the new bridge."


def body(html: str, headline: str | None = None, authors: tuple[str, ...] = ()) -> list[str]:
    page = Page(html)
    extraction = Extraction.of_blocks(page, [True] * len(page.blocks))
    return [extraction.texts[row] for row in body_rows(extraction, headline, authors)]


@pytest.mark.parametrize(
    "line",
    """By Anna Berg
    Par Anna Berg, publié le 6 mai 2024
    Anna Berg
    ANNA BERG, 6 May 2024
    Updated: 2024-05-06 10:30
    2024年05月06日 10:30
    Photo: Anna Berg
    © 2024 The Valley Post. All rights reserved.
    图片来源：新华社
    （责任编辑：王芳）
    分享到：微信 微博
    Share this article
    Share on Facebook | Tweet | Email | Print
    Read more: The bridge that nobody wanted
    Sign up for our newsletter
    3 Comments
    Lea también: Fernando Botero y su obra
    [Read more: A guide to ferries]
    LEIA TAMBÉM: A ponte
    Читайте также: Мост открыт
    इसे भी पढ़ें : पुल
    Baca juga: Jembatan
    Opinion
    Advertisement""".split("\n"),
)
def test_body_rows_drops_furniture_line(line):
    assert body(f"<div><p>{TEXT}</p><p>{line.strip()}</p><p>{TEXT}</p></div>", authors=("Anna Berg",)) == [TEXT, TEXT]


@pytest.mark.parametrize(
    "line",
    """By Monday the river had risen by another two metres, and the town was cut off.
    Von den neun Brücken der Stadt ist nur diese gesperrt.
    “No,” she said.
    It was 1945.
    Comments on the plan were mixed, the council's report found in its second chapter.
    Share prices fell by a third after the announcement, and trading was halted twice.
    Photo editors at the paper had, until then, never seen such a picture in print.
    Read more books, he told them, and talk less of them, and you will be happier for it.
    来源于民间的故事在这里流传了几百年，至今仍被老人们讲述。
    编辑们说，他们从未见过这样的照片。
    记者昨日从市水务局获悉，新建的三座水厂将于明年春天投入使用。
    In May 2024 the bridge was closed.
    Read more often than his other books, it made his name.
    À lire de près ce texte, on comprend que le pont coûtera cher.
    Related to this is the question of who pays.
    Le puede interesar a cualquiera que viva aquí.
    Analysis of the data shows that the bridge is safe
    Les habitants du village""".split("\n"),
)
def test_body_rows_keeps_sentence_that_begins_like_furniture(line):
    line = line.strip()
    assert body(f"<div><p>{TEXT}</p><p>{line}</p></div>", authors=("Anna Berg",)) == [TEXT, line]


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("<figure><pre>x = 1<br>print(x)</pre></figure>", id="code listing in a figure"),
        pytest.param("<figure><table><tr><td>Dundee A<td>4-0<td>1564</table></figure>", id="results in a figure"),
        pytest.param("<figure><blockquote>Under this cross my mother lies</blockquote></figure>", id="quotation"),
        pytest.param("<ul><li>1<li>2<li>3</ul>", id="numbers"),
        pytest.param(
            "<table><tr><th>Desk<th>By<tr><td>Opinion<td>3 May 2024</table>", id="cells that look like labels"
        ),
        pytest.param("<p>11/27, Sunday: 12 pm – 12 am</p><p>11/28, Monday: 8 am – 2 pm</p>", id="opening hours"),
        pytest.param("<p>Sunday 3 May</p><p>Monday 4 May</p>", id="section dates"),
    ],
)
def test_body_rows_keeps_listings_tables_and_dates_between_paragraphs(kept):
    html = f"<div><p>{TEXT}</p><p>{TEXT} So it did.</p>{kept}<p>{TEXT} And more.</p></div>"
    assert body(html) == Page(html).blocks.texts


@pytest.mark.parametrize(
    ("end", "is_kept"),
    [
        ("<aside><h3>Zur Person</h3><p>{}</p></aside>", False),
        ("<h3>About the author</h3><p>{}</p>", False),
        ("<div><p>{}</p><p>More by her</p></div>", False),
        ("<p>{}</p>", True),
        (
            "<div><p>The bridge is long, and its toll is low, said one of them, who had come early.</p><p>{}</p></div>",
            True,
        ),
    ],
)
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


@pytest.mark.parametrize(
    "caption",
    [
        "<figure><img src=x><figcaption>{}</figcaption></figure>",
        "<figure><img src=x><div><p>{}</p></div></figure>",
        "<table><caption>{}</caption><tr><td>1</td></tr></table>",
        "<div class='image-caption'>{}</div>",
        "<p class='PhotoCredit'>{}</p>",
        "<div class=caption><span>{}</span></div>",
    ],
)
def test_body_rows_drops_caption(caption):
    text = "Crowds gathered at the bridge on Monday, waiting for the vote."
    assert text not in body(f"<div><p>{TEXT}</p>{caption.format(text)}<p>{TEXT}</p></div>")


def test_body_rows_keeps_page_whose_template_calls_all_text_caption():
    assert body(f"<div class='caption-layout'><p>{TEXT}</p><p>{TEXT}</p></div>") == [TEXT, TEXT]
    assert body("") == []


def test_is_furniture_never_takes_a_line_of_paragraph_length():
    assert is_furniture("Share " * 6) and not is_furniture("Share " * 60)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("By Milo Vance, Jr., and Ann Lee", True),
        ("By Milo Vance, Staff Writer", True),
        ("By MILO VANCE and ANN LEE - AP Technology Writers", True),
        ("Par Ann Lee, Milo Vance Envoyés spéciaux à Toulouse", True),
        ("By Milo Vance, The River Times", True),
        ("By Ann Lee, the editor told us, nobody was hurt.", False),
        ("By Ann the bridge was built", False),
        ("By an editor of the River Times", False),
        ("Ann Lee, editor of the River Times", False),
        ("May and June 2016", False),
    ],
)
def test_byline_may_end_with_a_job_or_an_employer(line, wanted):
    assert is_byline(line, {"milo", "vance", "ann", "lee"}) is wanted


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
def test_body_html_keeps_structure_links_emphasis_and_figures_of_what_is_shown(html, rendered):
    assert render_all(html) == rendered


@pytest.mark.parametrize(
    ("html", "rendered", "text"),
    [
        pytest.param(
            "<table><caption>Fleet</caption><thead><tr><th></th><th>Seats<th>Crew</thead><tr><td>Tern<td><td>—"
            "<tr><td>Gull<td>9<br>or 10<td><ul><li><a href=/a>Ann</a><li>Bo</ul></table>",
            "<table><caption>Fleet</caption><thead><tr><th></th><th>Seats</th><th>Crew</th></tr></thead>"
            "<tr><td>Tern</td><td></td><td>—</td></tr><tr><td>Gull</td><td>9<br>or 10</td>"
            '<td><ul><li><a href="https://news.example/a">Ann</a></li><li>Bo</li></ul></td></tr></table>',
            "\tSeats\tCrew\nTern\t\t—\nGull\t9 or 10\tAnn Bo",
            id="table: caption, head, empty cells, br and list in cells",
        ),
        pytest.param(
            "<table><tr><th rowspan=2>Boat<th colspan=2>Size<th>Port<tr><td>long<td>wide<td><img src=/a.jpg></table>",
            '<table><tr><th rowspan="2">Boat</th><th colspan="2">Size</th><th>Port</th></tr><tr><td>long</td>'
            '<td>wide</td><td><img src="https://news.example/a.jpg" alt=""></td></tr></table>',
            "Boat\tSize\t\tPort\n\tlong\twide\t",
            id="table: cells over columns and rows, image in a cell",
        ),
        pytest.param(
            "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
            "<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>",
            "a\nb\nc\nd",
            id="table: layout",
        ),
        pytest.param(
            "<table><tr><td><table><tr><th>a<th>b</table><td>beside</table>",
            "<table><tr><th>a</th><th>b</th></tr></table>\n<p>beside</p>",
            "a\tb\nbeside",
            id="table: data within layout",
        ),
        pytest.param(
            "<pre class=hl><code><span>if</span> x &lt; 2 {\n\n\treturn\n}\n</code></pre>",
            "<pre><code>if x &lt; 2 {\n\n\treturn\n}\n</code></pre>",
            "if x < 2 {\n\treturn\n}",
            id="code: indented, with a line without letters and a blank one",
        ),
        pytest.param(
            "<pre><div>a {</div>\n<div>  b<button>Copy</button></div>\n<div>}</div></pre><pre>c<br> }</pre>",
            "<pre>a {\n  b\n}</pre>\n<pre>c\n }</pre>",
            "a {\n  b\n}\nc\n }",
            id="code: lines that are elements or end with br",
        ),
        pytest.param(
            "<table><tr><td><pre>1\n2</pre><td><pre>x = 1\ny = 2</pre></table>",
            "<pre>x = 1\ny = 2</pre>",
            "x = 1\ny = 2",
            id="code: line numbers beside",
        ),
        pytest.param(
            "<ol start=3 reversed type=a class=x><li value=7>a<ul><li>b</ul>c<li>d</li><ol><li>e</ol></ol>",
            '<ol start="3" reversed="" type="a"><li value="7">a\n<ul><li>b</li></ul>\nc</li><li>d\n'
            "<ol><li>e</li></ol></li></ol>",
            "a\nb\nc\nd\ne",
            id="lists: nested in an item and in a list",
        ),
        pytest.param(
            "<dl><dt>Pile<dd>steel<dd><p>deep</p><p>heavy</p><div><dt>Deck<dd>oak</div></dl>",
            "<dl><dt>Pile</dt><dd>steel</dd><dd>deep<br>heavy</dd><dt>Deck</dt><dd>oak</dd></dl>",
            "Pile\nsteel\ndeep\nheavy\nDeck\noak",
            id="terms and definitions",
        ),
        pytest.param(
            "<blockquote cite=/src><p>We wait.</p><footer>— <cite>Bo</cite></footer></blockquote>"
            "<figure><blockquote>We go.</blockquote><figcaption>Cy</figcaption></figure>",
            '<blockquote cite="https://news.example/src"><p>We wait.</p><footer>— <cite>Bo</cite></footer></blockquote>'
            "\n<blockquote><p>We go.</p></blockquote>\n<p>Cy</p>",
            "We wait.\n— Bo\nWe go.\nCy",
            id="quotations with their source",
        ),
        pytest.param(
            "<p>A <i>verse<br>\nof</i> two<br><br>stanzas<br><img src=/x.png></p>"
            "<blockquote><p>and<br>lines</blockquote>",
            "<p>A <em>verse</em><br><em>of</em> two</p>\n<p>stanzas</p>\n"
            '<figure><img src="https://news.example/x.png" alt=""></figure>\n'
            "<blockquote><p>and<br>lines</p></blockquote>",
            "A verse\nof two\nstanzas\nand\nlines",
            id="lines of a verse",
        ),
        pytest.param(
            "<details open><summary>Why?</summary><p dir=RTL style=x>H<sub>2</sub>O, "
            "<time datetime=2026>now</time></details>",
            '<details><summary>Why?</summary><p dir="rtl">H<sub>2</sub>O, '
            '<time datetime="2026">now</time></p></details>',
            "Why?\nH2O, now",
            id="details, direction, inline markup",
        ),
        pytest.param(
            "<p>a <img src=/1.jpg> b</p><p><img data-src=/2.jpg src=data:x alt='A &amp; B'><noscript>"
            "<img src=/2b.jpg></noscript></p><div class=wp-caption><a href=/3.png><img src=/3.jpg></a><p>Boats</p>"
            "</div>c<br>"
            "<picture><source srcset='/4s.jpg 1x, /4.jpg 2x'><img></picture><br>d<a href=//ads.example/>"
            "<img src=/ad.jpg></a><img src=/pixel.gif width=1>"
            "<a href=/next-story><img src=/teaser.jpg></a><ul><li><img src=/5.jpg>e</ul>"
            "<p><img src=/6.jpg></p><p class=caption>Port</p>",
            '<p>a b</p>\n<figure><img src="https://news.example/1.jpg" alt=""></figure>\n'
            '<figure><img src="https://news.example/2.jpg" alt="A &amp; B"></figure>\n'
            '<figure><img src="https://news.example/3.jpg" alt=""><figcaption>Boats</figcaption></figure>\n<p>c</p>\n'
            '<figure><img src="https://news.example/4.jpg" alt=""></figure>\n<p>d</p>\n'
            '<ul><li><figure><img src="https://news.example/5.jpg" alt=""></figure>e</li></ul>\n'
            '<figure><img src="https://news.example/6.jpg" alt=""><figcaption>Port</figcaption></figure>',
            "a b\nc\nd\ne",
            id="images outside figures, with captions",
        ),
    ],
)
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
