"""JSON as it occurs in pages."""

import time

import pytest

from newsextract.page.json_text import read


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a": "The "great, "big"" mill", "b": 1}', {"a": 'The "great, "big"" mill', "b": 1}),
        ('{"a": "So: "no", "yes" and "why?": all", "b": 1}', {"a": 'So: "no", "yes" and "why?": all', "b": 1}),
        ('{"a": ["the "old" mill", "b" "c",]}', {"a": ['the "old" mill', "b", "c"]}),
        ('{"a": ""x"", "b": 1}', {"a": "x", "b": 1}),
        ("{'a': 'it's', b: 'c'}", {"a": "it's", "b": "c"}),
        ('{"a": "b" "c": "d"\n"e": "f"; "g": "h",, "i": 1.5,}', {"a": "b", "c": "d", "e": "f", "g": "h", "i": 1.5}),
        ('{"a": {"b": 1}}, "c": 2}', {"a": {"b": 1}, "c": 2}),
        ('{"a": [1, 2}, "b": 3}]', {"a": [1, 2], "b": 3}),
        ('{"a": {"@type": "Person", "headline": "H"}', {"a": {"@type": "Person"}, "headline": "H"}),
        ('{"a": "b", "c": {"d": 1, "e": ["f", "g', {"a": "b", "c": {"d": 1, "e": ["f"]}}),
        ('\ufeff/* x */ {"a": 1, // y\n "b": "http://z/*"}', {"a": 1, "b": "http://z/*"}),
        ('<![CDATA[{"a": 1}]]>', {"a": 1}),
        ('{"a": {{ name }}, "b": undefined, "c": true}', {"a": {}, "c": True}),
        ('{"a": 1}{"b": 2}\n{"c": 3}', [{"a": 1}, {"b": 2}, {"c": 3}]),
        ("{&quot;a&quot;: &quot;b &amp; c&quot;}", {"a": "b & c"}),
        ('{"a": "x\ty\\x \\u00e9"', {"a": "x\tyx é"}),
        *((text, None) for text in ("", "x", "{", "{{{{", "}]", '{"a": "b')),
    ],
)  # fmt: skip
def test_read_takes_what_can_be_understood(text, wanted):
    assert read(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        '{"@type": "N" ' + "\n" * 200_000 + "x",
        '{"a":"' + '" ' * 100_000,
        '{"a":"' + '\\"' * 100_000,
        '{"a": "' + 'x "y", ' * 50_000,
        "{" + '"a":"b" ' * 50_000,
        "{" + "/*" * 100_000,
        "[" * 200_000,
        '{"a":' * 50_000,
        "{'a': '" + "'b' " * 50_000,
        '{"a":1}' * 50_000,
    ],
    ids=range(10),
)
def test_read_looks_at_each_character_a_bounded_number_of_times(text):
    start = time.process_time()
    read(text)
    assert time.process_time() - start < 20, "each takes a tenth of a second"
