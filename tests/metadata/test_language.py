"""The language of a text: by script and function words if these are clear, otherwise by the model."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import py3langid
import pytest

from newsextract.metadata.language import WRITTEN_AS, detect

CLEAR, NEIGHBOURS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).values()


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
    for text in (
        "the of and to in is that for with",
        "市议会星期一开会讨论港口的问题",
        "",
        f"{'1 2 3 4 5 ' * 4} - the of and to",
    ):
        assert detect(text) is None


def test_detect_asks_the_model_about_mixed_scripts():
    chinese = "今天我们来看官方发布的壁纸和头像,网站是プリンセスコネクト,其中的イベント部分为官方发布的所有活动的图片。"
    words = "证明 demonstrate the of and to 证实 论证 说明 表达 表露 表现 陈述 指出 坚信 认为 人们 我们 is that"
    assert detect(chinese) == detect(words) == "zh"
