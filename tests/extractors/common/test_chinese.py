"""Chinese word segmentation: the same words as jieba, with and without its model of unknown words."""

import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.chinese import chinese_segmenter, words_in

STORY = "市政府星期一宣布从明年三月起关闭长江大桥进行维修预计工程年底完成居民表示支持这项决定小明硕士王晓波说"
USER_WORDS = "市政府星期一\n关闭长江 20 nz\n预计 0\n表示支持 1000000 n\n居民表示支持 3\n\n"


@pytest.fixture(scope="module")
def jieba_tokenizer(tmp_path_factory):
    """jieba with its cache in a folder of the test's own."""
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = str(tmp_path_factory.mktemp("jieba"))
    tokenizer.initialize()
    return tokenizer


@given(st.lists(st.sampled_from([STORY[i : i + n] for i in range(len(STORY)) for n in (1, 2, 5)]), max_size=8))
def test_segmenter_gives_the_words_of_jieba(jieba_tokenizer, pieces):
    text = "".join(pieces)
    segmenter = chinese_segmenter()
    assert segmenter.cut(text) == jieba_tokenizer.lcut(text, HMM=False)
    assert list(segmenter.cut_with_unknown_words(text)) == jieba_tokenizer.lcut(text)


def test_segmenter_with_user_words_gives_the_words_of_jieba(jieba_tokenizer, tmp_path):
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total, tokenizer.initialized = dict(jieba_tokenizer.FREQ), jieba_tokenizer.total, True
    (tmp_path / "words.txt").write_text(USER_WORDS, "utf-8")
    tokenizer.load_userdict(str(tmp_path / "words.txt"))
    segmenter = chinese_segmenter().with_user_words(USER_WORDS)
    words = list(segmenter.cut_with_unknown_words(STORY))
    assert words == tokenizer.lcut(STORY)
    assert {"市政府星期一", "表示支持"} <= set(words) and "预计" not in words
    assert "市政府星期一" not in chinese_segmenter().cut(STORY)


def test_words_in_splits_mixed_text_and_keeps_characters_without_an_entry_single():
    assert words_in("The 长江大桥 opens") == ["the", "长江大桥", "opens"]
    assert chinese_segmenter().cut("\U00020000\U00020001") == ["\U00020000", "\U00020001"]
