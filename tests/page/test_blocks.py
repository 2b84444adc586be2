"""Blocks: paragraphs, headings, cells and items of a page in reading order, and what is hidden."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.errors import WrongCall
from newsextract.page.walk import SHOWN_LATER


def texts(html: str) -> list[str]:
    return Page(html).blocks.texts


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One <b>bold</b> <i>word</i>.</p><p>Two.</p>", ["One bold word.", "Two."]),
        ("<div>One<br>two<br/>three</div>", ["One", "two", "three"]),
        ("<div>One<hr>two</div>", ["One", "two"]),
        ("<div>Before<p>inside</p>after</div>", ["Before", "inside", "after"]),
        ("<p>A <a href=x>link</a> in a sentence.</p>", ["A link in a sentence."]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("<table><tr><td>a<td>b<tr><td>c</table>", ["a", "b", "c"]),
        ("<font>One<p>two</p>three</font>", ["One", "two", "three"]),
        ("<p>one\n  two\t\u00a0three\u3000four</p>", ["one two three four"]),
        ("<p>zero\u200bwidth\ufeff so\u00adft</p>", ["zerowidth soft"]),
        ("<p>***</p><p>---</p><p>|</p><p>word</p>", ["word"]),
        ("<p>one<!-- comment -->two</p>", ["onetwo"]),
        ("<dl><dt>term<dd>what it means</dl>", ["term", "what it means"]),
        ("<my-element>custom</my-element><p>next</p>", ["custom", "next"]),
        ("<p>H<sub>2</sub>O &amp; CO&#8322;</p>", ["H2O & CO₂"]),
        ("<p>中文<b>粗体</b>结束</p>", ["中文粗体结束"]),
        ("<p>One <span style='display:none'>never</span> two</p>", ["One two"]),
    ],
)
def test_blocks_end_at_block_level_tags(html, expected):
    assert texts(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<script>var never = 'shown';</script>",
        "<style>.never { shown: 1 }</style>",
        "<noscript>never shown</noscript>",
        "<template><p>never shown</p></template>",
        "<div hidden>never shown</div>",
        "<div hidden=hidden><p>never shown</p></div>",
        "<div style='display:none'>never shown</div>",
        "<div style='color: red; DISPLAY : none !important'><p>never shown</p></div>",
        "<p style='visibility:hidden'>never shown</p>",
        "<textarea>never shown</textarea>",
        "<select><option>never shown</select>",
        "<iframe>never shown</iframe>",
        "<svg><text>never shown</text></svg>",
        "<button hidden>never shown</button>",
        "<!-- never shown -->",
        "<title>never shown</title>",
        "<object>never shown</object>",
    ],
)
def test_views_leave_out_hidden_elements_and_script(html):
    page = Page(f"<body><p>Seen before.</p>{html}<p>Seen after.</p></body>")
    assert page.blocks.texts == ["Seen before.", "Seen after."]
    assert page.text_nodes.texts == ["Seen before.", "Seen after."]
    assert [text for text in page.lines.texts if text] == ["Seen before.", "Seen after."]
    assert [text for text in page.tag_sequence.contents if text] == ["Seen before.", "Seen after."]


@pytest.mark.parametrize("attribute", ["hidden", "style='display:none'"])
def test_blocks_hold_hidden_element_with_most_paragraphs(attribute):
    story = "<p>A paragraph of the article that waits, hidden, for its script.</p>" * 30
    assert len(texts(f"<p>Menu, short.</p><div {attribute}>{story}</div>")) == 31
    visible = story * 2
    assert len(texts(f"{visible}<div {attribute}>{story}</div>")) == 60, "more is visible: the hidden part is hidden"
    assert len(texts(f"<p>Menu.</p><div {attribute}>{'<p>Short.</p>' * 20}</div>")) == 1
    assert 20 * len("Short.") < SHOWN_LATER < 30 * 60


def test_blocks_hold_text_hidden_behind_read_more():
    shown, rest = (
        "<p>The first paragraph is shown.</p>",
        "<div style='display:none'><p>The rest waits for a click.</p></div>",
    )
    for button in ("<div>- Read more -</div>", "<a href=#>閱讀更多</a>", "<button>Lire la suite</button>"):
        for html in (f"{shown}{rest}{button}", f"{shown}{button}{rest}"):
            assert "The rest waits for a click." in texts(f"<article>{html}</article>")
    for html in (
        f"{shown}{rest}",
        f"{shown}{rest}<p>Subscribe to continue reading</p>",
        f"{rest}<a href=x>Read more</a>",
    ):
        assert "The rest waits for a click." not in texts(f"<article>{html}</article>")


def test_blocks_count_characters_within_links_also_of_blocks_within_a_link():
    blocks = Page("<p>0123456789<a href=x>01234</a></p><a href=y><div>one</div><div>two</div></a><p>three</p>").blocks
    assert blocks.linked.tolist() == [5, 3, 3, 0]
    assert blocks.link_shares.tolist() == pytest.approx([1 / 3, 1, 1, 0])


def test_blocks_xpaths_select_their_element():
    html = "<div><p>a</p><p>b<b>c</b></p></div><div>d<section><p>e</p></section>f</div><font><h2>g</h2>h</font>"
    page = Page(html)
    for text, path in zip(page.blocks.texts, page.blocks.xpaths, strict=True):
        (element,) = page.tree.xpath(path)
        assert text in " ".join(element.xpath("string()").split())
    assert page.blocks.tags == ["p", "p", "div", "p", "div", "h2", "font"]


def test_blocks_spans_are_the_blocks_of_each_subtree():
    blocks = Page("<div><p>a</p><p>b</p></div><div>c<p>d</p>e</div>").blocks
    tags = blocks.element_tags
    spans = dict(zip(tags, blocks.spans.tolist(), strict=True))
    assert spans["body"] == [0, 5]
    assert [span for tag, span in zip(tags, blocks.spans.tolist(), strict=True) if tag == "div"] == [[0, 2], [2, 5]]


def test_blocks_markup_counts_links_images_and_inline_elements():
    blocks = Page("<p><a href=x><b>one</b></a> two <img src=i></p><p>***</p><p><i>three</i></p>").blocks
    assert blocks.texts == ["one two", "three"]
    assert blocks.markup[:, :3].tolist() == [[1, 1, 3], [0, 0, 1]]
    assert blocks.lengths.tolist() == [7, 5]


def test_blocks_element_classes_belong_to_their_elements():
    blocks = Page("<div class='a b'><p>one</p><font class=c><p class=d>two</p></font></div>").blocks
    named = dict(zip(blocks.element_classes, blocks.element_tags, strict=True))
    assert named == {None: "p", "a b": "div", "c": "font", "d": "p"}
    assert len(blocks.element_classes) == len(blocks.nodes) == 5


def test_page_of_wrong_type_is_refused():
    with pytest.raises(WrongCall, match="int"):
        Page(5)


NESTED = st.recursive(
    st.text("ab 字.", max_size=6),
    lambda inner: st.tuples(st.sampled_from("div p span a b li td font br".split()), st.lists(inner, max_size=4)).map(
        lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0]}>" if node[0] != "br" else "".join(["<br>", *node[1]])
    ),
    max_leaves=20,
)


@given(NESTED)
def test_blocks_hold_each_letter_of_any_page_once_and_in_order(html):
    page = Page(f"<div>{html}</div>")
    letters = [c for c in "".join(page.tree.itertext()) if c.isalnum()]
    assert [c for text in page.blocks.texts for c in text if c.isalnum()] == letters
    assert page.blocks.spans[0].tolist() == [0, len(page.blocks)]
    assert all(text == " ".join(text.split()) and text for text in page.blocks.texts)
    assert (page.blocks.linked <= [len(page.source)] * len(page.blocks)).all()
