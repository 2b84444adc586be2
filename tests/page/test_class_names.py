"""What class names say."""

import pytest

from newsextract.page import class_names
from newsextract.page.class_names import BITS, VOCABULARY, ClassNames, mask_of
from tests.examples import examples

FIRST = VOCABULARY["blocks"]


def purposes_of(name: str) -> set[str]:
    bits = mask_of(name)
    return {f"{section}.{purpose}" for section, found in BITS.items() for purpose, bit in found.items() if bits & bit}


def places(bits: int) -> set[str]:
    """The purposes of the first section in bits."""
    return {purpose for place, purpose in enumerate(FIRST) if bits >> place & 1}


@pytest.mark.parametrize(("name", "wanted", "others"), examples(__file__, "names"))
def test_names_say_what_their_words_mean(name, wanted, others):
    found = purposes_of(name)
    assert found.issuperset(wanted) and found.isdisjoint(others)


def test_index_equals_search_for_each_word_and_is_bounded(monkeypatch):
    """The index by first letters finds what a search for each word finds, whatever was looked up before."""
    names = ClassNames(VOCABULARY)
    names.look_up(["sidebar widget", "articlebody", "comment list"])
    needles = [(needle, name) for name, group in FIRST.items() for needle in group]
    wanted = [form.format(needle) for needle, _ in needles for form in ("{}", "x{}", "{}y")]
    wanted += ["comment list", "storybody main", "radical", " ad ", "header nav", "articlebodycomment", ""]
    for name, bits in zip(wanted, names.look_up(wanted).tolist(), strict=True):
        padded = f" {' '.join(name.split())} "
        assert places(bits) == {name for needle, name in needles if needle in padded}
    known = [places(bits) for bits in names.look_up(wanted).tolist()]
    monkeypatch.setattr(class_names, "MAX_CACHED", 1)
    again = names.look_up([*wanted[:9], "never-seen"]).tolist()
    assert [places(bits) for bits in again[:9]] == known[:9] and len(names.numbers) < 20
