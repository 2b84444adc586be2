"""The texts of the site: number, length, distinctness, fields and inline marks."""

import re
from collections import Counter
from itertools import combinations

import pytest
from rapidfuzz import fuzz

from newsextract.demo import Site
from newsextract.demo.images import picture
from newsextract.demo.texts import TEMPLATES, Block

GOLD = Site().gold()


def words(text: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff]|\w+", text)


def test_every_template_has_at_least_sixteen_articles():
    assert all(count >= 16 for count in Counter(article.template for article in GOLD).values())
    assert {article.template for article in GOLD} == set(TEMPLATES)
    assert len(GOLD) >= 64


def test_articles_have_the_length_of_articles():
    assert [a.path for a in GOLD if a.template != "notes" and not 120 <= len(words(a.text)) <= 450] == []
    short = [a for a in GOLD if a.template == "notes" and len(words(a.text)) < 90]
    assert len(short) >= 6
    assert min(len(a.text.split()) for a in short) >= 45


def test_articles_share_no_line_and_are_no_near_duplicates():
    lines = Counter(line for article in GOLD for line in article.text.split("\n"))
    assert [line for line, count in lines.items() if count > 1] == []
    alike = [(a.path, b.path) for a, b in combinations(GOLD, 2) if fuzz.token_set_ratio(a.text, b.text) > 85]
    assert alike == []


def test_every_article_has_headline_authors_section_keywords_and_dates():
    for article in GOLD:
        assert article.headline and article.authors and article.section and article.keywords
        assert article.date_published.utcoffset() is not None
        assert article.date_modified is None or article.date_modified > article.date_published


@pytest.mark.parametrize("way", ["feed", "sitemap", "related", "section-page"])
def test_some_articles_are_linked_in_one_way_only(way):
    assert [article.path for article in GOLD if article.reachable_by == (way,)]


def test_every_article_is_linked():
    assert [article.path for article in GOLD if not article.reachable_by] == []


def test_inline_marks_become_tags_and_are_not_in_the_text():
    block = Block("paragraph", 'See [the <quay>](/news/harbour/), *now*, {as} ~one~ says "yes".')
    assert block.text == 'See the <quay>, now, as one says "yes".'
    assert '<a href="/news/harbour/">the &lt;quay&gt;</a>' in block.html
    assert "<b>now</b>" in block.html and "<font" in block.html and "<span" in block.html


def test_pictures_are_valid_png_files():
    assert picture("/img/a.png").startswith(b"\x89PNG\r\n\x1a\n") and picture("/img/a.png") != picture("/img/b.png")
