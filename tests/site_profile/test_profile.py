"""Profiles of sites: summaries of pages, decisions by all of a site's pages, what people see of it."""

import random
import struct
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.article.extract import read_article
from newsextract.extractors import make_extractor
from newsextract.page import Page
from newsextract.site_profile import Decision, PageSummary, SiteProfile, block_sentences, decide, decide_all
from newsextract.site_profile.batch import Batch
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.site_profile.model import MOST_FOR
from newsextract.site_profile.overview import KnownPage, find_furniture, group_by_address, group_by_template
from newsextract.site_profile.snapshot import build_profile
from newsextract.site_profile.summary import UNDATED
from tests.crawling import article, front
from tests.examples import examples

EXTRACTOR = make_extractor("fusion")
TOWNS = ("Ash", "Birch", "Cedar", "Dale", "Elm", "Fern", "Grove", "Hill", "Isle", "Juniper", "Knoll", "Lake", "Moor")
NOTICE = "<p>This paper is printed in the county town, and whoever wants to help it can buy a subscription today.</p>"


def paragraphs(town: str) -> str:
    return "".join(
        f"<p>In {town} the council met in week {week}, and it decided that the bridge number {week} of {town} is to be"
        f" repaired before the winter comes to {town} and its {week} mills.</p>"
        for week in range(2, 8)
    )


def article_html(town: str, below: str = "") -> str:
    return (
        f"<title>Bridges of {town}</title><body class=single><article><h1>Bridges of {town}</h1>{paragraphs(town)}"
        f"{NOTICE}</article>{below}</body>"
    )


def list_html(towns: tuple[str, ...]) -> str:
    """A list that has the first paragraph of each article, and as much as a whole article of text."""
    leads = ((town, paragraphs(town).split("</p>")[0]) for town in towns)
    posts = "".join(f"<h2><a href='/{town}'>Bridges of {town}</a></h2>{lead}</p>" for town, lead in leads)
    return f"<title>All posts</title><body class=archive>{posts}</body>"


def read(path: str, html: str, site: SiteProfile | None = None, anchor_text: str | None = None) -> ExtractedArticle:
    page = Page(html, f"http://paper.example{path}", anchor_text=anchor_text)
    return read_article(page, EXTRACTOR, site=site)


def summary_of(path: str, html: str) -> PageSummary:
    return read(path, html).summary


@pytest.fixture(scope="module")
def summaries() -> list[PageSummary]:
    """Thirteen articles and three lists."""
    articles = [summary_of(f"/2026/bridges-of-{town.lower()}/", article_html(town)) for town in TOWNS]
    lists = [summary_of(f"/page/{number}/", list_html(TOWNS[number : number + 5])) for number in (2, 3, 4)]
    return articles + lists


@pytest.fixture(scope="module")
def profile(summaries) -> SiteProfile:
    return SiteProfile.build(summaries)


def test_profile_of_a_few_pages_only_tells_which_short_lines_most_articles_have():
    weather = [
        (f"/2026/{town.lower()}/", article_html(town).replace("<p>In", f"<p class=x>Today {number} degrees<p>In", 1))
        for number, town in enumerate(TOWNS[:7])
    ]
    assert build_profile([summary_of(*page) for page in weather[:5]]) is None
    few = build_profile([summary_of(*page) for page in weather])
    for page in weather:
        alone, of_few = read(*page), read(*page, few)
        assert of_few.article_body == "\n".join(alone.article_body.split("\n")[1:])
        assert of_few.is_article == alone.is_article


def test_decisions_are_the_same_one_by_one_and_in_any_order(summaries, profile):
    shuffled = SiteProfile.build(random.Random(5).sample(summaries, len(summaries)))
    for summary, together in zip(summaries, decide_all(summaries, profile), strict=True):
        alone = decide(summary, shuffled)
        assert (alone.is_article, alone.chosen) == (together.is_article, together.chosen)
        assert alone.log_odds == pytest.approx(together.log_odds)


def test_lists_are_told_from_articles_and_a_front_page_stays_one(summaries, profile):
    assert [one.is_article for one in decide_all(summaries, profile)] == [True] * 13 + [False] * 3
    front = summary_of("/", list_html(TOWNS[:4]))
    assert front.reason == "front" and not decide(front, profile).is_article


