"""Views of a page: blocks, lines, text nodes, tag sequence, titles, JSON-LD and declarations."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.items import Listing
from newsextract.methods.common.lines import Lines
from newsextract.methods.common.tag_sequence import TagSequence
from newsextract.page.text_nodes import TextNodes
from newsextract.page.titles import parts, title_candidates
from newsextract.page.walk import SHOWN_LATER
from tests.examples import examples


def texts(html: str) -> list[str]:
    return Page(html).blocks.texts


FORMULA = "<span><span><math><mi>x</mi></math></span><span aria-hidden=true>x</span></span>"  # drawn again


@pytest.mark.parametrize(
    ("html", "expected"), [*examples(__file__, "blocks"), (f"<p>Let {FORMULA} be one.</p>", ["Let x be one."])]
)
def test_blocks_end_at_block_level_tags(html, expected):
    assert texts(html) == expected


@pytest.mark.parametrize("html", examples(__file__, "hidden"))
def test_views_leave_out_hidden_elements_and_script(html):
    page = Page(f"<body><p>Seen before.</p>{html}<p>Seen after.</p></body>")
    assert page.blocks.texts == ["Seen before.", "Seen after."]
    assert page.view(TextNodes).texts == ["Seen before.", "Seen after."]
    assert [text for text in page.view(Lines).texts if text] == ["Seen before.", "Seen after."]
    assert [text for text in page.view(TagSequence).contents if text] == ["Seen before.", "Seen after."]


@pytest.mark.parametrize("attributes", examples(__file__, "shown"))
def test_views_read_styles_as_declarations(attributes):
    assert texts(f"<p>One.</p><div {attributes}>Two.</div>") == ["One.", "Two."]


def test_views_show_what_is_visible_within_an_invisible_element():
    inner = "a <b style='visibility:visible'>b <i style='visibility:hidden'>c</i> d</b> e <p>f</p>"
    page = Page(f"<div style='visibility:hidden'>{inner}</div><p>g</p>")
    assert page.blocks.texts == ["b d", "g"]
    assert [text for text in page.view(Lines).texts if text] == ["b d", "g"]


@pytest.mark.parametrize("inner", examples(__file__, "inline"))
def test_views_do_not_tear_a_sentence(inner):
    page = Page(f"<p>They sell {inner} here.</p>")
    assert page.blocks.texts == ["They sell fish here."]
    assert [text for text in page.view(Lines).texts if text] == page.blocks.texts
    assert set(page.view(TextNodes).blocks.tolist()) == {0}


@pytest.mark.parametrize(("html", "expected"), examples(__file__, "display"))
def test_views_follow_display(html, expected):
    page = Page(html)
    assert page.blocks.texts == expected
    assert [text for text in page.view(Lines).texts if text] == expected


@pytest.mark.parametrize("attribute", ["hidden", "style='display:none'"])
def test_blocks_hold_hidden_element_with_most_paragraphs(attribute):
    story = "<p>A paragraph of the article that waits, hidden, for its script.</p>" * 30
    assert len(texts(f"<p>Menu, short.</p><div {attribute}>{story}</div>")) == 31
    visible = story * 2
    assert len(texts(f"{visible}<div {attribute}>{story}</div>")) == 60, "more is visible: the hidden part is hidden"
    assert len(texts(f"<p>Menu.</p><div {attribute}>{'<p>Short.</p>' * 20}</div>")) == 1
    assert 20 * len("Short.") < SHOWN_LATER < 30 * 60


def test_blocks_hold_text_hidden_behind_read_more():
    shown = "<p>The first paragraph is shown.</p>"
    rest = "<div style='display:none'><p>The rest waits for a click.</p></div>"
    for button in ("<div>- Read more -</div>", "<a href=#>閱讀更多</a>", "<button>Lire la suite</button>"):
        for html in (f"{shown}{rest}{button}", f"{shown}{button}{rest}"):
            assert "The rest waits for a click." in texts(f"<article>{html}</article>")
    for html in (shown + rest, f"{shown}{rest}<p>Subscribe to continue reading</p>", f"{rest}<a href=x>Read more</a>"):
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


def test_blocks_have_the_spans_markup_and_classes_of_their_elements():
    blocks = Page("<div><p>a</p><p>b</p></div><div>c<p>d</p>e</div>").blocks
    spans = list(zip(blocks.element_tags, blocks.spans.tolist(), strict=True))
    assert [span for span in spans if span[0] != "p"] == [("body", [0, 5]), ("div", [0, 2]), ("div", [2, 5])]
    blocks = Page("<p><a href=x><b>one</b></a> two <img src=i></p><p>***</p><p><i>three</i></p>").blocks
    assert blocks.texts == ["one two", "three"]
    assert blocks.markup[:, :3].tolist() == [[1, 1, 3], [0, 0, 1]]
    assert blocks.lengths.tolist() == [7, 5]
    blocks = Page("<div class='a b'><p>one</p><font class=c><p class=d>two</p></font></div>").blocks
    named = dict(zip(blocks.element_classes, blocks.element_tags, strict=True))
    assert named == {None: "p", "a b": "div", "c": "font", "d": "p"}
    assert len(blocks.element_classes) == len(blocks.nodes) == 5


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


def test_titles_of_lists_and_links_are_candidates_whenever_they_come():
    page = Page("<h1>The ferry</h1><p>It sails.")
    assert [title.source for title in title_candidates(page)] == ["h1"]
    page.listing, page.anchor_text = Listing("feed", "Ferry again", None), "The ferry again"
    assert [title.source for title in title_candidates(page)] == ["h1", "feed", "anchor"]


def rows(html: str) -> list[tuple[str, int]]:
    lines = Page(html).view(Lines)
    return list(zip(lines.texts, lines.tags.tolist(), strict=True))


def test_lines_end_at_block_level_tags_and_have_linked_characters_and_block_index():
    assert rows("<div><p>some <b>text</b></p></div>") == [("", 1), ("some text", 4), ("", 1)]
    html = "<div>\n<p>one</p>\n<p>two<br>three</p>\n</div>"
    assert rows(html) == rows(html.replace("\n", "")), "the formatting of the source makes no lines"
    lines = Page("<p>0123<a href=x>45</a></p><p>***</p>").view(Lines)
    assert (lines.linked.tolist(), lines.blocks.tolist()) == ([2, 0], [0, -1])


def test_text_nodes_have_tag_paths_from_the_root():
    nodes = Page("<div><p>One <a href=x>link</a> more.</p></div>").view(TextNodes)
    assert nodes.texts == ["One", "link", "more."]
    assert [nodes.tag_paths[path][2:] for path in nodes.paths] == [("div", "p"), ("div", "p", "a"), ("div", "p")]
    assert nodes.tag_paths[nodes.paths[0]][:2] == ("html", "body")
    assert nodes.linked.tolist() == [False, True, False]


def test_text_in_a_button_is_linked_in_blocks_and_not_in_the_views_of_published_methods():
    page = Page("<div>Read <a href=x>this</a> or <button>press</button></div>")
    assert page.view(TextNodes).linked.tolist() == [False, True, False, False]
    assert (page.view(Lines).linked.sum(), page.blocks.linked[0]) == (4, 9)
    assert Page("<p><button aria-expanded=false>Why <b>now</b>?</button>").blocks.linked[0] == 0, "it shows an answer"


def test_text_nodes_are_split_by_br_not_by_comments_never_blank_and_joined_in_runs():
    nodes = Page("<div>one<br>two<!-- x -->three</div>").view(TextNodes)
    assert nodes.texts == ["one", "twothree"]
    assert len(set(nodes.paths.tolist())) == len(set(nodes.parents.tolist())) == 1
    page = Page("<p>one<b>two</b> <i>three</i></p>")
    assert page.view(TextNodes).texts == ["one", "two", "three"]
    assert page.blocks.texts == [page.view(TextNodes).joined(0, 3)] == ["onetwo three"], "the space is kept"
    nodes = Page("<p>a<b>b</b>c</p><p>d</p>").view(TextNodes)
    assert nodes.runs(np.array([True, True, False, False])) == [(0, 2), (2, 3), (3, 4)]


@given(st.lists(st.sampled_from("<p> </p> <b> </b> <a> <br> <div> </div> word 字 . \u00a0".split(" ")), max_size=30))
def test_text_nodes_of_each_block_join_to_its_text(parts):
    page = Page("".join(parts))
    nodes = page.view(TextNodes)
    assert [nodes.joined(*run) for run in nodes.runs(np.ones(len(nodes), bool))] == page.blocks.texts
    assert (np.diff(nodes.blocks) >= 0).all()


def test_tag_sequence_region_codes_are_as_in_the_paper():
    sequence = Page("<body><div>a</div><div>b<p>c</p></div></body>").view(TagSequence)
    rows = zip(sequence.names, sequence.begin, sequence.end, sequence.parent, sequence.level, strict=True)
    assert [(name, *map(int, codes)) for name, *codes in rows] == [
        ("body", 1, 8, 0, 1),
        ("div", 2, 3, 1, 2),
        ("div", 4, 7, 1, 2),
        ("p", 5, 6, 4, 3),
    ]


def test_tag_sequence_inline_tags_are_content():
    sequence = Page("<body><p>one <a href=x>two</a><br>three</p></body>").view(TagSequence)
    assert sequence.names == ["body", "p"]
    assert sequence.contents == ["", "one two three"]
    assert sequence.inner == ["", "#<a>#<br>#"]
    assert sequence.linked.tolist() == [0, 3]
    table = Page("<body><table><tr><td>a</td><td>b</td></tr></table></body>").view(TagSequence)
    assert table.names == ["body", "table", "td", "td"], "cells are rows, table rows are not"


@given(st.lists(st.sampled_from("<p> </p> <div> </div> <b> </b> <td> <br> <ul> <li> word".split()), max_size=40))
def test_tag_sequence_regions_nest_as_elements_do(parts):
    sequence = Page("".join(parts)).view(TagSequence)
    elements = list(zip(sequence.elements, sequence.begin, sequence.end, strict=True))
    assert (sequence.begin < sequence.end).all()
    for outer, begin, end in elements:
        above = {id(e) for e in outer.ancestors}
        for inner, first, last in elements:
            assert (begin < first and last < end) == (outer in list(inner.ancestors))
            assert not (first < begin and end < last) or id(inner) in above


@pytest.mark.parametrize(("heading", "wanted"), examples(__file__, "headings"))
def test_titles_keep_words_of_a_heading_complete_and_apart(heading, wanted):
    assert title_candidates(Page(f"<h1>{heading}</h1><p>Text"))[0].text == wanted


def test_titles_name_their_source_and_are_split_at_separators_and_leading_labels():
    page = Page("<title>A | B</title><h1><b>Blog:</b> C</h1><h1>D <b>E</b></h1>", anchor_text="A story")
    titles = [(title.text, title.source) for title in title_candidates(page)]
    assert {("D E", "h1"), ("A | B", "title"), ("A", "title-part"), ("A story", "anchor")} <= {*titles}
    assert [text for text, source in titles if source == "h1-rest"] == ["C"]
    assert {"Bridge opens", "City", "The Paper"} <= set(parts("Bridge opens | City - The Paper"))
    assert parts("Anti-corruption law passed") == ()
    assert "新桥通车" in parts("新桥通车_时政_日报网")


def test_meta_reads_names_in_any_case_and_attribute():
    meta = Page(
        '<html lang=de><meta property="OG:Title" content=" A "><meta name=author content=B><meta name=author content=C>'
        '<link rel="Canonical" href=/a><title>T\n U</title><base href=/x/><body><meta itemprop=datePublished '
        "content=2024><svg><title>Icon</title></svg>"
    ).meta
    assert (meta.get("og:title"), meta.all("author"), meta.links["canonical"]) == ("A", ["B", "C"], ["/a"])
    assert (meta.title, meta.base, meta.html_lang, meta.get("itemprop:datepublished")) == ("T U", "/x/", "de", "2024")
    assert meta.get("nothing") is None
    bases = [Page(f"<base href={base}>", "https://a.org/b").base for base in ("/x/", "http://[bad", "javascript:x", "")]
    assert bases == ["https://a.org/x/", *["https://a.org/b"] * 3]
    empty = Page("").meta
    assert (empty.title, empty.html_lang, empty.all("author")) == ("", None, [])
    assert Page("<html xmlns='http://www.w3.org/1999/xhtml' xml:lang='de'><p>Text").meta.html_lang == "de"


def objects(*scripts):
    return Page("".join(f'<script type="application/ld+json">{script}</script>' for script in scripts)).json_ld


def headlines(*scripts):
    return [thing.get("headline") for thing in objects(*scripts)]


def test_json_ld_flattens_graphs_lists_and_nested_objects_but_not_works_listed_on_the_page():
    graph = {"@graph": [{"@type": "WebPage"}, {"@type": "Article", "author": {"@type": "Person"}}]}
    assert [thing["@type"] for thing in objects(json.dumps([graph]))] == ["WebPage", "Article", "Person"]
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "Article", "headline": "Other"}]}
    assert headlines(json.dumps(listed)) == [None]


@pytest.mark.parametrize("script", examples(__file__, "json_ld"))
def test_json_ld_repairs_invalid_json(script):
    assert headlines(script)[0] == "B"


@pytest.mark.parametrize("script", ["", "null", "[]", "{", "nonsense", '"text"', "{{{{", "[[[[[", '{"@type":5}'])
def test_json_ld_leaves_out_what_cannot_be_repaired(script):
    assert headlines(script) in ([], [None])
