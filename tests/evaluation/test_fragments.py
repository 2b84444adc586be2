"""Made fragments: the same for a page each time, of every kind, with all their texts, their classes named as asked."""

import random
import re
from itertools import product

import pytest

from evaluation.fragments import NAMINGS, RULES, hashed_classes, made_fragment, made_fragments
from newsextract.files import package_data

TABLE = package_data("evaluation", "fragments.toml")
KINDS = [(rule, kind) for rule in RULES for kind in TABLE[rule]]


def test_fragments_of_a_page_are_the_same_each_time_and_others_on_another_page():
    first = [*made_fragments("https://one.example/")]
    assert first == [*made_fragments("https://one.example/")]
    assert first != [*made_fragments("https://two.example/")]


def test_a_page_gets_each_kind_in_a_known_language_and_in_one_that_is_left_out():
    found = [*made_fragments("https://one.example/")]
    assert {(one.rule, one.kind) for one in found} == {(rule, kind["kind"]) for rule, kind in KINDS}
    known = {kind["kind"] for _, kind in KINDS if not kind.get("left_out")}
    assert {one.kind for one in found if not one.is_left_out} == known
    assert known <= {one.kind for one in found if one.is_left_out}


@pytest.mark.parametrize(("rule", "kind"), KINDS, ids=[kind["kind"] for _, kind in KINDS])
def test_each_kind_can_be_made_in_every_language_that_has_its_words(rule, kind):
    for language, naming in product(kind.get("words", TABLE["languages"]), NAMINGS):
        fragment = made_fragment(rule, kind, language, random.Random(1), naming)
        assert fragment.marks and all(mark in fragment.html for mark in fragment.marks)
        assert not re.search(r"\{\w\d?\}", fragment.html)


def test_known_kinds_have_words_in_every_language_and_left_out_ones_in_some_that_are_left_out():
    for kind in filter(lambda kind: "words" in kind, TABLE["drop"]):
        spoken = {*kind["words"]}
        assert spoken <= {*TABLE["languages"]}
        assert kind.get("left_out") or spoken == {*TABLE["languages"]}
        assert {texts.get("left_out", False) for texts in map(TABLE["languages"].get, spoken)} == {False, True}


def test_class_names_are_those_of_the_naming():
    kind = {"kind": "note", "classes": ["note", "nota"], "html": ["<div{c}>{s0}</div>"]}
    found = {name: made_fragment("keep", kind, "en", random.Random(1), name).html for name in NAMINGS}
    assert 'class="note"' in found["as they are"] and 'class="nota"' in found["translated"]
    assert re.search(r'class="css-[0-9a-f]{8}"', found["hashed"]) and "class" not in found["none"]


def test_hashed_classes_change_names_only():
    html = "<div class=note data-class=note><p class='a b'>class=note is text</p></div>"
    found = hashed_classes(html)
    assert re.sub('"css-[0-9a-f]{8}( css-[0-9a-f]{8})*"', "X", found) == (
        "<div class=X data-class=note><p class=X>class=note is text</p></div>"
    )
