"""Scopes: properties of microdata, RDFa and JSON-LD belong to the item that they are said of."""

import json

import pytest

from tests.examples import examples
from tests.metadata.pages import BODY, described

AUTHOR = (
    '<span itemprop=author itemscope itemtype="https://schema.org/Person"><span itemprop=name>Bob Ray</span></span>'
)
DATE = "<meta itemprop=datePublished content=2019-01-01T10:00:00Z>"
BYLINE = "<p class=byline>By Ann Lee <time datetime=2024-05-04>4 May 2024</time></p>"


def page(byline="", end="", around="", head=""):
    head = f"<html lang=en><head><title>Bridge opens after years</title>{head}</head><body>{around}"
    return f"{head}<h1>Bridge opens after years</h1>{byline}{BODY}{BODY}{end}</body></html>"


def date_and_authors(html):
    values = described(html).values
    when = values.get("date_published")
    return when and when.date().isoformat(), values.get("authors", [])


@pytest.mark.parametrize("part", examples(__file__, "others"))
@pytest.mark.parametrize("place", ["byline", "end"])
@pytest.mark.parametrize("byline", ["", BYLINE])
def test_properties_of_another_item_are_not_the_pages(part, place, byline):
    part = part.format(author=AUTHOR, date=DATE)
    html = page(byline + part) if place == "byline" else page(byline, part)
    assert date_and_authors(html) == date_and_authors(page(byline))


@pytest.mark.parametrize("part", examples(__file__, "own"))
def test_properties_of_an_item_that_describes_the_page_are_the_pages(part):
    assert date_and_authors(page(part.format(author=AUTHOR, date=DATE))) == ("2019-01-01", ["Bob Ray"])


@pytest.mark.parametrize("scope", examples(__file__, "around"))
def test_properties_of_the_item_that_holds_the_article_are_the_pages(scope):
    assert date_and_authors(page(AUTHOR + DATE, around=scope)) == ("2019-01-01", ["Bob Ray"])


VIDEO = {
    "@type": "VideoObject",
    "author": {"@type": "Person", "name": "Bob Ray"},
    "datePublished": "2019-01-01",
}
ARTICLE = {"@type": "NewsArticle", "headline": "Bridge opens after years"}


def json_ld(*things):
    return f'<script type="application/ld+json">{json.dumps({"@graph": things})}</script>'


@pytest.mark.parametrize(
    ("things", "wanted"),
    [
        ([{**VIDEO, "name": "A ride on the ferry"}], ("2024-05-04", ["Ann Lee"])),
        ([VIDEO], ("2024-05-04", ["Ann Lee"])),
        ([ARTICLE, {**VIDEO, "name": "Bridge opens after years"}], ("2024-05-04", ["Ann Lee"])),
        ([{**VIDEO, "name": "Bridge opens"}], ("2019-01-01", ["Bob Ray"])),
    ],
    ids="other-video nameless-video article page-of-a-video".split(),
)
def test_a_declared_video_speaks_for_the_page_only_if_the_page_is_about_it(things, wanted):
    assert date_and_authors(page(BYLINE, head=json_ld(*things))) == wanted
