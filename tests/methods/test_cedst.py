"""CEDST: topic, cluster, variance and hyperlink, fused and parted."""

from math import prod

import pytest

from newsextract import Page
from newsextract.methods.cedst import CEDST, CEDSTNC, CEDSTTF
from tests.extractors.pages import between_menus, story

#: Four paragraphs about one thing, of different lengths.
STORY = [
    "The harbour bridge in Kingsport is closed from Monday, and repair of the harbour bridge takes a year.",
    "Engineers found cracks in the harbour bridge.",
    "Ferries of the Kingsport harbour company carry commuters while the harbour bridge is closed to traffic.",
    "The repair of the harbour bridge is paid by Kingsport.",
]
CHINESE = [
    "长江大桥星期一起关闭维修，市政府表示工程预计年底完成。",
    "工程师发现长江大桥出现裂缝，维修工程由市政府负责。",
] * 2


def of(texts: list[str]) -> str:
    """A page with these paragraphs between menus whose items have one word in common, thus no topic."""
    return between_menus(story(*texts)).replace("Menu item", "Section")


HTML = of(STORY)


@pytest.mark.parametrize("extractor", [CEDST(), CEDSTNC(), CEDSTTF()])
def test_cedst_chooses_paragraphs_of_one_parent_and_topic(extractor):
    lines = extractor(Page(HTML)).text.splitlines()
    assert lines == STORY if extractor.name != "cedst-tf" else set(STORY) <= set(lines)
    assert extractor(Page("<p>Only one text.</p>")).text == "Only one text.", "few texts aren't parted"


def test_cedst_scores_long_noise_of_another_topic_lower():
    noise = [f"Subscribe now, get number {n} and a lovely cup of tea from our partners in the hills." for n in "abc"]
    html = HTML.replace("</body>", "".join(f"<section><p>{text}</p></section>" for text in noise[:2]) + "</body>")
    fused = {block.text: block.evidence["fused"] for block in CEDST()(Page(html)).blocks}
    without = {block.text: block.evidence["fused"] for block in CEDSTNC()(Page(html)).blocks}
    assert min(fused[text] - without[text] for text in STORY) >= 0
    assert max(fused[text] - without[text] for text in noise[:2]) == 0


def test_cedst_features_are_those_of_the_paper():
    html = "<div><p>one two</p><p>one two three four</p></div><section><p>six <a href=/>words</a></p></section>"
    first, second, third = CEDST()(Page(html)).blocks
    assert (first.evidence["cluster"], third.evidence["cluster"]) == (1, pytest.approx(2 / 6))
    assert (first.evidence["variance"], second.evidence["variance"], third.evidence["variance"]) == (1, 1, 0)
    assert (first.evidence["hyperlink"], third.evidence["hyperlink"]) == (0, pytest.approx(5 / 9))
    assert first.evidence["topic"] == 0


def test_cedst_fuses_evidence_by_dempsters_rule():
    for block in CEDST()(Page(HTML)).blocks:
        p = 1 - prod(1 - 0.99 * block.evidence[name] for name in ("topic", "cluster", "variance"))
        q = 0.99 * block.evidence["hyperlink"]
        assert block.evidence["fused"] == pytest.approx(p * (1 - q) / (1 - p * q))


def test_cedst_extracts_chinese_article_by_its_words():
    extraction = CEDST()(Page(of(CHINESE)))
    assert extraction.text.splitlines() == CHINESE
    assert max(block.evidence["topic"] for block in extraction.blocks if block.chosen) == 1
