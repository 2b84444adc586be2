"""The fields of a page beside headline, authors and dates; what is declared that cannot be."""

import json
import logging
import time

import pytest

from newsextract.items import Listing
from newsextract.limits import MAX_KEPT
from newsextract.metadata.describe import describe
from newsextract.metadata.images import image_sources
from newsextract.page import Page
from tests.examples import examples
from tests.metadata.pages import BODY, described

GERMAN = f"<p>{'Der Rat hat sich am Abend auf der Brücke getroffen und lange über den Fluss gesprochen. ' * 20}</p>"
WALL = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
STEPS = [{"@type": "ListItem", "position": n, "name": name} for n, name in ((3, "Bridge"), (2, "City"), (1, "Home"))]
TRAIL = (
    f'<script type="application/ld+json">{json.dumps({"@type": "BreadcrumbList", "itemListElement": STEPS})}</script>'
)
BAD_URLS = ("https://other.example/a", "https://paper.example/", "javascript:alert(1)", "http://[broken")


@pytest.mark.parametrize(
    ("html", "field", "value"),
    [
        *((f'<link rel=canonical href="{url}"><h1>Bridge</h1>{BODY}', "canonical_url", None) for url in BAD_URLS),
        (f'<link rel=canonical href="/b#top"><h1>Bridge</h1>{BODY}', "canonical_url", "https://paper.example/b"),
        (
            f'<meta name=keywords content="#pier، ferry、boat"><h1>Bridge</h1>{BODY}',
            "keywords",
            ["pier", "ferry", "boat"],
        ),
        (f"{TRAIL}<h1>Bridge</h1>{BODY}", "section", "City"),
        (
            f"<hgroup><h1>Bridge</h1><p>It took the town ten years</p></hgroup>{BODY}",
            "subtitle",
            "It took the town ten years",
        ),
        (f"<html lang=en><body><h1>Brücke</h1>{GERMAN[:400]}", "language", "de"),  # two halves of a short one, too
        (f"<html lang=fr><body><h1>Brücke</h1>{GERMAN}", "language", "de"),  # the text refutes the declaration
        (f"<html lang=en_gb><body><h1>Bridge</h1>{BODY}", "language", "en-GB"),
        (f"{WALL}<h1>Bridge</h1>{BODY}", "is_accessible_for_free", False),
    ],
)
def test_declared_fields_are_taken_where_they_can_be_true(html, field, value):
    assert described(html).values.get(field) == value


@pytest.mark.parametrize(
    ("srcset", "url"),
    [
        ("/a.jpg 1x,/b,c.jpg 2x, /d.jpg", "/b,c.jpg"),
        ("/a.jpg, /b.jpg 640w 480h", "/b.jpg"),
        ("/a.jpg w", "/a.jpg"),
        (" , /a.jpg,,", "/a.jpg"),
        ("/a" * 200_000 + " 1 2", "/a" * 200_000),  # a URL is looked at once
    ],
)
def test_largest_image_of_a_srcset_is_taken(srcset, url):
    image = Page(f'<img srcset="{srcset}">').body.node.find("img")
    assert next(image_sources(image)) == url


def test_images_are_absolute_urls_without_logos_and_pixels():
    html = (
        '<meta property="og:image" content="/"><meta property="og:image" content="/bridge.jpg?a=logo&amp;amp;b"><body>'
        '<article><h1>Bridge</h1><img src="/logo.png"><img src="/p.gif" width=1 height=1><figure><img src=blank.gif '
        f'data-url="river.jpg"><figcaption>The river. Photo: Ann Lee</figcaption></figure>{BODY}{BODY}</article>'
    )
    values = described(html, "https://paper.example/news/2024/bridge").values
    assert values["main_image"].url == "https://paper.example/bridge.jpg?a=logo&b"
    assert [image.url for image in values["images"]] == ["https://paper.example/news/2024/river.jpg"]
    assert values["images"][0].credit == "Ann Lee"


def test_metadata_has_a_source_for_each_value():
    html = f'<meta property="article:section" content="City"><title>Paper</title><h1>Paper</h1>{BODY}'
    found = described(html, anchor="Bridge opens after ten years")
    assert (found.sources["section"], found.sources["headline"]) == ("meta", "anchor")
    assert set(found.sources) == set(found.values)


DEK = "It took ten years, two floods and many a meeting until the first car crossed."


@pytest.mark.parametrize(("below", "wanted"), examples(__file__, "subtitles"))
def test_subtitle_is_the_sentence_between_headline_and_text_that_the_page_sets_apart(below, wanted):
    below = below.replace("DEK", DEK).replace("SHORT", DEK[:60])
    html = f"<html lang=en><article><h1>Bridge opens after years</h1>{below}{BODY * 2}</article>"
    assert described(html).values.get("subtitle") == (DEK if wanted == "DEK" else wanted)


@pytest.mark.parametrize("html", ["", " ", "\x00\x01", "<html>", "<h1></h1>", "<!-- -->"])
def test_describe_of_bytes_without_page_gives_no_headline(html):
    assert "headline" not in describe(Page(html), None).values


def test_what_a_feed_says_counts_where_the_page_says_nothing():
    listing = Listing("feed", "Bridge opens", authors=("admin", "Ann Lee"), summary="A bridge opens.")
    fields = ("headline", "authors", "description")
    page = f"<meta name=description content='Of a bridge.'><h1>A bridge for the valley</h1><p>By John Smith</p>{BODY}"
    silent, saying = (described(html, listing=listing).values for html in (f"<body><p>Bridge</p>{BODY}", page))
    assert [silent[name] for name in fields] == ["Bridge opens", ["Ann Lee"], "A bridge opens."]
    assert [saying[name] for name in fields[1:]] == [["John Smith"], "Of a bridge."]


