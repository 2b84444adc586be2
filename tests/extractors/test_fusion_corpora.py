"""Fusion on all corpora: it finds a text wherever published methods of different families agree on the right one.

Which text that is, fusion decides by itself: on pages with many comments, methods that agree take the whole page. Only
pages on which fusion finds next to nothing are given to the other methods: few, so the cost is that of fusion alone.
"""

from itertools import combinations
from os import environ

import pytest

from evaluation.corpora import find_corpora
from evaluation.scores import harmonic, overlap, tokens, without_optional
from newsextract import EXTRACTORS, Page
from newsextract.extractors import make_extractor
from newsextract.extractors.base import accepts_peer
from newsextract.extractors.fusion import Fusion

#: Published methods that take no peer, by what they look at.
FAMILIES = {
    "intervals": ("bte",),
    "tag paths": ("cepf", "cepr", "cedp-ctd", "cedp-dsum", "cedp-nltd", "cedp-td"),
    "subtrees": ("coreex",),
    "punctuation": ("econ",),
    "lines": ("cetr", "cetr-tm"),
    "densities": ("ceds", "cedst", "cedst-nc", "cedst-tf", "cetd", "mcstd"),
    "rows": ("twcem",),
}
#: Tokens below which fusion has found next to nothing; F from which on two texts agree; families that do.
NOTHING, AGREE, ENOUGH = 20, 0.9, 3
#: Pages that are read of each set, spread over all of it; the gate of scripts/bench holds the quality.
PAGES_PER_SET = 80
CORPORA = environ.get("NEWSEXTRACT_CORPORA")
#: Pages of `shells` have no visible text, those of `wcxb-other` no gold.
SETS = [corpus.name for corpus in find_corpora([]) if corpus.name != "shells"] if CORPORA else []


def f_of(text: str, other: str) -> float:
    return harmonic(*overlap(tokens(text), tokens(other)))


def agreed_and_right(page: Page, gold: str) -> list[str]:
    """Methods of ENOUGH families that agree with each other and with the gold; empty if there are none."""
    right = {}
    for family, names in FAMILIES.items():
        for name in names:
            text = make_extractor(name)(page).text
            if f_of(text, gold) >= AGREE:
                right[name] = family, text
    for names in combinations(right, ENOUGH):
        families = {right[name][0] for name in names}
        texts = [right[name][1] for name in names]
        if len(families) == ENOUGH and all(f_of(*pair) >= AGREE for pair in combinations(texts, 2)):
            return list(names)
    return []


def test_families_name_every_published_method_that_takes_no_peer():
    named = [name for names in FAMILIES.values() for name in names]
    assert sorted(named) == sorted(name for name, extractor in EXTRACTORS.items() if not accepts_peer(extractor))


@pytest.mark.corpus
@pytest.mark.parametrize("name", SETS)
def test_fusion_finds_text_wherever_three_families_agree_on_the_right_one(name):
    (corpus,) = find_corpora([name])
    missed = {}
    with_text = [gold for gold in corpus.gold if gold.text]
    for gold in with_text[:: 1 + len(with_text) // PAGES_PER_SET]:
        page = Page(corpus.html(gold.id), gold.url)
        text = without_optional(Fusion()(page).text, gold.optional)
        if len(tokens(text)) < NOTHING and (methods := agreed_and_right(page, gold.text)):
            missed[gold.id] = methods
    assert missed == {}
