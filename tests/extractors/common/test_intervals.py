"""The interval of the largest sum, against trying all of them."""

from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.sequences import best_interval

VALUES = st.lists(st.integers(-5, 5), max_size=30)


def all_sums(values):
    return {(a, b): sum(values[a:b]) for a in range(len(values)) for b in range(a + 1, len(values) + 1)}


@given(VALUES)
def test_best_interval_equals_brute_force(values):
    first, last = best_interval(values)
    assert sum(values[first:last]) == max(all_sums(values).values(), default=0) or (first, last) == (0, 0)
    assert ((first, last) == (0, 0)) == (max(values, default=0) <= 0)


@given(VALUES)
def test_best_interval_of_equal_sums_is_first_or_longest(values):
    sums = all_sums(values)
    best = max(sums.values(), default=0)
    if best <= 0:
        return
    equal = [interval for interval, total in sums.items() if total == best]
    assert best_interval(values) == min(equal, key=lambda interval: (interval[1], -interval[0]))
    assert best_interval(values, longest=True) == min(equal, key=lambda interval: (interval[0] - interval[1], interval))


def test_best_interval_without_positive_value_is_empty():
    assert best_interval([]) == best_interval([-1.0, 0.0, -2.0]) == (0, 0)
