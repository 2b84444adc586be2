"""Signatures: which edits leave a text a copy and which do not, for every edit of tests/text_edits.py."""

import random

import pytest

from newsextract.demo import Site
from newsextract.items import Article
from newsextract.near_duplicates import is_copy, signature_of, with_signature
from tests.text_edits import EDITS, TEMPLATES, pairs, report

TEXTS = [text.text.split("\n") for text in Site().gold() if len(text.text) >= 400]


def signature(text):
    made = signature_of("\n".join(text))
    assert made is not None
    return made


def is_detected(first, second):
    """As the store decides it: a common key makes a candidate pair, then grams and facts are compared."""
    return bool(set(first.keys.tolist()) & set(second.keys.tolist())) and is_copy(second, first)


def test_demo_texts_include_spaced_and_unspaced_scripts():
    assert len(TEXTS) > 40 and sum("。" in "".join(text) for text in TEXTS) > 10


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_is_copy_after_each_edit_is_as_its_table_says(edit):
    made = pairs(edit, TEXTS)
    detected = sum(is_detected(signature(first), signature(second)) for _, (first, second) in made)
    assert len(made) >= 25
    assert detected / len(made) >= 0.97 if EDITS[edit] else detected == 0


@pytest.mark.parametrize("name", TEMPLATES)
def test_is_copy_rejects_reports_of_one_template_with_other_facts(name):
    chance = random.Random(name)
    made = [signature(report(chance, name)) for _ in range(25)]
    assert [i for i in range(1, 25) if is_detected(made[i], made[i - 1])] == []
    assert not any(is_copy(report, made[0]) for report in made[1:])


def test_is_copy_rejects_all_pairs_of_different_stories():
    made = [signature(text) for text in TEXTS]
    assert [(i, j) for i in range(len(made)) for j in range(i) if is_detected(made[j], made[i])] == []


@pytest.mark.parametrize(
    "second",
    [str.upper, lambda text: text.replace("\n", " "), lambda text: text.replace(" ", "\u00a0\n")],
    ids=["capitals", "no paragraphs", "other spaces"],
)
def test_signature_ignores_case_and_white_space(second):
    text = "\n".join(TEXTS[0])
    assert signature_of(second(text)).grams.tolist() == signature_of(text).grams.tolist()


def test_signature_folds_full_width_digits_and_letters():
    text = "２０２６年３月，ＧＤＰ增长百分之五点一，" + "".join(next(text for text in TEXTS if "。" in text[0]))
    plain = text.replace("２０２６", "2026").replace("３", "3").replace("ＧＤＰ", "gdp")
    assert signature_of(text).grams.tolist() == signature_of(plain).grams.tolist()


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "Too short to tell.", "." * 99, "a" * 100_000, "\ud800" * 500, "𠀀" * 500, "1 " * 100_000, "。" * 9],
    ids=["empty", "lines", "short", "marks", "one word", "surrogates", "rare", "numbers", "stops"],
)
def test_signature_of_degenerate_text_is_none_or_bounded(text):
    made = signature_of(text)
    assert made is None or (len(made.keys) <= 16 and len(made.to_bytes()) < 200_000)


def test_with_signature_keeps_all_fields_of_the_article():
    article = Article("https://example.org/a", headline="Bell", article_body="\n".join(TEXTS[0]), version=3)
    item = with_signature(article)
    assert isinstance(item, Article) and item.signature is not None
    assert Article.from_dict(item.to_dict()) == article
