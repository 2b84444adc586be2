"""Lines of two fetches of a page that make no difference between its texts, and those that do."""

import tomllib
from pathlib import Path

import pytest

from newsextract.site_profile.shown_lines import unchanged_lines
from newsextract.text import letters_and_digits
from tests.site_profile.test_profile import summary_of

#: Name -> the lines of two fetches of a page beside its paragraphs; `kept`: those of each in the text, if not all; and
#: whether the second text is another one.
CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PARAGRAPHS = [f"The {what} of the old harbour was repaired, the council said, in spite of the cost." for what in "abc"]


def differ(case, with_pages):
    texts = ["\n".join([*lines, *PARAGRAPHS]) for lines in case.get("kept", [case["before"], case["now"]])]
    pages = [summary_of("/harbour", html_of([*case[name], *PARAGRAPHS])) for name in ("before", "now")]
    left_out = unchanged_lines(*texts, tuple(pages) if with_pages else None)
    lines = (map(letters_and_digits, text.split("\n")) for text in texts)
    return len({tuple(key for key in keys if key not in left_out) for keys in lines}) > 1


def html_of(lines):
    return "<h1>The harbour</h1>" + "".join(f"<p class=x{number}>{line}</p>" for number, line in enumerate(lines))


@pytest.mark.parametrize("name", CASES)
def test_texts_differ_by_what_their_pages_say_and_not_by_what_they_count(name):
    case = CASES[name]
    assert differ(case, with_pages=True) == case["differ"]
    if "kept" not in case:
        assert differ(case, with_pages=False) == case["differ"]
