"""One tree of a page, with the repairs that keep text which the parser would lose."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.page.parse import parse

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
        ("deep nesting", "<div>" * 3000 + STORY + "</div>" * 3000),
        ("text behind deep nesting", "<div>" * 3000 + "x" + "</div>" * 3000 + STORY),
        ("deep inline nesting", "<p>" + "<font>" * 3000 + "x" + "</font>" * 3000 + STORY),
        ("no html at all", TEXT),
        ("attributes out of order", f"<div class='a' class=b\"><a href='x>y'>z</a>{STORY}</div>"),
        ("a stray less-than", f"<p>1 < 2 and 3 <4</p>{STORY}"),
    ],
)
def test_no_damage_of_a_page_costs_its_story(damage, html):
    assert any(TEXT in text for text in Page(html).blocks.texts), damage


def test_a_long_script_of_markup_is_no_text():
    template = "<div>" + "never shown, " * 400 + "</div>"
    page = Page(f"<script type='text/template'>{template}</script>{STORY}")
    assert page.blocks.texts == [TEXT]


def test_a_sound_page_is_parsed_as_it_stands():
    html = f"<html><head><title>t</title></head><body>{STORY}</body></html>"
    assert parse(html.encode()).xpath("string(//p)") == TEXT


def test_what_stands_around_a_dropped_element_is_one_text():
    page = Page("<p>One <b>gone</b>and one<!-- never seen --> more.</p>")
    page.drop(["//b"])
    assert page.blocks.texts == ["One and one more."]
    assert len(page.text_nodes) == 1


def test_html_is_read_by_the_rules_of_browsers():
    page = Page("<p>First<div>second</p>third<table><p>before the table<tr><td>cell</table></div>")
    assert page.blocks.texts == ["First", "second", "third", "before the table", "cell"]
    assert page.tree.xpath("//td/ancestor::tbody")


@pytest.mark.parametrize("html", [b"", b"   \n", b"<!-- a comment -->", b"<?php ?>", b"<!DOCTYPE html>", b"<html>"])
def test_a_page_without_an_element_has_no_text(html):
    page = Page(html)
    assert len(page.blocks) == len(page.text_nodes) == len(page.lines) == 0


def test_nesting_of_any_depth_keeps_all_text_in_order():
    pieces = [f"n{i}" for i in range(3000)]
    assert Page("".join(f"<div>{piece}" for piece in pieces)).blocks.texts == pieces


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("div", b"<div>" * 100_000 + STORY.encode() + b"</div>" * 100_000),
        ("unclosed div", b"<div>" * 100_000 + STORY.encode()),
        ("font", b"<p>" + b"<font>" * 100_000 + STORY.encode()),
        ("font around p", b"<font><p>" * 50_000 + STORY.encode()),
        ("table", b"<table><tr><td>" * 33_000 + STORY.encode()),
        ("list", b"<ul><li>" * 50_000 + STORY.encode()),
        ("open titles", STORY.encode() + b"<title>" * 100_000),
        ("open textareas", STORY.encode() + b"<textarea>" * 100_000),
        ("open scripts", STORY.encode() + b"<script>" * 100_000),
        ("open comments", STORY.encode() + b"<!--" * 100_000),
        ("open tags", STORY.encode() + b"<a" * 100_000),
        ("closings", STORY.encode() + b"</div>" * 100_000),
        ("bodies", STORY.encode() + b"</body></html><p>x" * 50_000),
    ],
)
def test_a_page_of_100000_nested_or_broken_tags_is_read_in_seconds(name, html):
    start = time.process_time()
    page = Page(html)
    assert any(TEXT in text for text in page.blocks.texts), name
    assert len(page.text_nodes) and len(page.lines) and len(page.tag_sequence)
    assert time.process_time() - start < 20


def test_a_page_of_ten_megabytes_is_read_whole():
    html = b"<html><body>" + STORY.encode() * 200_000 + b"<p>The very last, indeed.</p></body></html>"
    assert len(html) > 9_000_000
    page = Page(html)
    assert len(page.blocks) == 200_001
    assert page.blocks.texts[-1] == "The very last, indeed."


def test_one_text_of_ten_megabytes_is_kept_whole():
    html = b"<p>" + b"A word, " * 1_300_000 + b"</p><p>After it.</p>"
    page = Page(html)
    assert page.blocks.lengths[0] > 10_000_000
    assert page.blocks.texts[-1] == "After it."


TAGS = st.sampled_from(
    "<p> </p> <div> </div> <a> </a> <b> <br> <title> </title> <textarea> <script> </script> <style> <table> <tr> <td> "
    "<font> </font> <select> <option> <svg> <frameset> <noframes> <body> </body> </html> <!-- --> <![CDATA[ ]]> < > & "
    "<h1> <ul> <li> <template> <form> <p\x00> &#0; &nbsp; word 字".split(" ")
)


@given(st.lists(TAGS | st.text(max_size=5), max_size=40))
def test_any_soup_of_tags_gives_views_that_agree(parts):
    page = Page("".join(parts))
    blocks, nodes, lines = page.blocks, page.text_nodes, page.lines
    assert set(nodes.blocks.tolist()) == set(range(len(blocks)))
    assert [block for block in lines.blocks.tolist() if block >= 0] == list(range(len(blocks)))
    assert [text for text, block in zip(lines.texts, lines.blocks, strict=True) if block >= 0] == blocks.texts
    assert len(page.tag_sequence) or page.body is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_page(html):
    page = Page(html)
    assert len(page.blocks) <= max(1, len(html))
    assert (page.tree is None) == (page.body is None)
