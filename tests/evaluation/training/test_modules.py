"""Modules put into articles: the article stays whole, in the page's language, and captions only where gold has none."""

import random

from evaluation.corpora import Gold
from evaluation.training.augment import variant_with_modules
from evaluation.training.modules import WORDS, add_modules
from newsextract.page import Page

PARAGRAPHS = [
    f"Paragraph {word} of the article says what happened on the bridge." for word in "one two three four".split()
]
LINES = ["I think that the ferry is far too slow for the people of the island."] * 3
BODY = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)


def test_variant_with_modules_keeps_the_article_and_is_reproducible():
    html = f"<html lang=en><body><article><h1>Title</h1>{BODY}</article></body></html>".encode()
    grown = 0
    for number in range(40):
        gold = Gold(str(number), text="\n".join(PARAGRAPHS))
        made = variant_with_modules(html, gold, LINES)
        assert made == variant_with_modules(html, gold, LINES)
        if made is None:
            continue
        texts = Page(made).blocks.texts
        kept = [text for text in PARAGRAPHS if text in texts]
        assert kept == PARAGRAPHS[: len(kept)], "the article's beginning, in order"
        assert len(kept) >= 2
        grown += len(texts) > len(kept) + 1
    assert grown > 15


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
