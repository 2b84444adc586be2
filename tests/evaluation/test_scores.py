import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.corpora import Gold, find_corpus
from evaluation.scores import econ_verdict, judge, lcs_f, overlap, succeeds, summary, tokens
from tests.examples import examples

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


def test_tokens_are_cjk_characters_and_words():
    text = "Die GEMA, 2.5x «naïve»: 新华社カナ한국 x_y"
    assert tokens(text) == "die gema 2 5x naïve 新 华 社 カ ナ 한 국 x y".split()


def test_judge_a_page_worked_by_hand():
    """Output: 6 tokens, gold: 8, common: 5 (one `the` of two); in order: 4, for `rose` comes early."""
    page = judge(Gold("a", text="The price of the new bread rose again"), "rose: the price of bread fell")
    assert (page.precision, page.recall) == (5 / 6, 5 / 8)
    assert page.f == pytest.approx(2 * 5 / (6 + 8))
    assert page.lcs == pytest.approx(2 * 4 / (6 + 8))
    assert (page.precision4, page.recall4) == (0.0, 0.0)


@pytest.mark.parametrize(("pages", "figures"), examples(__file__, "summary"))
def test_summary_of_outputs_and_golds_worked_by_hand(pages, figures):
    found = summary([judge(Gold(str(i), text=gold), output) for i, (output, gold) in enumerate(pages)])
    assert {name: found[name] for name in figures} == pytest.approx(figures)


def test_judge_ignores_optional_lines():
    gold = Gold("a", text="One two three.", optional=("Photo: A. Bee",))
    assert judge(gold, "One two three.\nphoto a bee").f < 1
    assert judge(gold, "One two three.\nPhoto – A Bee!").f == 1.0


def test_summary_counts_segments_and_refused_pages_over_all_pages():
    one = Gold("a", wanted=("one", "two"), unwanted=("menu",))
    other = Gold("b", wanted=("three",), unwanted=("foot", "head"))
    figures = summary([judge(one, "one and menu"), judge(other, "three")])
    assert figures["precision"] == figures["recall"] == figures["f"] == pytest.approx(2 / 3)
    listing = Gold("a", page_type="listing")
    found = summary([judge(listing, "", refused) for refused in (False, False, True)])
    assert found["refused"] == pytest.approx(2 / 3)
    assert "refused" not in summary([judge(listing, "", None)])


@pytest.mark.parametrize(
    ("precision", "recall", "verdict"), [(1.0, 0.94, "missed"), (0.94, 1.0, "wrong"), (0.95, 0.95, "correct")]
)
def test_econ_verdict_by_precision_and_recall(precision, recall, verdict):
    assert econ_verdict(precision, recall, 0.95) == verdict
    assert (verdict == "correct") == succeeds(precision, recall, 0.95)


@given(WORDS, WORDS)
def test_lcs_f_equals_dynamic_programming_and_is_at_most_overlap(found, wanted):
    table = [[0] * (len(wanted) + 1) for _ in range(len(found) + 1)]
    for i, left in enumerate(found):
        for j, right in enumerate(wanted):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    total = len(found) + len(wanted)
    assert lcs_f(found, wanted) == pytest.approx(2 * table[-1][-1] / total if total else 1.0)
    common = (Counter(found) & Counter(wanted)).total()
    assert table[-1][-1] <= common
    assert overlap(found, wanted)[0] == (common / max(1, len(found)) if total else 1.0)


CORPORA = os.environ.get("NEWSEXTRACT_CORPORA", "")


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["zhnews", "cleaneval-dev", "traf"])
def test_summary_equals_the_reference_scorer(name, tmp_path):
    """On real pages, with outputs bad in every way: all text of the page, half of it, nothing, lines shuffled."""
    corpus = find_corpus(Path(CORPORA) / name)
    outputs, judgements = {}, []
    for number, row in enumerate(corpus.gold):
        lines = re.sub(r"<[^>]*>", "\n", corpus.html(row.id).decode("utf-8", "replace")).split("\n")
        good = (row.text or "\n".join(row.wanted)).split("\n")
        outputs[row.id] = "\n".join([lines, good, [], good[::-1], good[::2] + list(row.optional)][number % 5])
        judgements.append(judge(row, outputs[row.id]))
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in outputs.items()))
    scorer = Path(CORPORA) / "score.py"
    printed = subprocess.run([sys.executable, scorer, name, path], capture_output=True, text=True, check=True).stdout
    theirs = {key: float(value) for key, value in re.findall(r"\b(P|R|F|Fp|F4) (\d\.\d{4})", printed)}
    assert len(theirs) >= 3
    names = {"P": "precision", "R": "recall", "F": "f", "Fp": "fp", "F4": "f4"}
    ours = summary(judgements)
    assert {key: f"{ours[names[key]]:.4f}" for key in theirs} == {key: f"{value:.4f}" for key, value in theirs.items()}
