"""Text to a tree: the repairs of markup that would lose text."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.corpora import find_corpus
from evaluation.scores import tokens
from newsextract import Page
from newsextract.methods.common.lines import Lines
from newsextract.methods.common.tag_sequence import TagSequence
from newsextract.page.text_nodes import TextNodes

STORY = "<p>The council met on Monday, and it voted.</p>"
TEXT = "The council met on Monday, and it voted."


@pytest.mark.parametrize(
    ("damage", "html"),
    [
        ("unclosed title", f"<title>A page {STORY}<p>More, and more.</p>"),
        ("unclosed title in head", f"<head><title>A page</head><body>{STORY}</body>"),
        ("unclosed textarea", f"<form><textarea name=a></form>{STORY}<p>More.</p>"),
        ("unclosed script", f"<script>var a = 1;\n{STORY}"),
        ("unclosed style", f"<style>p {{}}\n{STORY}"),
        ("unclosed noscript", f"<noscript><img src=x>{STORY}"),
        ("unclosed select", f"<select><option>one{STORY}"),
        ("unclosed iframe", f"<iframe src=x>{STORY}"),
        ("unclosed svg", f"<svg><path d='M0'>{STORY}"),
        ("unclosed comment tag", f"{STORY}<!-- never closed"),
        ("text after body", f"<html><body><p>One.</p></body></html>{STORY}"),
        ("second html", f"<html><body><p>One.</p></body></html><html><body>{STORY}</body></html>"),
        ("frames", f"<frameset cols=*><frame src=x><noframes><body>{STORY}</body></noframes></frameset>"),
        ("text behind deep nesting", "<div>" * 3000 + "x" + "</div>" * 3000 + STORY),
        ("no html at all", TEXT),
        ("attributes out of order", f"<div class='a' class=b\"><a href='x>y'>z</a>{STORY}</div>"),
        ("a stray less-than", f"<p>1 < 2 and 3 <4</p>{STORY}"),
        ("markup in a script", f"<script type='text/template'><div>{'never shown, ' * 400}</div></script>{STORY}"),
    ],
)
def test_parse_keeps_text_of_damaged_page(damage, html):
    assert any(TEXT in text for text in Page(html).blocks.texts), damage


def test_drop_joins_text_around_the_removed_element():
    page = Page("<p>One <b>gone</b>and one<!-- never seen --> more.</p>")
    assert page.view(TextNodes) is page.view(TextNodes) and len(page.view(TextNodes)) == 3
    page.drop(["//b"])
    assert page.blocks.texts == ["One and one more."]
    assert len(page.view(TextNodes)) == 1


def test_parse_follows_html5():
    page = Page("<p>First<div>second</p>third<table><p>before the table<tr><td>cell</table></div>")
    assert page.blocks.texts == ["First", "second", "third", "before the table", "cell"]
    assert page.tree.xpath("//td/ancestor::tbody")


@pytest.mark.parametrize("html", [b"", b"   \n", b"<!-- a comment -->", b"<?php ?>", b"<!DOCTYPE html>", b"<html>"])
def test_views_of_page_without_elements_are_empty(html):
    page = Page(html)
    assert len(page.blocks) == len(page.view(TextNodes)) == len(page.view(Lines)) == 0


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("div", b"<div>" * 12_500 + STORY.encode() + b"</div>" * 12_500),
        ("unclosed div", b"<div>" * 12_500 + STORY.encode()),
        ("font", b"<p>" + b"<font>" * 12_500 + STORY.encode()),
        ("font around p", b"<font><p>" * 6250 + STORY.encode()),
        ("table", b"<table><tr><td>" * 4000 + STORY.encode()),
        ("list", b"<ul><li>" * 6250 + STORY.encode()),
        ("open titles", STORY.encode() + b"<title>" * 12_500),
        ("open textareas", STORY.encode() + b"<textarea>" * 12_500),
        ("open scripts", STORY.encode() + b"<script>" * 12_500),
        ("open comments", STORY.encode() + b"<!--" * 12_500),
        ("open tags", STORY.encode() + b"<a" * 12_500),
        ("closings", STORY.encode() + b"</div>" * 12_500),
        ("bodies", STORY.encode() + b"</body></html><p>x" * 6250),
    ],
)
def test_views_of_very_many_nested_or_broken_tags_take_seconds(name, html):
    start = time.process_time()
    page = Page(html)
    assert any(TEXT in text for text in page.blocks.texts), name
    assert len(page.view(TextNodes)) and len(page.view(Lines)) and len(page.view(TagSequence))
    assert time.process_time() - start < 15, "where work grows with the square, it takes longer"


def test_blocks_of_large_and_of_deep_pages_are_complete_and_in_order():
    texts = Page(STORY.encode() * 50_000 + b"<p>The very last, indeed.").blocks.texts
    assert (len(texts), texts[-1]) == (50_001, "The very last, indeed.")
    pieces = [f"n{i}" for i in range(3000)]
    assert Page("".join(f"<div>{piece}" for piece in pieces)).blocks.texts == pieces


TAGS = st.sampled_from(
    "<p> </p> <div> </div> <a> </a> <b> <br> <title> </title> <textarea> <script> </script> <style> <table> <tr> <td> "
    "<font> </font> <select> <option> <svg> <frameset> <noframes> <body> </body> </html> <!-- --> <![CDATA[ ]]> < > & "
    "<h1> <ul> <li> <template> <form> <p\x00> &#0; &nbsp; word 字".split(" ")
)


@given(st.lists(TAGS | st.text(max_size=5), max_size=40).map("".join) | st.binary(max_size=200))
def test_views_of_any_tag_soup_or_bytes_agree_on_blocks(html):
    page = Page(html)
    assert len(page.blocks) <= max(1, len(html)) and page.body is not None
    blocks, nodes, lines = page.blocks, page.view(TextNodes), page.view(Lines)
    assert set(nodes.blocks.tolist()) == set(range(len(blocks)))
    assert [block for block in lines.blocks.tolist() if block >= 0] == list(range(len(blocks)))
    assert [text for text, block in zip(lines.texts, lines.blocks, strict=True) if block >= 0] == blocks.texts
    assert len(page.view(TagSequence))


@pytest.mark.parametrize("tag", ["b", "font", "EM"])
def test_unclosed_formatting_among_prose_is_not_opened_again_in_each_paragraph(tag):
    story = "".join(f"<{tag} id={number}><p>{TEXT * 8}" for number in range(900))
    page = Page(story.encode())
    assert len(page.tree.xpath("//*")) < 2_000 and len(page.blocks) == 900


def test_closed_formatting_of_a_long_page_is_kept():
    story = f"<p><b>{TEXT}</b> <i>{TEXT}</i></p>" * 3_000
    assert len(Page(story.encode()).tree.xpath("//b")) == 3_000


CORPORA = os.environ.get("NEWSEXTRACT_CORPORA", "")


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["zhnews", "chinese69", "fundus"])
def test_blocks_hold_nearly_every_word_of_real_articles(name):
    corpus = find_corpus(Path(CORPORA) / name)
    read_tokens = gold_tokens = 0
    for row in corpus.gold:
        gold = Counter(tokens(row.text))
        read = Counter(tokens("\n".join(Page(corpus.html(row.id)).blocks.texts)))
        read_tokens += (gold & read).total()
        gold_tokens += gold.total()
    assert read_tokens / gold_tokens >= 0.998