@pytest.mark.parametrize(
    ("declared", "meta", "wanted"),
    [
        (["Featured", "Town"], "Harbour", "Town"),
        (["Top Story"], "Harbour", "Harbour"),
        ("Featured, Town", "Harbour", "Town"),
        ("Destacadas", "Harbour", "Harbour"),
        ("Uncategorized", "Harbour", "Harbour"),
        (["Politics", "Featured"], "Harbour", "Politics"),
        (None, "Featured", "Featured"),
        (None, "Uncategorized", None),
    ],
)
def test_section_is_a_flag_of_an_editor_only_where_no_real_one_is_declared(declared, meta, wanted):
    data = json.dumps({"@type": "NewsArticle", "articleSection": declared})
    html = f'{script(data)}<meta property="article:section" content="{meta}"><h1>Bridge opens</h1>'
    assert described(html).values.get("section") == wanted


LIMIT = 5.0


def described_in_time(head, caplog):
    """The fields of a page with this head, and the lines that were logged."""
    html = f"<html lang=en><head>{head}</head><body><h1>Bridge opens after years</h1>{BODY}"
    start = time.process_time()
    with caplog.at_level(logging.INFO, "newsextract.metadata"):
        values = described(html).values
    assert time.process_time() - start < LIMIT
    assert values["headline"] == "Bridge opens after years"
    return values, [record.getMessage() for record in caplog.records]


def script(text):
    return f'<script type="application/ld+json">{text}</script>'


def test_describe_reads_a_megabyte_of_json_ld(caplog):
    things = [{"@type": "Thing", "name": "x" * 1000}] * 1_250
    value = {"@type": "NewsArticle", "author": "Ann Lee", "about": things}
    values, lines = described_in_time(script(json.dumps(value)), caplog)
    assert values["authors"] == ["Ann Lee"]
    assert lines == []


@pytest.mark.parametrize(
    "text",
    [
        '{"@type":"NewsArticle","author":' + "[" * 1000 + '"Ann Lee"' + "]" * 1000 + "}",
        '{"@type":"Article","about":' * 1000 + "1" + "}" * 1000,
        '{"a":' * 50_000,
        "[" * 50_000,
        "{" * 7_000_000,
        "",
        "null",
        "\x00\x01",
        '{"@type":"NewsArticle","author":"Ann',
    ],
    ids=["deep list", "deep objects", "open objects", "open lists", "too long", "empty", "null", "control", "cut off"],
)
def test_describe_survives_invalid_json_ld_with_one_log_line(text, caplog):
    values, lines = described_in_time(script(text) + "<meta name=author content='Bob Ray'>", caplog)
    assert values["authors"] == ["Bob Ray"]
    assert len(lines) <= 1


@pytest.mark.parametrize(
    "raw",
    [
        *"0000-00-00 20233-01-01 2024-02-31T25:61:00Z 2024-13-45 9999-12-31 1/1/0001 99999999999999 -1 1e99".split(),
        "9" * 5000,
        "99999999\x1b[31m\u202e99",
    ],
)
def test_describe_logs_impossible_dates_once_without_control_characters(raw, caplog):
    value = json.dumps({"@type": "NewsArticle", "datePublished": [raw] * 50, "dateModified": raw, "author": "Ann Lee"})
    values, [line] = described_in_time(script(value) * 3, caplog)
    assert not {"date_published", "date_modified"} & values.keys()
    assert "no date that a page can have" in line and "\x1b" not in line and "\u202e" not in line


def test_describe_bounds_ten_thousand_names_and_logs_once(caplog):
    letters = "abcdefghij"
    names = [f"Ann {a.upper()}{b}{c}{d} Lee" for a in letters for b in letters for c in letters for d in letters]
    metas = "".join(f'<meta name="author" content="{", ".join(names[i : i + 50])}">' for i in range(0, 10_000, 50))
    values, [line] = described_in_time(metas, caplog)
    assert values["authors"] == names[:MAX_KEPT] and "names" in line


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x07", "\u2066", "\ufeff", "\x9f", "\ue000"])
def test_describe_removes_invisible_characters(hidden, caplog):
    value = {"@type": "NewsArticle", "author": f"Ann{hidden} Lee{hidden}", "articleSection": f"Ci{hidden}ty"}
    values, _ = described_in_time(script(json.dumps(value)), caplog)
    assert (values["authors"], values["section"]) == (["Ann Lee"], "City")


@pytest.mark.parametrize(
    "value",
    ["{{site.name}}", "{% block x %}", "${name}", "%s", "undefined", "null", "NaN", "[object Object]", "<%= x %>"],
)
def test_what_a_template_left_unfilled_is_no_value(value):
    names = ("og:site_name", "og:description", "og:title", "og:image", "article:section", "news_keywords", "author")
    metas = "".join(f'<meta property="{name}" content="{value}">' for name in names)
    declared = dict.fromkeys(("headline", "description", "articleSection", "image", "datePublished"), value)
    declared |= {"@type": "NewsArticle", "keywords": [value], "author": {"name": value}, "publisher": {"name": value}}
    head = f'{metas}{script(json.dumps(declared))}<link rel=canonical href="{value}">'
    values = described(f"{head}<h1>Bridge opens</h1>{BODY}").values
    assert set(values) <= {"headline", "language", "subtitle"}
    assert not any(value in str(found) for found in values.values())


def test_declared_values_beside_placeholders_are_taken():
    head = '<meta property="og:description" content="{{x}}"><meta name=description content="A bridge.">'
    assert described(f"{head}<h1>Use {{{{ x }}}} in Jinja</h1>{BODY}").values["description"] == "A bridge."
