"""The contract of all extractors: any page in, a well-formed choice of its blocks out; the registry."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import EXTRACTORS, Extraction, Extractor, Page
from newsextract.errors import PeerNeeded, UnknownExtractor, WrongOption
from newsextract.extractors import make_extractor
from newsextract.methods.econ import Econ
from newsextract.page.text_nodes import TextNodes
from tests.examples import examples
from tests.extractors.pages import (
    BRIDGE,
    CHINESE,
    CHINESE_PEER,
    ENGLISH,
    ENGLISH_PEER,
    HOSTILE,
    MARKER,
    PIECES,
    WATER,
    digest,
)

NAMES = sorted(EXTRACTORS)
every_extractor = pytest.mark.parametrize("name", NAMES)
PEER = Page(ENGLISH_PEER, "https://valleypost.example/harvest")
#: An extractor of each module, and each that walks the page in a way of its own; the others are settings of these.
FAMILIES = [name for name in NAMES if name not in {"cedp-ctd", "cedp-dsum", "cedp-td", "cedst-nc", "ceds"}]
#: Bound of CPU time on a page of HOSTILE, where one quadratic step takes longer.
SECONDS = 5.0


def letters(text: str) -> str:
    return "".join(text.split())


def check(extraction: Extraction, page: Page) -> None:
    """Assert what holds of any extraction of any page."""
    count = len(extraction.texts)
    assert len(extraction.origins) == len(extraction.chosen) == len(extraction.scores) == count
    assert all(len(column) == count for column in extraction.evidence.values())
    assert np.isfinite(np.asarray(extraction.scores, float)).all()
    assert extraction.confidence is None or 0 <= extraction.confidence <= 1
    blocks = extraction.blocks
    assert extraction.text == "\n".join(block.text for block in blocks if block.chosen)
    assert (np.diff(extraction.origins) >= 0).all(), "not in reading order"
    by_origin: dict[int, str] = {}
    for block, origin in zip(blocks, extraction.origins.tolist(), strict=True):
        assert block.text.strip()
        assert "\n" not in block.text
        by_origin[origin] = by_origin.get(origin, "") + letters(block.text)
    for origin, text in by_origin.items():
        remaining = iter(letters(page.blocks.texts[origin]))
        assert all(letter in remaining for letter in text), "text that its block does not have, or in another order"


def run(name: str, html: bytes | str, peer: Page = PEER) -> Extraction:
    page = Page(html)
    extraction = EXTRACTORS[name]()(page, peer)
    check(extraction, page)
    return extraction


@every_extractor
def test_extractor_has_name_and_paper_and_raises_peer_needed_only_if_declared(name):
    extractor = EXTRACTORS[name]
    assert extractor.name == name
    assert len(extractor.paper) > 20 and sys.modules[extractor.__module__].__doc__
    assert isinstance(extractor(), Extractor)
    if extractor.needs_peer:
        with pytest.raises(PeerNeeded):
            extractor()(Page(ENGLISH))
    else:
        check(extractor()(Page(ENGLISH)), Page(ENGLISH))


@every_extractor
def test_extraction_is_well_formed_and_without_hidden_text(name):
    for html in (ENGLISH, CHINESE, PIECES, PIECES + CHINESE):
        extraction = run(name, html)
        assert MARKER not in extraction.text
        for block in extraction.blocks:
            (element,) = extraction.page.tree.xpath(block.xpath)
            assert letters(block.text)[:20] in letters("".join(element.itertext()))


@every_extractor
@pytest.mark.parametrize(
    ("html", "peer", "paragraphs"), [(ENGLISH, ENGLISH_PEER, BRIDGE), (CHINESE, CHINESE_PEER, WATER)], ids=["en", "zh"]
)
def test_extraction_holds_most_of_a_plain_article(name, html, peer, paragraphs):
    text = run(name, html, Page(peer)).text
    extracted = sum(len(paragraph) for paragraph in paragraphs if letters(paragraph) in letters(text))
    # Topics alone lose paragraphs that share no two keywords with two others, as their paper says.
    assert extracted >= (1 / 3 if name == "cedst-tf" else 0.5) * sum(map(len, paragraphs))
    assert "Terms of use" not in text or len(text) < 2 * sum(map(len, paragraphs))


@every_extractor
def test_extraction_of_empty_page_is_empty_and_of_tiny_page_well_formed(name):
    for html in ("", " \n", "<!-- -->", "<p></p>", "<div>***</div>", f"<script>{MARKER}</script>"):
        extraction = run(name, html)
        assert (extraction.text, extraction.blocks, extraction.chosen_blocks) == ("", [], []), html
    for html in ("word", "<p>One line, only.</p>", "<p>a</p><p>b</p>", "<a href=x>link</a>", "1"):
        run(name, html)


SOUP = st.lists(
    st.sampled_from("<p> </p> <div> </div> <a> </a> <br> <b> <td> <table> <ul> <li> <h1> <title> 字。 字， ***".split())
    | st.sampled_from([*BRIDGE, *WATER, "Short.", " ", "\u00a0", "a b c"])
    | st.text(max_size=5),
    max_size=30,
).map("".join)


@every_extractor
@settings(max_examples=settings().max_examples // 2)
@given(html=SOUP | st.binary(max_size=150))
def test_extraction_of_any_tag_soup_or_bytes_is_well_formed(name, html):
    run(name, html)


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_extraction_of_hostile_page_takes_seconds(kind):
    page = Page(HOSTILE[kind])
    assert len(page.blocks) and len(page.view(TextNodes))
    for name in NAMES if kind == "siblings" else FAMILIES:
        start = time.process_time()
        extraction = EXTRACTORS[name]()(page, PEER)
        assert time.process_time() - start < SECONDS, (name, kind)
        assert len(extraction.texts)


def test_extraction_is_the_same_in_every_process():
    code = "from tests.extractors.pages import digest; print(digest())"
    env = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    other = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest()


@pytest.mark.parametrize(("name", "options", "message"), examples(__file__, "wrong"))
def test_make_extractor_refuses_wrong_options_and_says_what_is_right(name, options, message):
    with pytest.raises(WrongOption, match=message):
        make_extractor(name, options)


def test_make_extractor_imports_class_by_dotted_path():
    assert make_extractor("newsextract.methods.econ.Econ", {"repaired": True}) == Econ(repaired=True)
    for path in ("newsextract.nowhere.Nothing", "newsextract.items.Article", "os.path", ".x"):
        with pytest.raises(UnknownExtractor, match=r"newsextract|os|x"):
            make_extractor(path)
