"""Lines of markup: text against tags, whatever the line breaks of the source."""

from newsextract import Page


def rows(html: str) -> list[tuple[str, int]]:
    lines = Page(html).lines
    return list(zip(lines.texts, lines.tags.tolist(), strict=True))


def test_lines_end_at_block_level_tags():
    assert rows("<div><p>some <b>text</b></p></div>") == [("", 1), ("some text", 4), ("", 1)]


def test_lines_do_not_depend_on_source_formatting():
    html = "<div>\n<p>one</p>\n<p>two<br>three</p>\n</div>"
    assert rows(html) == rows(html.replace("\n", ""))


def test_lines_have_linked_characters_and_block_index():
    lines = Page("<p>0123<a href=x>45</a></p><p>***</p>").lines
    assert lines.linked.tolist() == [2, 0]
    assert lines.blocks.tolist() == [0, -1]
