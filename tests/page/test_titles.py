"""Title candidates: the words of a heading, all of them and kept apart."""

import pytest

from newsextract.page import Page


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
def test_a_headings_text_is_whole_whatever_elements_it_holds(heading, wanted):
    assert Page(f"<h1>{heading}</h1><p>Text").titles[0].text == wanted


def test_what_follows_a_headings_topic_is_a_candidate_of_its_own():
    titles = Page("<h1><b>Blog:</b> Bridge opens</h1><h1>Bridge <b>opens</b></h1><p>Text").titles
    assert [title.text for title in titles if title.source == "h1-rest"] == ["Bridge opens"]
