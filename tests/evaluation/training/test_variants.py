"""Variants of labelled pages: the article stays whole, in its language, and captions come only where gold has none."""

import random

import pytest

from evaluation.corpora import Gold
from evaluation.training.augment import variant, variant_with_modules
from evaluation.training.modules import WORDS, add_modules
from newsextract.page import Page

PARAGRAPHS = [
    f"Paragraph {word} of the article says what happened on the bridge." for word in "one two three four".split()
]
LINES = ["I think that the ferry is far too slow for the people of the island."] * 3
BODY = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)


@pytest.mark.parametrize("make", [variant, variant_with_modules])
def test_variant_keeps_the_beginning_of_the_article_and_is_reproducible(make):
    head = "<head><script>a < b</script></head>"
    html = f"<html lang=en>{head}<body><article class=story><h1>Title</h1>{BODY}</article></body></html>".encode()
    made = [make(html, Gold(str(number), text="\n".join(PARAGRAPHS)), LINES) for number in range(40)]
    assert made == [make(html, Gold(str(number), text="\n".join(PARAGRAPHS)), LINES) for number in range(40)]
    variants = [page for page in made if page]
    assert len(variants) > 15 and html not in variants
    for page in variants:
        text = " ".join(Page(page).blocks.texts)
        kept = [paragraph for paragraph in PARAGRAPHS if paragraph in text]
        assert kept and kept == PARAGRAPHS[: len(kept)], "the article's beginning, in order"


def test_modules_are_in_the_language_of_the_page():
    page = Page(f"<html lang='de-AT'><body><article>{BODY}</article></body></html>")
    for seed in range(20):
        add_modules(page, range(len(PARAGRAPHS)), LINES, random.Random(seed))
    added = " ".join(Page(page.tree.node.html).blocks.texts)
    assert any(text in added for text in WORDS["de"]["prompt"])
    assert not any(text in added for text in WORDS["fr"]["prompt"])


def test_captions_are_added_only_where_the_gold_leaves_out_those_of_the_page():
    caption = "<figure><img src=x.jpg><figcaption>The bridge in the morning light.</figcaption></figure>"
    for gold_rows, expected in ((range(1, 5), True), (range(5), False)):
        page = Page(f"<body><article>{caption}{BODY}</article></body>")
        for seed in range(40):
            add_modules(page, gold_rows, LINES, random.Random(seed))
        assert (b"picture.jpg" in page.tree.node.html.encode()) is expected