def test_page_that_was_read_with_a_profile_is_read_alone_as_before(profile):
    page = Page(article_html(TOWNS[0]), "http://paper.example/2026/bridges/")
    alone, on_site, again = (read_article(page, EXTRACTOR, site=site) for site in (None, profile, None))
    assert again == alone and on_site.decision.log_odds != alone.decision.log_odds == again.decision.log_odds


def test_article_keeps_its_text_where_many_pages_show_it_below_their_own():
    story = "<div class=next><h2><a href=/2026/bridges-of-{}/>Bridges of {}</a></h2>{}</div>"
    shown = "".join(story.format(town.lower(), town, paragraphs(town)) for town in ("Ash", "Birch"))
    pages = [
        summary_of(f"/2026/bridges-of-{town.lower()}/", article_html(town, shown if town in TOWNS[2:10] else ""))
        for town in TOWNS
    ]
    site = SiteProfile.build(pages)
    ash = pages[0]
    weights = decide(ash, site).weights[ash.rows["flags"] >> 4 >= 7]
    assert weights.size >= 6 and (weights[:6] >= 0).all()
    cedar = read("/2026/bridges-of-cedar/", article_html("Cedar", shown), site)
    assert "In Cedar" in cedar.article_body and "In Ash" not in cedar.article_body


@pytest.mark.parametrize(
    ("entry", "blog", "is_linked"),
    [
        ("?entry={}", "{}1207", True), ("/e{}", "{}1207", True), ("-entry-{}", "{}1207", True),
        ("?entry={}", "tonight", False), ("?entry=part-{}", "tonight", False), ("/part-{}", "tonight", False),
    ],
)  # fmt: skip
def test_entries_of_a_live_blog_are_no_other_pages_with_its_text(entry, blog, is_linked):
    """Each entry has a link of its own, which shows the whole blog. `is_linked`: the blog has one, too."""
    pages = []
    for town in TOWNS[:3]:
        path, posts = f"/live/{town.lower()}-{blog.format(len(town))}", enumerate(paragraphs(town).split("</p>")[:-1])
        links = {f"{path}{entry.format(number)}": f"Part {number} of {town}" for number in range(6)}
        headings = [f"<h2><a href='{url}'>{title}</a></h2>" for url, title in links.items()]
        body = "".join(f"{headings[number]}{post}</p>" for number, post in posts)
        html = (
            f"<title>Vote in {town}</title><article><h1>Vote in {town}</h1><time datetime=2026-05-05>{body}</article>"
        )
        told = {path: None, **links} if is_linked else dict([*links.items()][1:])
        pages += [read(url, html, anchor_text=title).summary for url, title in told.items()]
    site = SiteProfile.build(pages)
    assert len(site) == 3
    decisions = decide_all(pages, site)
    assert all(one.is_article for one in decisions)
    assert {one.chosen_rows(len(page.rows)).sum() >= 6 for page, one in zip(pages, decisions, strict=True)} == {True}


def test_short_page_among_articles_is_an_article(summaries, profile):
    note = summary_of("/2026/bridges-of-nook/", "<body class=single><article><h1>Nook</h1><p>Open.</p></article>")
    assert note.reason is not None
    assert decide(replace(note, template=summaries[0].template), profile).is_article


@pytest.mark.parametrize(("of_articles", "of_page", "link_text", "reason"), examples(__file__, "menu"))
def test_page_in_the_menu_is_no_article_where_only_it_is_undated(of_articles, of_page, link_text, reason):
    menu = "<ul><li><a href='/'>Home</a></li><li><a href='/mills/'>Our mills</a></li></ul>"

    def summary(path: str, town: str, date: str, link_text: str) -> PageSummary:
        html = article_html(town).replace("<article>", f"{menu}<article>{date}")
        return read(path, html, anchor_text=link_text).summary

    articles = [summary(f"/2026/bridges-of-{town}/", town, of_articles, f"Bridges of {town}") for town in TOWNS]
    page = summary("/mills/", "Nook", of_page, link_text)
    profile = SiteProfile.build([*articles, page, *articles])
    assert [one.reason for one in decide_all([page, *articles], profile)] == [reason, *[None] * len(articles)]
    assert decide(page, profile).reason == reason


def test_text_of_another_article_is_left_out(profile):
    path, html = "/2026/bridges-of-oak/", article_html("Oak", f"<h1>Bridges of Ash</h1>{paragraphs('Ash')}")
    alone, article = read(path, html), read(path, html, profile)
    assert "mills" in article.article_body and "Ash" not in article.article_body
    assert article.is_article and len(article.article_body) <= len(alone.article_body)


