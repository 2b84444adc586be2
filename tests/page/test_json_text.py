"""JSON as it occurs in pages."""

import time

import pytest

from newsextract.page.json_text import read
from tests.examples import examples


@pytest.mark.parametrize(("text", "wanted"), examples(__file__, "texts"))
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
