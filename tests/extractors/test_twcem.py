"""TWCEM: the title says where the article begins and ends."""

import pytest

from newsextract import Page
from newsextract.extractors.twcem import TWCEM, title_of

FIRST = "The old bridge was closed on Monday, the city said."
MIDDLE = "Nobody was hurt, and traffic goes round."
LAST = "Repair of the old bridge, it seems, takes a year."
PAGE = f"""
    <html><head><title>Old bridge closed, city says</title></head><body>
    <h1>Old bridge closed, city says</h1><p>Home | News | Sport</p>
    <p>{FIRST}</p><p>{MIDDLE}</p><p>{LAST}</p>
    <p>All rights reserved, 2020.</p></body></html>
"""


def test_twcem_chooses_rows_between_first_and_last_with_title_words():
    assert TWCEM()(Page(PAGE)).text.splitlines() == [FIRST, MIDDLE, LAST]


def test_twcem_drops_row_without_punctuation():
    page = Page(PAGE.replace(f"<p>{MIDDLE}</p>", "<p>Share this article with friends</p><p>It, too.</p>"))
    assert TWCEM()(page).text.splitlines() == [FIRST, "It, too.", LAST]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (
            "<meta property=og:title content='Storm hits coast'><h1>News</h1><h2>Storm hits the coast</h2>",
            "Storm hits the coast",
        ),
        # By the printed Eq. 1 equal titles are as far apart as they are long.
        (
            "<head><title>A long title of words</title></head><h1>A long</h1><h2>A long title of words</h2>",
            "A long title of words",
        ),
        ("<title>Four words are enough | The Gazette</title><p>x</p>", "Four words are enough"),
        ("<title>Bridge - Gazette</title><p>x</p>", "Bridge - Gazette"),
        ("<div id=title_main>By its id</div>", "By its id"),
        ("<div id=page_title>By its id's end</div>", "By its id's end"),
        ("<div class='title big'>By its class</div>", "By its class"),
        ("<div class='subtitle'>No title</div>", ""),
        ("", ""),
    ],
)
def test_title_of_is_the_heading_nearest_to_the_meta_title_or_what_the_page_calls_its_title(html, title):
    assert title_of(Page(html)) == title


def test_title_of_is_the_anchor_text_unless_garbled():
    for anchor, title in (("On the home page",) * 2, ("\ufffd\ufffd on the", "On it"), (">>> |||", "On it")):
        assert title_of(Page("<h1>On it</h1>", anchor_text=anchor)) == title


def test_twcem_without_title_chooses_all_punctuated_rows():
    assert TWCEM()(Page("<p>One, two.</p><p>three four</p><p>Five, six.</p>")).text.splitlines() == [
        "One, two.",
        "Five, six.",
    ]


def test_twcem_microblog_parameters_keep_shorter_rows():
    page = Page("<h1>Rain</h1><p>Hi, a.</p><p>Rain, now.</p><p>Or?</p><p>Why?</p><p>Rain.</p><p>Bye, b.</p>")
    assert TWCEM(delta1=2, delta2=1, delta3=1)(page).text.splitlines() == ["Rain, now.", "Or?", "Why?", "Rain."]
    assert "Or?" not in TWCEM()(page).text


def test_twcem_compares_chinese_words_not_characters():
    rows = [
        "目录，首页。",
        "大家都说，关了门。",
        "长江大桥，今天关闭。",
        "工人，来了。",
        "关闭大桥，长江大桥。",
        "版权，所有。",
    ]
    page = Page("<h1>长江大桥关闭</h1>" + "".join(f"<p>{row}</p>" for row in rows))
    assert TWCEM()(page).text.splitlines()[0] == "长江大桥，今天关闭。"
