"""Title candidates: headings, declared titles and the parts of the document title."""

import pytest

from newsextract.page import Page
from newsextract.page.titles import parts


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Bridge opens<br>after ten years", "Bridge opens after ten years"),
        ("Bridge <em>opens</em> after ten years", "Bridge opens after ten years"),
        ("<a href=/>B</a>ridge opens after ten years", "Bridge opens after ten years"),
        ("<span>River traffic</span><span>Bridge opens</span>", "River traffic Bridge opens"),
        ("<div>River:</div><div>bridge opens</div>", "River: bridge opens"),
        ("Bridge<!-- city --> opens", "Bridge opens"),
    ],
)
def test_titles_keep_words_of_a_heading_complete_and_apart(heading, wanted):
    assert Page(f"<h1>{heading}</h1><p>Text").titles[0].text == wanted


def test_titles_hold_heading_without_its_leading_label():
    titles = Page("<h1><b>Blog:</b> Bridge opens</h1><h1>Bridge <b>opens</b></h1><p>Text").titles
    assert [title.text for title in titles if title.source == "h1-rest"] == ["Bridge opens"]


def test_parts_split_title_at_separators():
    assert {"Bridge opens", "City", "The Paper"} <= set(parts("Bridge opens | City - The Paper"))
    assert parts("Anti-corruption law passed") == ()
    assert "新桥通车" in parts("新桥通车_时政_日报网")


def test_titles_name_their_source():
    page = Page("<title>A | B</title><h1>A</h1>", anchor_text="A story")
    assert {("A", "h1"), ("A | B", "title"), ("A", "title-part"), ("A story", "anchor")} <= {
        (title.text, title.source) for title in page.titles
    }
