"""The closed form of Dempster's rule, against the rule itself."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.dempster_shafer import combine

NEWS, NOT_NEWS = frozenset({"news"}), frozenset({"not news"})
BOTH = NEWS | NOT_NEWS
MASS = st.floats(0, 0.99)


def dempster(sources):
    """The rule by its definition: a sum over all combinations of focal sets, in exact numbers."""
    total = dict.fromkeys((frozenset(), NEWS, NOT_NEWS, BOTH), Fraction(0))
    for combination in product(*(source.items() for source in sources)):
        common = frozenset.intersection(BOTH, *(focal for focal, _ in combination))
        total[common] += prod(Fraction(mass) for _, mass in combination)
    k = 1 - total.pop(frozenset())
    return {focal: float(mass / k) for focal, mass in total.items()}


@given(st.lists(MASS, max_size=3), st.lists(MASS, max_size=2))
def test_combine_equals_dempsters_rule_over_focal_sets(supporting, opposing):
    sources = [{NEWS: p, BOTH: 1 - Fraction(p)} for p in supporting]
    sources += [{NOT_NEWS: q, BOTH: 1 - Fraction(q)} for q in opposing]
    assert float(combine(supporting, opposing)) == pytest.approx(dempster(sources)[NEWS], abs=1e-12)


def test_combine_treats_each_hypothesis_alone_and_certain_contradiction_as_unknown():
    found = combine([[0.5, 0.0, 1.0], [0.5, 0.0, 1.0]], [[0.0, 0.9, 1.0]])
    assert found.tolist() == pytest.approx([0.75, 0, 0])
