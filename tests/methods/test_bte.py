"""BTE: most words, fewest tags."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.methods.bte import BTE, _best_nodes
from tests.extractors.pages import between_menus

#: A page as a sequence of tags and words, True for a tag.
TOKENS = st.lists(st.booleans(), max_size=30)


def brute_force(is_tag):
    """The largest value over all intervals."""
    return max(value(is_tag, i, j) for i in range(len(is_tag) + 1) for j in range(i, len(is_tag) + 1))


def value(is_tag, i, j):
    """The paper's sum for an interval."""
    return sum(is_tag[:i]) + sum(not tag for tag in is_tag[i:j]) + sum(is_tag[j:])


@given(TOKENS)
def test_bte_interval_equals_brute_force(is_tag):
    runs = [match.span() for match in re.finditer("w+", "".join("t" if tag else "w" for tag in is_tag))]
    tags = [begin - end for (_, end), (begin, _) in pairwise(runs)]
    first, last = _best_nodes([end - begin for begin, end in runs], tags)
    i, j = (runs[first][0], runs[last - 1][1]) if last > first else (0, 0)
    assert value(is_tag, i, j) == brute_force(is_tag)


def test_bte_leaves_out_menus_around_the_article():
    first = "The council met on Monday to decide about the bridge over the river"
    second = "It will be closed from March until the end of the year, the mayor said"
    page = Page(between_menus(f"<p>{first}</p><p>Short</p><p>{second}</p>"))
    assert BTE()(page).text.splitlines() == [first, "Short", second]


def test_bte_leaves_out_chinese_menu_and_ignores_script_between_paragraphs():
    menu = "".join(f"<ul><li><a href=/{n}><b>新闻</b></a></li></ul>" for n in range(9))
    story = "市政府星期一决定明年三月起关闭大桥进行维修工程预计年底完成"
    assert BTE()(Page(f"<body>{menu}<p>{story}</p></body>")).text == story
    script = "<script>" + "<b></b>" * 100 + "</script>"
    page = Page(f"<body><p>one two three four five</p>{script}<p>six seven eight nine ten</p></body>")
    assert BTE()(page).text.splitlines() == ["one two three four five", "six seven eight nine ten"]