def test_repetition_that_a_page_leaves_out_stays_out_whatever_the_site_says():
    standfirst = "<p class={}>Every town of the county mends its bridges this year, the council said on Monday.</p>"
    html = "<title>Bridges of Oak</title><body class=single><article><h1>Bridges of Oak</h1>{}{}{}</article></body>"
    html = html.format(standfirst.format("for-phones"), standfirst.format("for-screens"), paragraphs("Oak"))
    batch = Batch([summary_of("/2026/bridges-of-oak/", html)])
    left_out = batch.decided[(batch.repetitions > 0) & ~batch.chosen]
    assert len(left_out) == 1 and left_out[0] + MOST_FOR < 0


def test_profile_of_one_page_and_of_none_changes_nothing(summaries):
    alone = decide(summaries[0])
    assert decide(summaries[0], SiteProfile.build([])) == alone
    one = decide(summaries[0], SiteProfile.build(summaries[:1]))
    assert (one.is_article, one.chosen) == (alone.is_article, alone.chosen)


def test_site_whose_pages_share_everything_keeps_text():
    copies = [summary_of(f"/2026/bridges-{number}/", article_html("Ash")) for number in range(20)]
    for decision, summary in zip(decide_all(copies, SiteProfile.build(copies)), copies, strict=True):
        assert not decision.is_article or decision.chosen_rows(len(summary.rows)).any()


def test_decision_is_the_same_after_bytes_and_back(summaries, profile):
    decision = decide(summaries[0], profile)
    again = Decision.from_bytes(decision.to_bytes())
    assert (again.is_article, again.chosen) == (decision.is_article, decision.chosen)
    for data in (b"", b"\2\0\0\0\0", b"\1" + np.array(np.nan, "<f4").tobytes()):
        with pytest.raises(ValueError, match="no decision"):
            Decision.from_bytes(data)


def test_sentences_name_pages_of_the_site(summaries, profile):
    html = article_html("Oak", f"<h1>Bridges of Ash</h1>{paragraphs('Ash')}")
    sentences = block_sentences(summary_of("/2026/oak/", html), profile)
    notice = Page(html).blocks.texts.index(Page(NOTICE).blocks.texts[0])
    assert sentences[notice] == "On 13 of 16 other pages of this site."
    assert "The headline of http://paper.example/2026/bridges-of-ash/." in sentences.values()


BANNER = "This site is kept as an archive and will not be updated any more; write to the editors for the old forum."
CAPTION = "The harbour crane of Merrow Quay on the evening before it was taken down, seen from the ferry."


@pytest.mark.parametrize("caption", ["", CAPTION])
def test_page_with_a_caption_at_most_has_that_as_its_text_and_not_the_banner_of_its_site(caption):
    def page(number: int, body: str) -> tuple[str, str]:
        title = f"Story {number} of the quay"
        html = f"<title>{title}</title><div><p>{BANNER}</p></div><article><h1>{title}</h1>{body}"
        return f"/2026/story-{number}.html", html

    photo = page(77, f"<p>{caption}</p>" if caption else "")
    others = [summary_of(*page(n, paragraphs(town))) for n, town in enumerate(TOWNS)]
    assert read(*photo, SiteProfile.build([*others, summary_of(*photo)])).article_body == caption


HTML = "<title>A storm</title><h1>A storm</h1>" + "".join(
    f"<p>The storm came over the town in hour {hour}, and it broke {hour} roofs, said the mayor of the town.</p>"
    for hour in range(20)
)


def test_summary_is_the_same_after_bytes_and_back_and_does_not_depend_on_the_profile():
    summary = summary_of("/a-storm", HTML)
    again = PageSummary.from_bytes(summary.to_bytes())
    assert (again.url, again.margin, again.reason) == (summary.url, pytest.approx(summary.margin), summary.reason)
    assert again.rows.tolist() == summary.rows.tolist() and len(again.rows) == 21
    of_a_site = read("/a-storm", HTML, SiteProfile.build([summary])).summary
    assert of_a_site.to_bytes() == again.to_bytes() == summary.to_bytes()


