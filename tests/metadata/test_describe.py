"""The fields of a page beside headline, authors and dates; what is declared that cannot be."""

import json
import logging
import time

import pytest

from newsextract.items import Listing
from newsextract.metadata.describe import describe
from newsextract.metadata.names import MAX_NAMES
from newsextract.page import Page

BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"
URL = "https://paper.example/news/2024/bridge-opens-after-ten-years"


def described(html, url=URL):
    page = Page(html, url)
    return describe(page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200])


def test_canonical_url_of_other_site_or_home_page_is_refused():
    for address in ("https://other.example/a", "https://paper.example/", "javascript:alert(1)", "http://[broken"):
        assert "canonical_url" not in described(f'<link rel=canonical href="{address}"><h1>Bridge</h1>{BODY}').values
    found = described(f'<link rel=canonical href="/news/bridge"><h1>Bridge</h1>{BODY}')
    assert found.values["canonical_url"] == "https://paper.example/news/bridge"


def test_language_is_detected_when_text_refutes_declaration():
    german = (
        "<p>" + "Der Rat hat sich am Abend auf der Brücke getroffen und lange über den Fluss gesprochen. " * 20 + "</p>"
    )
    assert described(f"<html lang=fr><body><h1>Brücke</h1>{german}").values["language"] == "de"
    assert described(f"<html lang=en_gb><body><h1>Bridge</h1>{BODY}").values["language"] == "en-GB"


def test_images_are_absolute_urls_without_logos_and_pixels():
    html = (
        '<meta property="og:image" content="/pictures/bridge.jpg"><body><article><h1>Bridge</h1>'
        '<img src="/logo.png"><img src="/p.gif" width=1 height=1><figure><img src="river.jpg"><figcaption>The river. '
        f"Photo: Ann Lee</figcaption></figure>{BODY}{BODY}</article>"
    )
    values = described(html).values
    assert values["main_image"].url == "https://paper.example/pictures/bridge.jpg"
    assert [image.url for image in values["images"]] == ["https://paper.example/news/2024/river.jpg"]
    assert values["images"][0].credit == "Ann Lee"


def test_metadata_has_a_source_for_each_value():
    found = described(f'<html lang=en><meta property="article:section" content="City"><h1>Bridge</h1>{BODY}')
    assert found.sources["section"] == "meta"
    assert set(found.sources) == set(found.values)


def test_is_accessible_for_free_as_declared():
    html = (
        '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script><h1>B</h1>'
        + BODY
    )
    assert described(html).values["is_accessible_for_free"] is False


DEK = "It took ten years, two floods and many a meeting until the first car crossed."


@pytest.mark.parametrize(
    ("below", "wanted"),
    [
        (f"<p class=article__intro>{DEK}</p>", DEK),
        (f"<div class=sub_title>{DEK}</div>", DEK),
        (f"<h2 class=linha-fina>{DEK}</h2>", DEK),
        (f"<p data-testid=article-summary>{DEK}</p>", DEK),
        (f"<p>{DEK}</p><div class=byline>By Ann Lee</div>", DEK),
        ("<h2>Two floods and many meetings later</h2><p>By Ann Lee</p>", "Two floods and many meetings later"),
        (f"<div>{DEK}</div><div>Ann Lee</div><meta name=author content='Ann Lee'>", DEK),
        (f"<p>Ann Lee</p><div>{DEK}</div><p>3 May 2024</p><meta name=author content='Ann Lee'>", DEK),
        ("<h2>What shared bridges are good for</h2><p>By Ann Lee</p>", "What shared bridges are good for"),
        ("<p>Edited by a colleague in the town of River</p><p>3 May 2024</p>", None),
        (f"<div class=top><p class=lead>{DEK}</p></div>", DEK),
        (f"<div class=top><p class='image-lead'>{DEK}</p></div>", None),
        (f"<p class=lead>{DEK}</p>", None),
        (f'<meta name=description content="{DEK[:60]}..."><div class=x>{DEK}</div>', DEK),
        (f'<meta name=description content="{DEK} More in The Paper."><div class=x>{DEK}</div>', DEK),
        ("<div class=x>Town:Bridge opens after years</div><p>By Ann Lee</p>", None),
        ("<p>Published in Town, River on 3 May 2024</p><p>By Ann Lee</p>", None),
        ("<p>Bob Ray for the River Paper, Chief Reporter</p><p>3 May 2024</p>", None),
        (f"<figure><img src=a><figcaption>{DEK}</figcaption></figure><p>By Ann Lee</p>", None),
    ],
)
def test_subtitle_is_the_sentence_between_headline_and_text_that_the_page_sets_apart(below, wanted):
    html = f"<html lang=en><article><h1>Bridge opens after years</h1>{below}{BODY * 2}</article>"
    assert described(html).values.get("subtitle") == wanted


