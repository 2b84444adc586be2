"""Time and memory stay in proportion to the input: what each of these once took grew with the square or faster."""

import pytest

from evaluation.growth.inputs import inputs
from evaluation.growth.measure import grows_with_the_square
from evaluation.growth.readers import warm_up
from tests.examples import examples

warm_up()  # here, and not in the process of each input
INPUTS = {case.name: case for case in inputs()}


@pytest.mark.parametrize("name", examples(__file__, "mended"))
def test_inputs_that_took_more_than_in_proportion(name):
    assert not grows_with_the_square(INPUTS[name])


def test_inputs_have_names_of_their_own_and_are_as_long_as_asked():
    cases = [*inputs()]
    assert len({case.name for case in cases}) == len(cases)
    assert all(20_000 < len(case.make(30_000).encode("utf-8", "surrogatepass")) < 200_000 for case in cases[::50])
