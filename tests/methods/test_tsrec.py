"""TSReC: what two pages share goes, common text and regular form alike, and the article stays."""

import numpy as np
import pytest

from newsextract.errors import PeerNeeded
from newsextract.methods.common.tag_sequence import TagSequence
from newsextract.methods.paired import Paired
from newsextract.methods.tsrec import TSReC, groups, starred
from newsextract.page import Page
from tests.extractors.pages import BRIDGE, HARVEST, story

POPUP = "<div style='display: none'>A popup menu, hidden until it is asked for by the reader of this very page</div>"


def page(paragraphs: tuple[str, ...], *links: str, title: str = "A title", extra: str = "") -> Page:
    """A page of the one template: navigation, article, a list of links, footer."""
    items = "".join(f"<li><a href='/{number}'>{link}</a></li>" for number, link in enumerate(links))
    return Page(
        f"<head><title>{title}</title></head><body><div class=nav><a href=/>Home</a> <a href=/s>Sport</a></div>"
        f"<div><h1>{title}</h1>{story(*paragraphs)}</div>{extra}<ul>{items}</ul><div>Published by the Courier</div>"
    )


@pytest.mark.parametrize("links", [("Storm ahead", "Mayor resigns", "New school opens"), ("Only one",)])
def test_tsrec_drops_navigation_footer_hidden_text_and_link_lists_of_any_length(links):
    first = page((*BRIDGE, "A short end."), *links, title="Bridge closed", extra=POPUP)
    second = page(HARVEST, "Rents rise", "A swan", "Tide tables", "Market day", "Letters", title="Harvest")
    assert TSReC()(first, second).text.split("\n") == ["Bridge closed", *BRIDGE, "A short end."]


def test_tsrec_keeps_long_text_in_regular_part():
    same_form = TSReC()(page(BRIDGE[:3]), page(HARVEST))
    assert same_form.text.split("\n")[-3:] == list(BRIDGE[:3])


def test_groups_are_those_of_the_paper():
    page = Page("<body><div><p>a</p><p>b</p></div><p>c</p><div></div><div><h2>d</h2></div></body>")
    sequence = page.view(TagSequence)
    common = np.array([name == "body" or row == 1 for row, name in enumerate(sequence.names)])
    texts = [[sequence.contents[row] for row in group if sequence.contents[row]] for group in groups(sequence, common)]
    assert texts == [["a", "b"], ["c", "d"]]  # kin of one parent, with what lies within them


def test_starred_joins_repetition_and_single_links():
    item, plain = (1, True), (1, False)
    assert starred([item])[0] == starred([item, item, item])[0]
    assert starred([plain])[0] != starred([plain, plain])[0]


def test_tsrec_in_order_matches_later_groups_only():
    box, other = "<table><td>{}</td></table>", "<h4>{}</h4>"
    first = page(BRIDGE, extra=box.format("harbour news") + other.format("swan song"))
    second = page(HARVEST, extra=other.format("bus lane") + box.format("tide table"))
    assert "swan song" not in TSReC()(first, second).text
    in_order = TSReC(in_order=True)(first, second).text
    assert ("harbour news" in in_order) != ("swan song" in in_order)


def test_tsrec_refuses_the_same_article_as_peer_and_paired_then_takes_econ():
    first, again = page(BRIDGE, "a", title="Bridge"), page(BRIDGE, "b", "c", title="Bridge")
    with pytest.raises(PeerNeeded, match="same article"):
        TSReC()(first, again)
    assert all(paragraph in Paired()(first, again).text for paragraph in BRIDGE)
    assert [Paired()(first, peer).by for peer in (again, None, page(HARVEST))] == ["econ", "econ", "tsrec"]
