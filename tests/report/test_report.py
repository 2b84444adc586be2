"""The content of a report: fields, blocks, evidence, curve, and the comparison of extractors."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from lxml import html

import newsextract
from newsextract import EXTRACTORS, Page, extract
from newsextract.demo import Site
from newsextract.errors import PageError, StorageError
from newsextract.report import comparison, render_report, write_report

SENTENCE = "The council met on Tuesday, talked for two hours, and decided nothing at all."


@dataclass(frozen=True)
class Strange:
    """Scores that aren't numbers, or beyond all others."""

    name, paper, needs_peer = "strange", "none", False

    def __call__(self, page, peer=None):
        scores = np.resize(np.array([float("nan"), float("inf"), float("-inf"), 1e300]), len(page.blocks))
        return newsextract.Extraction.of_blocks(page, scores > 0, scores, evidence={"<b>": scores})


@pytest.fixture(scope="module")
def story() -> tuple[Page, Page]:
    """Two articles of one template of the demonstration site."""
    site, base = Site(), "https://courier.example"
    paths = [gold.path for gold in site.gold() if gold.template == "broadsheet"]
    first, second = (Page(site.page(path, base=base).body, base + path) for path in (paths[2], paths[5]))
    return first, second


def report(page, extractor="fusion", **more):
    return html.fromstring(render_report(page, "story.html", extractor=extractor, **more))


def text_of(root, path):
    return [" ".join(node.text_content().split()) for node in root.xpath(path)]


@pytest.fixture(scope="module")
def peer_report(story):
    return report(story[0], peer=story[1], peer_name="the other.html")


@pytest.fixture(scope="module")
def extraction(story):
    """What the report's extractor chooses."""
    return EXTRACTORS["fusion"]()(*story)


def test_report_lists_every_block_and_marks_those_kept_and_those_of_the_body(extraction, peer_report, story):
    assert text_of(peer_report, "//bdi[@class='says']") == [" ".join(text.split()) for text in extraction.texts]
    kept = peer_report.xpath("//details[contains(@class, 'block')][not(contains(@class, 'left'))]/@id")
    assert {int(name[1:]) - 1 for name in kept} == set(np.flatnonzero(extraction.chosen).tolist())
    body = text_of(peer_report, "//details[contains(@class, ' body ')]//bdi[@class='says']")
    assert body == extract(story[0], extractor="fusion", peer=story[1]).article_body.splitlines()


def test_report_begins_with_the_first_kept_block_and_folds_what_is_around(extraction, peer_report):
    blocks = extraction.blocks
    kept = [number for number, block in enumerate(blocks, 1) if block.chosen]
    shown = [int(name[1:]) for name in peer_report.xpath("//div[@id='blocks']/details[@id]/@id")]
    assert shown == [*range(kept[0], kept[-1] + 1)]
    folded = [int(name[1:]) for name in peer_report.xpath("//details[@class='rest']/details/@id")]
    assert folded == [*range(1, kept[0]), *range(kept[-1] + 1, len(blocks) + 1)]
    assert not peer_report.xpath("//details[@class='rest']/@open")
    assert f"{kept[0] - 1} blocks above the first one kept" in text_of(peer_report, "//details[@class='rest']/summary")


def test_report_marks_as_text_what_the_article_has_as_text():
    lines = "".join(f"<p>{SENTENCE} {number}</p>" for number in range(8))
    dek = "It met a second time on Friday."
    data = f'{{"@type":"NewsArticle","alternativeHeadline":"{dek}","articleBody":"{8 * SENTENCE}"}}'
    page = Page(
        f"<html lang=en><head><script type=application/ld+json>{data}</script></head>"
        f"<body><article><h1>Council meets</h1><p>{dek}</p>{lines}</article></body></html>"
    )
    root = report(page)
    body = text_of(root, "//details[contains(@class, ' body ')]//bdi[@class='says']")
    assert body == extract(page).article_body.splitlines()
    assert dek not in body


def test_report_shows_weights_masses_and_conflict_of_a_block(extraction, peer_report):
    block = extraction.blocks[24]
    rows = peer_report.xpath("//details[@id='b25']//table[@class='evidence']//tr")
    shown = {row[0].text: float(row[2].text) for row in rows}
    assert "peer" in shown
    assert {row.find(".//rect").get("class") for row in rows if row[2].text.startswith("-")} == {"other"}
    [figures] = text_of(peer_report, "//details[@id='b25']//p[@class='figures']")
    names = ("m(news)", "m(unknown)", "m(not news)", "conflict")
    shown |= {name: float(figures.partition(f"{name} ")[2][:5]) for name in names}
    assert shown == {name: pytest.approx(value, abs=0.006) for name, value in block.evidence.items()}


