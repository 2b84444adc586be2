"""Signatures: what is a copy and what not, for every edit of evaluation/speed/edits.py on the demonstration's texts."""

import random

import pytest

from evaluation.speed.edits import EDITS, TEMPLATES, pairs, report
from newsextract.demo import Site
from newsextract.export import signature_of, signed
from newsextract.items import Article
from newsextract.near_duplicates import is_copy

TEXTS = [text.text.split("\n") for text in Site().gold() if len(text.text) >= 400]


def signature(text):
    made = signature_of("\n".join(text))
    assert made is not None
    return made


def is_found(first, second):
    """As the store finds it: by a key that both have, then by all of the text."""
    return bool(set(first.keys.tolist()) & set(second.keys.tolist())) and is_copy(second, first)


def test_there_are_texts_of_both_writings():
    assert len(TEXTS) > 40 and sum("。" in "".join(text) for text in TEXTS) > 10


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_leaves_a_copy_or_makes_another_text(edit):
    made = pairs(edit, TEXTS)
    found = sum(is_found(signature(first), signature(second)) for _, (first, second) in made)
    assert len(made) >= 25
    assert found / len(made) >= 0.97 if EDITS[edit] else found == 0


@pytest.mark.parametrize("name", TEMPLATES)
def test_two_reports_of_one_template_with_other_facts_are_no_copies(name):
    chance = random.Random(name)
    made = [signature(report(chance, name)) for _ in range(25)]
    assert [place for place in range(1, 25) if is_found(made[place], made[place - 1])] == []
    assert not any(is_copy(one, made[0]) for one in made[1:])


def test_no_two_stories_of_the_demonstration_are_copies():
    made = [signature(text) for text in TEXTS]
    found = [(i, j) for i in range(len(made)) for j in range(i) if is_found(made[j], made[i])]
    assert found == []


@pytest.mark.parametrize(
    "second",
    [str.upper, lambda text: text.replace("\n", " "), lambda text: text.replace(" ", "\u00a0\n")],
    ids=["capitals", "no paragraphs", "other spaces"],
)
def test_layout_and_case_make_no_difference(second):
    text = "\n".join(TEXTS[0])
    assert signature_of(second(text)).grams.tolist() == signature_of(text).grams.tolist()


def test_wide_digits_and_letters_are_those_of_other_sites():
    text = "２０２６年３月，ＧＤＰ增长百分之五点一，" + "".join(next(text for text in TEXTS if "。" in text[0]))
    plain = text.replace("２０２６", "2026").replace("３", "3").replace("ＧＤＰ", "gdp")
    assert signature_of(text).grams.tolist() == signature_of(plain).grams.tolist()


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "Too short to tell.", "." * 99, "a" * 100_000, "\ud800" * 500, "𠀀" * 500, "1 " * 100_000, "。" * 9],
    ids=["empty", "lines", "short", "marks", "one word", "surrogates", "rare", "numbers", "stops"],
)
def test_no_text_is_too_strange(text):
    made = signature_of(text)
    assert made is None or (len(made.keys) <= 16 and len(made.to_bytes()) < 200_000)


def test_an_article_keeps_all_its_fields_when_it_is_signed():
    article = Article("https://example.org/a", headline="Bell", article_body="\n".join(TEXTS[0]), version=3)
    item = signed(article)
    assert isinstance(item, Article) and item.signature is not None
    assert Article.from_dict(item.to_dict()) == article
