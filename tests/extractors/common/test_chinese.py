"""Chinese word segmentation: words by the dictionary, and of text in several scripts."""

import pytest

from newsextract.extractors.common.chinese import words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The 长江大桥 opens", ["the", "长江大桥", "opens"]),
        ("关闭长江大桥2020年", ["关闭", "长江大桥", "2020", "年"]),
        ("\U00020000\U00020001", ["\U00020000", "\U00020001"]),  # characters without an entry stay single
    ],
)
def test_words_in_splits_text_of_any_script(text, words):
    assert words_in(text) == words
