"""What pages declare that cannot be: a clean value or none, in good time, and one line in the log."""

import json
import logging
import time

import pytest

from newsextract.metadata.describe import describe
from newsextract.metadata.names import MAX_NAMES
from newsextract.page import Page

BODY = (
    "<h1>Bridge opens after years</h1><p>" + "The council met on the bridge and talked about the river for hours. " * 6
)
LIMIT = 5.0


def described(head, caplog):
    """The fields of a page with this head, and the lines that were logged."""
    page = Page(f"<html lang=en><head>{head}</head><body>{BODY}", "https://paper.example/news/bridge-opens")
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
    values, lines = described(script(json.dumps(value)), caplog)
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
    values, lines = described(script(text) + "<meta name=author content='Bob Ray'>", caplog)
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
    values, lines = described(script(value) * 3, caplog)
    assert "date_published" not in values
    assert "date_modified" not in values
    assert len(lines) == 1
    assert "no date that a page can have" in lines[0]


def test_describe_bounds_ten_thousand_names_and_logs_once(caplog):
    letters = "abcdefghij"
    names = [f"Ann {a.upper()}{b}{c}{d} Lee" for a in letters for b in letters for c in letters for d in letters]
    metas = "".join(f'<meta name="author" content="{", ".join(names[i : i + 50])}">' for i in range(0, 10_000, 50))
    values, lines = described(metas, caplog)
    assert values["authors"] == names[:MAX_NAMES]
    assert len(lines) == 1
    assert "names" in lines[0]


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x07", "\u2066", "\ufeff", "\x9f", "\ue000"])
def test_describe_removes_invisible_characters(hidden, caplog):
    value = {"@type": "NewsArticle", "author": f"Ann{hidden} Lee{hidden}", "articleSection": f"Ci{hidden}ty"}
    values, _ = described(script(json.dumps(value)), caplog)
    assert (values["authors"], values["section"]) == (["Ann Lee"], "City")


def test_describe_log_line_has_no_control_characters(caplog):
    value = json.dumps({"@type": "NewsArticle", "datePublished": "99999999\x1b[31m\u202e99"})
    _, lines = described(script(value), caplog)
    assert "\x1b" not in lines[0]
    assert "\u202e" not in lines[0]
