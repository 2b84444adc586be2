"""TSReC: what two pages share goes, common text and regular form alike, and the article stays."""

import numpy as np
import pytest

from newsextract.errors import PeerNeeded
from newsextract.extractors import make_extractor
from newsextract.extractors.paired import Paired
from newsextract.extractors.tsrec import TSReC, groups, starred
from newsextract.page import Page

FERRY = [
    "The ferry company will cut its evening service from October, the harbour master said on Tuesday after the vote.",
    "Passengers who commute from the islands had asked for a delay, but the board refused to wait for another report.",
    "A new timetable, with two crossings fewer on Sundays, hangs at the pier.",
]
BRIDGE = [
    "Engineers closed the old railway bridge on Friday when a routine inspection found cracks in two of its supports.",
    "Repairs may take until spring, the county engineer told reporters, and buses will replace the trains until then.",
]


def page(paragraphs: list[str], links: list[str], title: str = "A title", extra: str = "") -> Page:
    """A page of the one template: navigation, article, a list of links, footer."""
    items = "".join(f"<li><a href='/{number}'>{link}</a></li>" for number, link in enumerate(links))
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return Page(
        f"<head><title>{title}</title></head><body><div class=nav><a href=/>Home</a> <a href=/s>Sport</a></div>"
        f"<div><h1>{title}</h1>{body}</div>{extra}<ul>{items}</ul><div>Published by the Courier, Harbour Street 4</div>"
    )


def test_tsrec_drops_navigation_footer_and_link_lists_of_any_length() -> None:
    first = page(FERRY, ["Storm ahead", "Mayor resigns", "New school opens"], "Ferry cuts")
    second = page(BRIDGE, ["Rents rise", "A swan", "Tide tables", "Market day", "Letters"], "Bridge closed")
    assert TSReC()(first, second).text.split("\n") == ["Ferry cuts", *FERRY]


def test_tsrec_matches_list_of_one_link_with_list_of_several() -> None:
    text = TSReC()(page(FERRY, ["Only one"]), page(BRIDGE, ["One", "Two"])).text
    assert "Only one" not in text


def test_tsrec_keeps_long_text_in_regular_part() -> None:
    same_form = TSReC()(page(FERRY[:2], []), page(BRIDGE, []))
    assert same_form.text.split("\n")[-2:] == FERRY[:2]


def test_tsrec_leaves_out_hidden_text() -> None:
    menu = "<div style='display: none'>A popup menu, hidden until it is asked for by the reader of this very page</div>"
    assert "popup" not in TSReC()(page(FERRY, [], extra=menu), page(BRIDGE, [])).text


def test_groups_are_those_of_the_paper() -> None:
    sequence = Page("<body><div><p>a</p><p>b</p></div><p>c</p><div></div><div><h2>d</h2></div></body>").tag_sequence
    common = np.array([name == "body" or row == 1 for row, name in enumerate(sequence.names)])
    texts = [[sequence.contents[row] for row in group if sequence.contents[row]] for group in groups(sequence, common)]
    assert texts == [["a", "b"], ["c", "d"]]  # kin of one parent, with what lies within them


def test_starred_joins_repetition_and_single_links() -> None:
    item = (1, True)
    assert starred([item])[0] == starred([item, item, item])[0]
    plain = (1, False)
    assert starred([plain])[0] != starred([plain, plain])[0]


def test_tsrec_in_order_matches_later_groups_only() -> None:
    box, other = "<table><td>{}</td></table>", "<h4>{}</h4>"
    first = page(FERRY, [], extra=box.format("harbour news") + other.format("swan song"))
    second = page(BRIDGE, [], extra=other.format("bus lane") + box.format("tide table"))
    assert "swan song" not in TSReC()(first, second).text
    in_order = TSReC(in_order=True)(first, second).text
    assert ("harbour news" in in_order) != ("swan song" in in_order)


def test_tsrec_without_peer_raises_peer_needed() -> None:
    with pytest.raises(PeerNeeded, match="peer"):
        TSReC()(page(FERRY, []))


def test_tsrec_refuses_the_same_article_as_peer() -> None:
    first, again = page(FERRY, ["a"], "Ferry cuts"), page(FERRY, ["b", "c"], "Ferry cuts")
    with pytest.raises(PeerNeeded, match="same article"):
        TSReC()(first, again)
    assert all(paragraph in Paired()(first, again).text for paragraph in FERRY)
    assert Paired()(first, again).by == "econ"


def test_paired_names_the_method_it_used() -> None:
    assert Paired()(page(FERRY, []), page(BRIDGE, [])).by == "tsrec"
    assert Paired()(page(FERRY, [])).by == "econ"
    assert make_extractor("paired")(page(FERRY, [])).text
