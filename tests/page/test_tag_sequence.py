"""The page as a tag sequence with region codes."""

from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page


def test_tag_sequence_region_codes_are_as_in_the_paper():
    sequence = Page("<body><div>a</div><div>b<p>c</p></div></body>").tag_sequence
    rows = zip(sequence.names, sequence.begin, sequence.end, sequence.parent, sequence.level, strict=True)
    assert [(name, *map(int, codes)) for name, *codes in rows] == [
        ("body", 1, 8, 0, 1),
        ("div", 2, 3, 1, 2),
        ("div", 4, 7, 1, 2),
        ("p", 5, 6, 4, 3),
    ]


def test_tag_sequence_inline_tags_are_content():
    sequence = Page("<body><p>one <a href=x>two</a><br>three</p></body>").tag_sequence
    assert sequence.names == ["body", "p"]
    assert sequence.contents == ["", "one two three"]
    assert sequence.inner == ["", "#<a>#<br>#"]
    assert sequence.linked.tolist() == [0, 3]


def test_tag_sequence_cells_are_rows_and_table_rows_are_not():
    sequence = Page("<body><table><tr><td>a</td><td>b</td></tr></table></body>").tag_sequence
    assert [name for name in sequence.names if name != "tbody"] == ["body", "table", "td", "td"]


@given(st.lists(st.sampled_from("<p> </p> <div> </div> <b> </b> <td> <br> <ul> <li> word".split()), max_size=40))
def test_tag_sequence_regions_nest_as_elements_do(parts):
    sequence = Page("".join(parts)).tag_sequence
    elements = list(zip(sequence.elements, sequence.begin, sequence.end, strict=True))
    assert (sequence.begin < sequence.end).all()
    for outer, begin, end in elements:
        above = {id(e) for e in outer.ancestors}
        for inner, first, last in elements:
            assert (begin < first and last < end) == (outer in list(inner.ancestors))
            assert not (first < begin and end < last) or id(inner) in above
