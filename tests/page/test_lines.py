"""Lines of markup: text against tags, whatever the line breaks of the source."""

from newsextract import Page
from newsextract.page.lines import literal_lines


def rows(html: str) -> list[tuple[str, int]]:
    lines = Page(html).lines
    return list(zip(lines.texts, lines.tags.tolist(), strict=True))


def test_a_line_ends_where_a_block_begins_or_ends():
    assert rows("<div><p>some <b>text</b></p></div>") == [("", 1), ("some text", 4), ("", 1)]


def test_a_minified_page_has_the_lines_of_a_formatted_one():
    html = "<div>\n<p>one</p>\n<p>two<br>three</p>\n</div>"
    assert rows(html) == rows(html.replace("\n", ""))


def test_linked_characters_and_blocks_are_told_by_line():
    lines = Page("<p>0123<a href=x>45</a></p><p>***</p>").lines
    assert lines.linked.tolist() == [2, 0]
    assert lines.blocks.tolist() == [0, -1]


def test_the_sources_own_lines_count_every_tag():
    lines = literal_lines("<p>one\ntwo</p><br>\n\n<!-- <b> -->&amp; three")
    assert lines.texts == ["one", "two", "", "& three"]
    assert lines.tags.tolist() == [1, 2, 0, 0]


def test_a_tag_that_an_earlier_line_began_is_a_tag_and_no_text():
    lines = literal_lines("<a\nhref=x>text</a>")
    assert lines.texts == ["", "text"]
    assert lines.tags.tolist() == [1, 2]