def test_report_head_lists_fields_with_their_sources(story, peer_report):
    article = extract(story[0], extractor="fusion", peer=story[1])
    table = peer_report.xpath("//table[@class='fields']//tr")
    rows = {row[0].text: (row[1].text_content(), row[2].text) for row in table}
    assert rows["headline"] == (article.headline, article.sources["headline"])
    assert rows["authors"] == (" · ".join(article.authors), article.sources["authors"])
    assert rows["date_published"][0] == article.date_published.isoformat(" ")
    assert peer_report.xpath("//h1")[0].text_content() == article.headline
    assert peer_report.xpath("//header//a/@href") == [story[0].url]


def test_curve_has_a_point_per_block_and_the_threshold_separates_them(extraction, peer_report):
    points = peer_report.xpath("//svg[@class='plot']//circle")
    assert len(points) == len(extraction.scores)
    [line] = peer_report.xpath("//svg[@class='plot']//path[@class='threshold']/@d")
    height = float(re.match(r"M[\d.]+ ([\d.]+)H", line).group(1))
    for point, score in zip(points, extraction.scores.tolist(), strict=True):
        assert (float(point.get("cy")) <= height) == (score >= 0.5)
    assert peer_report.xpath("//svg[@class='plot']//a/@href") == [f"#b{number}" for number in range(1, len(points) + 1)]


def test_comparison_has_a_column_for_every_extractor(story, peer_report):
    names = text_of(peer_report, "//table[@class='matrix']//thead//th/span")[:-1]
    assert names[0] == "fusion"
    assert sorted(names) == sorted(EXTRACTORS)
    totals = dict(zip(names, text_of(peer_report, "//tr[@class='totals'][2]/td"), strict=False))
    for name in ("econ", "tsrec", "cetd"):
        assert int(totals[name]) == len(EXTRACTORS[name]()(*story).chosen_blocks)


def test_comparison_folds_runs_of_unkept_blocks_and_loses_none(story, peer_report):
    covered = 0
    for line in peer_report.xpath("//table[@class='matrix']//tbody/tr[not(@class='totals')]"):
        folded = re.search(r"⋯ (\d+) that", line.text_content())
        covered += int(folded.group(1)) if folded else 1
        assert folded or int(line[-1].text) > 0
    assert covered == len(story[0].blocks)


def test_comparison_names_extractors_that_need_a_peer_without_one_and_links_lead_nowhere(story):
    text = render_report(story[0], "a", extractor="fusion")
    root = html.fromstring(text)
    assert "tsrec" not in text_of(root, "//thead//th/span")
    assert "tsrec (needs a peer" in text_of(root, "//p[@class='silent']")[0]
    assert not re.search(r"\bsrc=|url\(|@import|<link", text)
    assert [link for link in root.xpath("//@href") if not link.startswith("#")] == [story[0].url]
    [policy] = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy


def test_report_draws_nan_and_infinite_scores(story):
    text = render_report(story[0], "a", extractor="tests.report.test_report.Strange")
    assert not re.search(r'="[^"]*\b(nan|inf)\b', text) and "&lt;b&gt;" in text


def test_report_limits_rows_and_points_of_a_huge_page(monkeypatch):
    monkeypatch.setattr(comparison, "EXTRACTORS", {"cetr": EXTRACTORS["cetr"]})
    page = Page(f"<body>{''.join(f'<p>{SENTENCE} {n}</p>' for n in range(2_100))}</body>")
    text = render_report(page, "a", extractor="cetr")
    root = html.fromstring(text)
    assert "The last 100 of the page's 2100 blocks are not listed" in " ".join(root.text_content().split())
    assert len(root.xpath("//details[starts-with(@class, 'block')]")) == 2_000
    assert len(root.xpath("//svg[@class='plot']//circle")) == 1_000

    text = render_report(Page(f"<p>{SENTENCE * 5_000}</p>"), "a", extractor="cetr")
    assert len(text) < 200_000 and "more characters" in text, "a huge block is cut"


def test_report_shows_bidirectional_control_characters_by_code_point(story):
    html = f"<p>{SENTENCE} \u202eevil\u202c and \u2067more\u2069 {SENTENCE}</p>"
    text = render_report(Page(html, "https://example.org/\u202egpj.exe"), "a\u202eb", extractor="econ")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", re.sub(r'href="[^"]*"', "", text))
    assert "⟨U+202E⟩evil" in text


def test_report_of_a_page_without_text_is_refused():
    with pytest.raises(PageError, match=r"empty\.html"):
        render_report(Page(b""), "empty.html")


def test_write_report_writes_any_text_and_refuses_names_that_no_file_can_have(tmp_path):
    write_report("new \ud800", tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "new ?"
    for name in ("a" * 300, "a\0b"):
        with pytest.raises(StorageError, match="can't be written"):
            write_report("lost", tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
