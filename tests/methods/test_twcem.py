"""TWCEM: the title says where the article begins and ends."""

import pytest

from newsextract import Page
from newsextract.methods.twcem import TWCEM, title_of
from tests.examples import examples
from tests.extractors.pages import story

FIRST = "The old bridge was closed on Monday, the city said."
MIDDLE = "Nobody was hurt, and traffic goes round."
LAST = "Repair of the old bridge, it seems, takes a year."
TITLE = "<title>Old bridge closed, city says</title><h1>Old bridge closed, city says</h1>"


@pytest.mark.parametrize(
    ("title", "rows", "expected"),
    [
        (TITLE, ["Home | News | Sport", FIRST, MIDDLE, LAST, "All rights, 2020."], [FIRST, MIDDLE, LAST]),
        (TITLE, ["Home", FIRST, "Share this with friends", "It, too.", LAST, "Foot, note."], [FIRST, "It, too.", LAST]),
        ("", ["One, two.", "three four", "Five, six."], ["One, two.", "Five, six."]),  # all rows with punctuation
    ],
)
def test_twcem_chooses_punctuated_rows_between_first_and_last_with_title_words(title, rows, expected):
    assert TWCEM()(Page(title + story(*rows))).text.splitlines() == expected


@pytest.mark.parametrize(("html", "title"), examples(__file__, "titles"))
def test_title_of_is_the_heading_nearest_to_the_meta_title_or_what_the_page_calls_its_title(html, title):
    assert title_of(Page(html)) == title


def test_title_of_is_the_anchor_text_unless_garbled():
    for anchor, title in (("On the home page",) * 2, ("\ufffd\ufffd on the", "On it"), (">>> |||", "On it")):
        assert title_of(Page("<h1>On it</h1>", anchor_text=anchor)) == title


def test_twcem_microblog_parameters_keep_shorter_rows():
    page = Page("<h1>Rain</h1>" + story("Hi, a.", "Rain, now.", "Or?", "Why?", "Rain.", "Bye, b."))
    assert TWCEM(delta1=2, delta2=1, delta3=1)(page).text.splitlines() == ["Rain, now.", "Or?", "Why?", "Rain."]
    assert "Or?" not in TWCEM()(page).text


def test_twcem_compares_chinese_words_not_characters():
    rows = "目录，首页。 大家都说，关了门。 长江大桥，今天关闭。 工人，来了。 关闭大桥，长江大桥。 版权，所有。".split()
    assert TWCEM()(Page(f"<h1>长江大桥关闭</h1>{story(*rows)}")).text.splitlines()[0] == rows[2]
