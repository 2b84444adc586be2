"""The language of a text: by script and function words if these are clear, otherwise by the model."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import py3langid
import pytest

from newsextract.metadata.language import WRITTEN_AS, detect

CLEAR, NEIGHBOURS, FEW_LETTERS, MIXED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).values()


@pytest.mark.parametrize("language", [*CLEAR, *NEIGHBOURS])
def test_detect_says_what_the_model_says(language):
    text = {**CLEAR, **NEIGHBOURS}[language]
    code = py3langid.classify(text)[0]
    assert detect(text) == WRITTEN_AS.get(code, code) == language


def test_detect_loads_no_model_where_script_or_function_words_leave_no_doubt():
    code = (
        "import json, sys, py3langid.langid as model; from newsextract.metadata.language import detect; "
        "print([detect(text) for text in json.loads(sys.argv[1])], model.IDENTIFIER)"
    )
    words = [sys.executable, "-c", code, json.dumps([*CLEAR.values()])]
    assert subprocess.check_output(words, text=True) == f"{[*CLEAR]} None\n"


def test_detect_says_nothing_of_few_letters():
    assert {*map(detect, FEW_LETTERS.values())} == {None}


def test_detect_asks_the_model_about_mixed_scripts():
    assert {*map(detect, MIXED.values())} == {"zh"}
