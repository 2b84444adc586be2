"""Chinese word segmentation by jieba (Sun Junyi, MIT licence): the most probable split by a dictionary of frequencies.

With F(w) the frequency of a word and N their sum, the split w_1 ... w_k of a run of Han characters maximises sum
log(F(w_i) / N). By default jieba also joins single characters in a row by a hidden Markov model (`HMM`), which is good
for names; methods of papers take the dictionary alone.
"""

import re
import warnings
from collections.abc import Iterable
from functools import cache
from io import StringIO
from typing import Any

from newsextract.errors import NewsextractError
from newsextract.text import HAN, character_class, words_of

#: Splits a text into runs of Han characters (odd positions) and what is between them.
HAN_RUNS = re.compile(f"([{character_class(HAN)}]+)")
#: Characters in a row up to which the model is used: its time grows with their square. Beyond, the dictionary splits
#: alone. The longest run in our Chinese pages has fewer than 75.
LONGEST_MODELLED = 100


def words_in(text: str) -> list[str]:
    """The words of a text in any script, in order, lower-cased; Chinese by the dictionary alone."""
    words: list[str] = []
    for position, part in enumerate(HAN_RUNS.split(text)):
        words += chinese_tokenizer().cut(part, HMM=False) if position % 2 else words_of(part)
    return words


def split_run(tokenizer: Any, run: str) -> Iterable[str]:
    """The words of a run of Han characters by `jieba.Tokenizer`, unknown ones, too."""
    words: Iterable[str] = tokenizer.cut(run, HMM=len(run) <= LONGEST_MODELLED)
    return words


@cache
def chinese_tokenizer(user_words: str = "") -> Any:
    """`jieba.Tokenizer` with a user's words, without its cache: a pickle that anyone may write."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it imports pkg_resources
            import jieba
    except ImportError as error:
        raise NewsextractError("Chinese text needs the package jieba; install it with: pip install jieba") from error
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    tokenizer.load_userdict(StringIO(user_words))
    return tokenizer
