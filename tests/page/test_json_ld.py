"""JSON-LD as it occurs: graphs, nesting, invalid JSON, large scripts."""

import json
import time

import pytest

from newsextract.page import Page


def objects(*scripts):
    return Page("".join(f'<script type="application/ld+json">{script}</script>' for script in scripts)).json_ld


def headlines(*scripts):
    return [thing.get("headline") for thing in objects(*scripts)]


def test_json_ld_flattens_graphs_lists_and_nested_objects():
    typed = objects(
        json.dumps([{"@graph": [{"@type": "WebPage"}, {"@type": "Article", "author": {"@type": "Person"}}]}])
    )
    assert [thing["@type"] for thing in typed] == ["WebPage", "Article", "Person"]


def test_json_ld_leaves_out_works_listed_on_the_page():
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "Article", "headline": "Other"}]}
    assert headlines(json.dumps(listed)) == [None]


@pytest.mark.parametrize(
    "script",
    [
        '{"@type":"Article","headline":"B",}',
        '{"@type":"Article","headline":"B"};',
        '<!-- {"@type":"Article","headline":"B"} -->',
        '//<![CDATA[\n{"@type":"Article","headline":"B"}\n//]]>',
        '{"@type":"Article","headline":"B","text":"it\\\'s"}',
        '{"@type":"Article","headline":"B","text":"two\nlines"}',
        '{"@type":"Article","headline":"B"}{"@type":"Thing"}',
        "{&quot;@type&quot;:&quot;Article&quot;,&quot;headline&quot;:&quot;B&quot;}",
    ],
)
def test_json_ld_repairs_invalid_json(script):
    assert headlines(script)[0] == "B"


@pytest.mark.parametrize("script", ["", "null", "[]", "{", "nonsense", '"text"', "{{{{", "[[[[[", '{"@type":5}'])
def test_json_ld_leaves_out_what_cannot_be_repaired(script):
    assert headlines(script) in ([], [None])


def test_json_ld_of_a_thousand_levels_and_megabytes_takes_seconds():
    deep = '{"@type":"Article","about":' * 1_000 + "1" + "}" * 1_000
    wide = json.dumps({"@type": "Article", "headline": "B", "articleBody": "word " * 250_000})
    start = time.process_time()
    assert "B" in headlines(deep, wide)
    assert time.process_time() - start < 60
