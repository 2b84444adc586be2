"""`scripts/bench fuzz`: an input follows from its seed, and what goes wrong is named with it."""

import pytest

from evaluation.fuzz import READERS, _failure, make_input


def test_a_seed_makes_the_same_input_and_seeds_reach_every_reader():
    assert [make_input(seed) for seed in range(50)] == [make_input(seed) for seed in range(50)]
    assert {make_input(seed)[0] for seed in range(300)} == {*READERS}


def test_command_prints_its_seed_and_a_count(bench):
    assert bench("fuzz", "--seconds", "0", "--seed", "7").stdout == "from seed 7\ninputs: 1, failed: 0\n"


@pytest.mark.parametrize(
    ("reader", "told"), [(lambda body: body.decode("ascii"), "search: UnicodeDecodeError: "), (len, "None")]
)
def test_errors_of_other_kinds_are_failures(monkeypatch, reader, told):
    monkeypatch.setitem(READERS, "search", reader)
    assert str(_failure("search", b"\xff")).startswith(told)
