"""The language of a text: by script and function words if these are clear, otherwise by the model."""

import json
import subprocess
import sys

import py3langid
import pytest

from newsextract.metadata.language import WRITTEN_AS, detect

TEXTS = {
    "en": "The council met on Monday to talk about the harbour, and it was said that a new pier is to be built.",
    "de": "Der Rat hat am Montag über den Hafen gesprochen, und es ist nicht sicher, ob die Mole gebaut wird.",
    "fr": "Le conseil a parlé lundi du port, et la nouvelle jetée est une affaire pour les bateaux des îles.",
    "zh": "市议会星期一开会讨论港口的问题,会上说将为渡轮修建一座新的码头,工程将于明年春天开始,预计两年后完工。",
    "ja": "市議会は月曜日に港について話し合い、フェリーのための新しい桟橋が来年の春に造られると市長が発表した。",
    "ko": "시의회는 월요일에 항구에 대해 논의했으며 내년 봄에 새 부두를 짓기로 결정했다고 시장이 발표했다",
}
#: Texts that only the model tells from their neighbours.
NEIGHBOURS = {
    "es": "El consejo habló el lunes del puerto, y se dijo que la nueva obra es para los barcos que llegan.",
    "ca": "El consell va parlar dilluns del port, i es va dir que la nova obra és per als vaixells que arriben.",
    "nl": "De raad sprak maandag over de haven, en er werd gezegd dat het een nieuwe pier van hout is.",
    "af": "Die raad het Maandag oor die hawe gepraat, en daar is gesê dat 'n nuwe kaai van hout gebou word.",
    "ru": "Совет в понедельник говорил о порте, и было сказано, что новый причал для судов построят весной.",
}


@pytest.mark.parametrize("language", [*TEXTS, *NEIGHBOURS])
def test_detect_says_what_the_model_says(language):
    text = {**TEXTS, **NEIGHBOURS}[language]
    code = py3langid.classify(text)[0]
    assert detect(text) == WRITTEN_AS.get(code, code) == language


def test_detect_loads_no_model_where_script_or_function_words_leave_no_doubt():
    code = (
        "import json, sys, py3langid.langid as model; from newsextract.metadata.language import detect; "
        "print([detect(text) for text in json.loads(sys.argv[1])], model.IDENTIFIER)"
    )
    words = [sys.executable, "-c", code, json.dumps([*TEXTS.values()])]
    assert subprocess.check_output(words, text=True) == f"{[*TEXTS]} None\n"


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
