"""Chinese word segmentation: words by the dictionary, with a user's words, and of text in several scripts."""

import pytest

from newsextract.extractors.common.chinese import chinese_tokenizer, words_in

STORY = "市政府星期一宣布从明年三月起关闭长江大桥进行维修"


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


def test_tokenizer_takes_the_words_of_a_user():
    words = chinese_tokenizer("市政府星期一\n关闭长江 20 nz\n进行 0\n\n").lcut(STORY)
    assert "市政府星期一" in words and "进行" not in words
    assert "市政府星期一" not in chinese_tokenizer().lcut(STORY)
    assert "".join(words) == STORY
