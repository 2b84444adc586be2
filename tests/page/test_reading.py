"""How much of real articles reaches the extractors at all: decoding and repair decide before any choice."""

import os
from collections import Counter
from pathlib import Path

import pytest

from evaluation.corpus import find_corpus
from evaluation.scores import tokens
from newsextract import Page

CORPORA = os.environ.get("NEWSEXTRACT_CORPORA", "")


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["zhnews", "chinese69", "fundus"])
def test_nearly_every_word_of_real_articles_is_in_the_pages_text(name):
    corpus = find_corpus(Path(CORPORA) / name)
    found = wanted = 0
    for row in corpus.gold:
        gold = Counter(tokens(row.text))
        read = Counter(tokens("\n".join(Page(corpus.html(row.id)).blocks.texts)))
        found += (gold & read).total()
        wanted += gold.total()
    assert found / wanted >= 0.998
