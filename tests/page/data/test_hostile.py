"""Hostile data: a result within the page's time, no traceback, no script in what comes out."""

import json
from collections.abc import Callable
from time import process_time

import pytest

import newsextract
from newsextract.page import Page
from newsextract.report.render import render_report
from tests.page.data.pages import FORMATS, HEADLINE, HTML, PARAGRAPHS, TEXT, URL, frame, json_script, script, works

#: Seconds of processor time for one page; a crawl allows 30.
MAX_SECONDS = 12.0
NESTED = 1_000_000
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>press here</a>"


def flight(rows: str) -> str:
    return frame(script(f"self.__next_f.push({json.dumps([1, rows])})"))


def nuxt(values: list[object]) -> str:
    return frame(json_script(values, id="__NUXT_DATA__"))


#: Made by the test that reads it: some have 50 MB.
HOSTILE: dict[str, Callable[[], str]] = {
    "50 MB of text": lambda: frame(json_script({"a": "The ferry runs again. " * 2_400_000}, id="__NEXT_DATA__")),
    "50 MB of members": lambda: frame(
        json_script({"a": [{"t": "The ferry runs again"}] * 1_800_000}, id="__NEXT_DATA__")
    ),
    "nested lists in JSON": lambda: frame(f'<script type="application/json">{"[" * NESTED}{"]" * NESTED}</script>'),
    "nested lists in a script": lambda: frame(script("window.x = " + "[" * NESTED + json.dumps(TEXT) + "]" * NESTED)),
    "nested objects, unclosed": lambda: frame(script("window.x = " + '{"a":' * NESTED)),
    "nested calls": lambda: frame(script("window.x = {a:" + "f(" * 100_000 + json.dumps(TEXT) + ")" * 100_000 + "}")),
    "unclosed string": lambda: frame(script('window.x = {"text": "' + TEXT * 3_000)),
    "backslashes": lambda: frame(script(f'window.x = {{"text": "{TEXT[:80]}' + "\\" * 500_000)),
    "code": lambda: frame(script(f"/* {TEXT} */" + "var a=function(b){return {c:b({d:1})}};" * 20_000)),
    "nested elements": lambda: flight("0:" + '["$","div",null,{"children":' * 50_000 + '"x"' + "}]" * 50_000 + "\n"),
    "rows that refer to each other": lambda: flight('0:["$1","$1","$2"]\n1:["$2","$2","$0"]\n2:["$0","$1","$L1"]\n'),
    "rows without end": lambda: flight(f"0:T{2**40:x},short"),
    "broken chunks": lambda: frame(script("self.__next_f.push([1,") + script('self.__next_f.push([1,"0:[\\u12"])')),
    "indices in a circle": lambda: nuxt([{"a": 0, "b": 1}, [0, 1, 1], ["Ref", 2], ["Reactive", 0]]),
    "indices that multiply": lambda: nuxt([[1] * 50, *([number + 1] * 50 for number in range(1, 60)), TEXT]),
    "indices outside": lambda: nuxt([{"a": 1, "b": 2}, ["Map", 99, -7, 1], ["Date"]]),
    "halves of surrogates": lambda: frame(json_script({"title": HEADLINE, "body": f"\ud83d {TEXT} \udc00"})),
    "escapes of no characters": lambda: frame(
        script(f'window.x = {{"body": "\\u{{110000}} \\xZZ \\u12 {TEXT[:90]}"}}')
    ),
    "Markdown of brackets": lambda: frame(json_script({"body": "[" * 100_000 + "](http://a)" + TEXT})),
    "compiled elements, unclosed": lambda: frame(
        json_script({"body": "function f(){return " + "mdx('p',null,'x'," * 50_000})
    ),
    "a number alone": lambda: frame(json_script(int("9" * 300))),
    "numbers without end": lambda: frame(script("window.x = {a: " + "9" * 1_000_000 + f", b: {json.dumps(TEXT)}}}")),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_data_give_a_result_in_time(kind: str) -> None:
    page = HOSTILE[kind]()
    begin = process_time()
    article = newsextract.extract(page, URL)
    assert process_time() - begin < MAX_SECONDS
    article.article_body.encode("utf-8")


@pytest.mark.parametrize("form", ["html", "escaped", "escaped twice", "plain list", "nodes"])
def test_no_script_of_the_data_comes_out(form: str) -> None:
    data = works()
    escaped = (HTML + ATTACK).replace("&", "&amp;").replace("<", "&lt;")
    paragraphs = [{"type": "p", "children": [{"text": one}]} for one in PARAGRAPHS]
    nodes: dict[str, object] = {
        "html": HTML + ATTACK,
        "escaped": escaped,
        "escaped twice": escaped.replace("&", "&amp;"),
        "plain list": [*PARAGRAPHS, ATTACK],
        "nodes": [*paragraphs, {"type": "script", "text": ATTACK}],
    }
    data["article"] = {"title": f"{HEADLINE}</title><script>alert(0)</script>", "content": nodes[form]}
    inner = json.dumps(json.dumps({"data": data})).replace("</", "<\\/")
    page = Page(frame(f'<script type="application/json">{{"state":{inner}}}</script>'), URL)
    article = newsextract.extract(page)
    assert article.article_body.startswith(TEXT)
    for html in (article.article_body_html or "", render_report(page, "hostile").split("<body", 1)[1]):
        assert "<script>alert" not in html
        assert "onerror=" not in html.replace("&lt;img src=x onerror=", "")
        assert 'href="javascript' not in html


@pytest.mark.parametrize("page", [page for _, page in FORMATS])
def test_truncated_and_spoiled_data_give_a_result(page: str) -> None:
    for cut in range(0, len(page), max(1, len(page) // 12)):
        newsextract.extract(page[:cut], URL)
        newsextract.extract(page[:cut] + '"}]\\' + page[cut + 5 :], URL)