def test_from_bytes_reads_summaries_of_version_1_0():
    summary = summary_of("/a-storm", HTML)
    data = summary.to_bytes()
    numbers = (1, 0, len(summary.url), len(summary.template), len(summary.rows))
    keys = (summary.headline, summary.lead, crc32(summary.url.encode()))
    old = struct.pack("<BBHHHffIII", *numbers, summary.margin, summary.width, *keys)
    again = PageSummary.from_bytes(old + data[struct.calcsize("<BBBHHHffIIII") :])
    assert (again.url, again.headline, again.label, again.dated) == (summary.url, summary.headline, 0, UNDATED)
    assert again.rows.tolist() == summary.rows.tolist()


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_from_bytes_takes_or_rejects_damaged_bytes(place, value):
    data = bytearray(summary_of("/a-storm", "<p>Some text of a page.</p>").to_bytes())
    data[place % len(data)] = value
    try:
        summary = PageSummary.from_bytes(bytes(data))
    except ValueError:
        return
    assert len(SiteProfile.build([summary])) == 1


FURNITURE = "<p>The Gazette is printed in Hill and sold in all of the county, on paper and on the screen.</p>"


def known(path: str, html: str, reason: str | None) -> KnownPage:
    page = Page(html, f"https://gazette.example{path}")
    return read_article(page, EXTRACTOR).summary, reason


@pytest.fixture(scope="module")
def pages() -> list[KnownPage]:
    """Six articles and two lists of one site, with a line that all have."""
    stories = {f"/news/2026/a-story-of-town-{n}": article(f"Story {n}", f"Town {n}") for n in range(6)}
    lists = [known(f"/tag/{name}", front("/a", "/b", "/c") + FURNITURE, "section") for name in ("hill", "dale")]
    return [known(path, html + FURNITURE, None) for path, html in stories.items()] + lists


def test_pages_are_grouped_by_address_and_template(pages):
    groups = [(group.name, group.articles, group.kind) for group in group_by_address(pages)]
    tags = [(f"gazette.example/tag/{name}", 0, "section") for name in ("dale", "hill")]
    assert groups == [("gazette.example/news/YEAR/TITLE", 6, "articles"), *tags]
    templates = [(group.name, len(group.reasons), group.kind) for group in group_by_template(pages)]
    assert templates == [("1", 6, "articles"), ("2", 2, "section")]


def test_find_furniture_gives_the_lines_that_many_pages_have(pages):
    line = "The Gazette is printed in Hill and sold in all of the county, on paper and on the screen."
    texts = ["A line of one page alone, which isn't furniture at all.", line]
    assert find_furniture(pages, texts) == [(line, 8)]
    assert find_furniture([], texts) == []


LINES = (
    "<p>Story continues below.</p>",
    "<h2>Vote</h2><p>Paint it?</p>",
    "<p>Lies es vor! {count}</p>",
    "<p>{count} views</p>",
)


def with_lines(town: str) -> str:
    """An article with lines among its paragraphs that every article has."""
    first, *others = paragraphs(town).split("</p>")[:-1]
    lines = [line.format(count=7 * len(town) + TOWNS.index(town)) for line in LINES]
    body = first + "</p>" + "".join(f"{line}{text}</p>" for line, text in zip(lines, others, strict=False))
    end = f"<h2>What is left</h2><p>The {town} end of it is open.</p>"
    return f"<title>Bridges of {town}</title><article><h1>Bridges of {town}</h1>{body}{end}</article>"


def test_short_lines_of_most_articles_are_no_text_and_headings_of_text_are():
    pages = {f"/2026/{town.lower()}/": with_lines(town) for town in TOWNS}
    profile = SiteProfile.build([summary_of(path, html) for path, html in pages.items()])
    for path, html in pages.items():
        body = read(path, html, profile).article_body
        assert not any(words in body for words in ("continues below", "Vote", "Paint", "Lies es vor", "views"))
        assert all(words in body for words in ("What is left", "end of it is open"))


def test_summaries_keep_keys_of_lines_with_numbers_and_those_without_them_are_read():
    summary = summary_of("/2026/ash/", with_lines("Ash"))
    assert len(summary.counted) >= 2
    data = summary.to_bytes()
    assert PageSummary.from_bytes(data).counted.tolist() == summary.counted.tolist()
    older = data[: -summary.counted.nbytes]
    assert len(PageSummary.from_bytes(older).counted) == 0
    for wrong in (data[:-1], data + b"\xff" * 5):
        with pytest.raises(ValueError, match="no summary"):
            PageSummary.from_bytes(wrong)


def test_copies_of_one_article_keep_their_text():
    html = article_html("Ash")
    copies = [summary_of(f"/2026/ash-{number}/", html) for number in range(13)]
    assert any(decide(copies[0], SiteProfile.build(copies)).chosen_rows(len(copies[0].rows)))