@pytest.mark.parametrize("html", ["", " ", "\x00\x01", "<html>", "%PDF-1.4", "<h1></h1>", "<!-- -->"])
def test_describe_of_bytes_without_page_gives_no_headline(html):
    page = Page(html)
    assert "headline" not in describe(page, None).values or html == "%PDF-1.4"


def test_what_a_feed_says_counts_where_the_page_says_nothing():
    listing = Listing("feed", "Bridge opens", authors=("admin", "Ann Lee"), summary="A bridge opens.")

    def values(html):
        page = Page(html, URL)
        page.listing = listing
        found = describe(page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200])
        return found.values.get("headline"), found.values.get("authors"), found.values.get("description")

    assert values(f"<body><p>Bridge</p>{BODY}") == ("Bridge opens", ["Ann Lee"], "A bridge opens.")
    page = f"<meta name=description content='Of a bridge.'><h1>A bridge for the valley</h1><p>By John Smith</p>{BODY}"
    assert values(page)[1:] == (["John Smith"], "Of a bridge.")


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        (["Featured", "Town"], "Town"),
        (["Top Story"], "Harbour"),
        ("Featured, Town", "Town"),
        ("Destacadas", "Harbour"),
        ("Uncategorized", "Harbour"),
        (["Politics", "Featured"], "Politics"),
    ],
)
def test_section_is_no_flag_of_an_editor_where_a_real_one_is_declared(declared, wanted):
    data = json.dumps({"@type": "NewsArticle", "articleSection": declared})
    meta = '<meta property="article:section" content="Harbour">'
    html = f'<script type="application/ld+json">{data}</script>{meta}<h1>Bridge opens</h1>'
    assert describe(Page(html, "https://paper.example/a")).values["section"] == wanted


def test_section_is_a_flag_only_where_nothing_else_is_declared():
    for declared, wanted in (("Featured", "Featured"), ("Uncategorized", None)):
        page = Page(
            f'<meta property="article:section" content="{declared}"><h1>Bridge opens</h1>', "https://p.example/a"
        )
        assert describe(page).values.get("section") == wanted


PAGE_BODY = (
    "<h1>Bridge opens after years</h1><p>" + "The council met on the bridge and talked about the river for hours. " * 6
)
LIMIT = 5.0


def described_in_time(head, caplog):
    """The fields of a page with this head, and the lines that were logged."""
    page = Page(f"<html lang=en><head>{head}</head><body>{PAGE_BODY}", "https://paper.example/news/bridge-opens")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    start = time.process_time()
    with caplog.at_level(logging.INFO, "newsextract.metadata"):
        values = describe(page, chosen).values
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
        '{"a":' * 1000 + "1" + "}" * 1000,
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
    ],
)
def test_describe_logs_impossible_dates_once(raw, caplog):
    value = json.dumps({"@type": "NewsArticle", "datePublished": [raw] * 50, "dateModified": raw, "author": "Ann Lee"})
    values, lines = described_in_time(script(value) * 3, caplog)
    assert "date_published" not in values
    assert "date_modified" not in values
    assert len(lines) == 1
    assert "no date that a page can have" in lines[0]


def test_describe_bounds_ten_thousand_names_and_logs_once(caplog):
    letters = "abcdefghij"
    names = [f"Ann {a.upper()}{b}{c}{d} Lee" for a in letters for b in letters for c in letters for d in letters]
    metas = "".join(f'<meta name="author" content="{", ".join(names[i : i + 50])}">' for i in range(0, 10_000, 50))
    values, lines = described_in_time(metas, caplog)
    assert values["authors"] == names[:MAX_NAMES]
    assert len(lines) == 1
    assert "names" in lines[0]


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x07", "\u2066", "\ufeff", "\x9f", "\ue000"])
def test_describe_removes_invisible_characters(hidden, caplog):
    value = {"@type": "NewsArticle", "author": f"Ann{hidden} Lee{hidden}", "articleSection": f"Ci{hidden}ty"}
    values, _ = described_in_time(script(json.dumps(value)), caplog)
    assert (values["authors"], values["section"]) == (["Ann Lee"], "City")


def test_describe_log_line_has_no_control_characters(caplog):
    value = json.dumps({"@type": "NewsArticle", "datePublished": "99999999\x1b[31m\u202e99"})
    _, lines = described_in_time(script(value), caplog)
    assert "\x1b" not in lines[0]
    assert "\u202e" not in lines[0]
