"""BTE: most words, fewest tags."""

import re

from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.extractors.bte import BTE, _best_nodes

#: A page as a sequence of tags and words, True for a tag.
TOKENS = st.lists(st.booleans(), max_size=30)


def brute_force(is_tag):
    """The largest value of the paper's sum over all intervals."""
    n = len(is_tag)
    return max(
        (
            sum(is_tag[:i]) + sum(not tag for tag in is_tag[i:j]) + sum(is_tag[j:])
            for i in range(n + 1)
            for j in range(i, n + 1)
        ),
        default=0,
    )


@given(TOKENS)
def test_bte_interval_equals_brute_force(is_tag):
    runs = re.findall("w+", "".join("t" if tag else "w" for tag in is_tag))
    starts = [match.start() for match in re.finditer("w+", "".join("t" if tag else "w" for tag in is_tag))]
    ends = [start + len(run) for start, run in zip(starts, runs, strict=True)]
    tags = [start - end for start, end in zip(starts[1:], ends, strict=False)]
    first, last = _best_nodes([len(run) for run in runs], tags)
    i, j = (starts[first], ends[last - 1]) if last > first else (0, 0)
    value = sum(is_tag[:i]) + sum(not tag for tag in is_tag[i:j]) + sum(is_tag[j:])
    assert value == brute_force(is_tag)


def test_bte_leaves_out_menus_around_the_article():
    menu = "<ul>" + "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(20)) + "</ul>"
    first = "The council met on Monday to decide about the bridge over the river"
    second = "It will be closed from March until the end of the year, the mayor said"
    page = Page(f"<body>{menu}<p>{first}</p><p>Short</p><p>{second}</p>{menu}</body>")
    assert BTE()(page).text.splitlines() == [first, "Short", second]


def test_bte_ignores_script_between_paragraphs():
    script = "<script>" + "<b></b>" * 100 + "</script>"
    page = Page(f"<body><p>one two three four five</p>{script}<p>six seven eight nine ten</p></body>")
    assert BTE()(page).text.splitlines() == ["one two three four five", "six seven eight nine ten"]


def test_bte_leaves_out_chinese_menu():
    menu = "".join(f"<ul><li><a href=/{n}><b>新闻</b></a></li></ul>" for n in range(9))
    story = "市政府星期一决定明年三月起关闭大桥进行维修工程预计年底完成"
    assert BTE()(Page(f"<body>{menu}<p>{story}</p></body>")).text == story
