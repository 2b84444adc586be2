"""Fusion: features, explanation, selection; pages with several articles, articles with modules of newsrooms inside."""

import json
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.errors import WrongOption
from newsextract.extractors import make_extractor
from newsextract.extractors.fusion import Fusion, phrases
from newsextract.extractors.fusion.extractor import linked_weights, sibling_weights
from newsextract.extractors.fusion.features import build_features
from newsextract.extractors.fusion.model import (
    FEATURE_NAMES,
    FEATURE_SOURCES,
    MASSES,
    contributions,
    feature_matrix,
    masses,
    trained,
)
from newsextract.extractors.fusion.selection import drop_repetitions, select_blocks
from newsextract.extractors.fusion.units import unit_weights
from tests.examples import examples
from tests.extractors.pages import BRIDGE, CHINESE, ENGLISH, ENGLISH_PEER, HARVEST, PIECES, WALL, WATER

PAGES = pytest.mark.parametrize("html", [ENGLISH, CHINESE, PIECES, "<p>One line.</p>", "<a href=x>a</a><p>b</p>"])


def column(html: str, name: str) -> list[float]:
    """One feature of all blocks of a page, rounded."""
    values = feature_matrix(build_features(Page(html)))[:, FEATURE_NAMES.index(name)]
    return [round(value, 3) for value in values.tolist()]


@pytest.mark.parametrize(("html", "paragraphs"), [(ENGLISH, BRIDGE), (CHINESE, WATER), (ENGLISH_PEER, HARVEST)])
def test_fusion_extracts_exactly_the_article(html, paragraphs):
    lines = Fusion()(Page(html)).text.split("\n")
    assert [line for line in lines if line in paragraphs] == list(paragraphs)
    assert len(lines) <= len(paragraphs) + 1


@PAGES
def test_explanation_adds_up_to_the_probability(html):
    extraction = Fusion()(Page(html))
    weights = [column for name, column in extraction.evidence.items() if name not in MASSES]
    assert len(weights) >= 6
    assert np.allclose(1 / (1 + np.exp(-np.sum(weights, 0))), extraction.scores, atol=1e-5)
    for_news, against, unknown, conflict = (extraction.evidence[name] for name in MASSES)
    assert np.allclose(for_news + against + unknown, 1)
    assert ((conflict >= 0) & (conflict <= 1)).all()


@given(st.lists(st.floats(-40, 40), min_size=1, max_size=8))
def test_masses_plausibility_equals_the_probability(weights):
    for_news, against, unknown, _ = masses(np.array(weights)[:, None])[:, 0]
    logit = sum(weights)
    assert for_news + against + unknown == pytest.approx(1)
    plausible, other = for_news + unknown, against + unknown
    assert plausible / (plausible + other) == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-6)


def test_contributions_equal_shapley_values_over_all_orders():
    """Shapley's definition: here by a sample of orders, whose mean comes near; the sums are exact."""
    model = trained()
    columns = feature_matrix(build_features(Page(ENGLISH)))[:3]
    by_source = contributions(model, columns)
    mean = np.zeros_like(columns) + model.means
    assert np.allclose(sum(by_source.values()), model.logits(columns) - model.logits(mean), atol=1e-3)
    sources = np.array(FEATURE_SOURCES)
    added = {name: [] for name in by_source}
    chance = np.random.default_rng(1)
    for _ in range(300):
        known = mean.copy()
        for name in chance.permutation(list(by_source)):
            before = model.logits(known)
            known[:, sources == name] = columns[:, sources == name]
            added[name].append(model.logits(known) - before)
    for name, gains in added.items():
        assert np.allclose(by_source[name], np.mean(gains, 0), atol=0.25)


def test_peer_lowers_shared_text_and_not_the_article():
    notice = "Our paper is read in every village of the valley, and has been for a hundred years, come rain or shine."
    below = f"</div><div>{notice}</div><ul>"
    page, peer = (Page(html.replace("</div><ul>", below)) for html in (ENGLISH, ENGLISH_PEER))
    alone, paired = Fusion()(page), Fusion()(page, peer)
    row = page.blocks.texts.index(notice)
    assert paired.scores[row] < alone.scores[row]
    assert notice not in paired.text
    assert all(line in paired.text for line in BRIDGE)
    assert paired.evidence["peer"][row] < -2
    assert "peer" not in alone.evidence


def test_peer_of_the_same_article_is_ignored():
    page = Page(ENGLISH)
    paired = Fusion()(page, Page(ENGLISH, "https://valleypost.example/again"))
    assert paired.text == Fusion()(page).text
    assert paired.peer_url is None


@pytest.mark.parametrize(("line", "says"), examples(__file__, "phrases"))
def test_phrase_features_name_kind_of_line(line, says):
    html = f"<p>Before.</p><p>{line}</p><p>Behind.</p>"
    kinds = [name for name in phrases.PHRASES if column(html, f"says {name}") == [0, 1, 0]]
    assert kinds == says


@pytest.mark.parametrize(("html", "columns"), examples(__file__, "features"))
def test_features_are_what_their_names_say(html, columns):
    assert {name: column(html, name) for name in columns} == columns


def select_all(html: str) -> list[bool]:
    """Which blocks of a page are selected where each is certainly text."""
    page = Page(html)
    return select_blocks(build_features(page), np.ones(len(page.blocks), np.float32)).tolist()


def test_select_blocks_drops_block_repeated_in_other_markup():
    paragraphs = "".join(f"<p>{text}</p>" for text in BRIDGE)
    assert select_all(f"<div>{paragraphs}<p class=pull-quote>{BRIDGE[0]}</p></div>")[-1] is False
    views = f"<div class=desktop>{paragraphs}</div><div class=mobile>{paragraphs}</div>"
    assert select_all(views) == [True] * len(BRIDGE) + [False] * len(BRIDGE)
    verses = "".join(f"<p>{text}</p><p>{BRIDGE[0]}</p>" for text in BRIDGE[1:])
    assert all(select_all(f"<div>{verses}</div>")), "a refrain is kept"


def test_drop_repetitions_keeps_the_first_of_equal_chosen_blocks_and_short_ones():
    texts, chosen = [BRIDGE[0], "Yes.", BRIDGE[0], "Yes.", BRIDGE[0]], np.array([False, True, True, True, True])
    assert drop_repetitions(texts, chosen).tolist() == [False, True, True, True, False]


def test_fusion_confidence_of_link_list_is_low():
    links = "".join(f"<li><a href=/{i}>Headline number {i} of the day</a></li>" for i in range(60))
    assert Fusion()(Page(f"<ul>{links}</ul>")).confidence < 0.5 < Fusion()(Page(ENGLISH)).confidence


def test_fusion_takes_no_list_of_links_for_want_of_text():
    titles = "How to cross the square|Nine minutes with a dog|A correction|The committee for the bandstand|Two brothers"
    items = "".join(
        f"<li><a href=/n/{i}.html>{title}</a> <span class=when>2026-03-{20 - i}</span>"
        for i, title in enumerate(titles.split("|"))
    )
    html = f"<h1 class=shelf-title>Notes</h1><ul class=shelf>{items}</ul><a rel=next href=/2>Older</a>"
    assert not Fusion()(Page(html)).chosen.any()


def test_fusion_uses_weights_file_of_the_option(tmp_path):
    """All weights zero and the offset far down: a model that takes nothing for news."""
    values = json.loads(files("newsextract.extractors.fusion").joinpath("weights.json").read_text("utf-8"))
    values |= {"second": [0.0] * len(values["second"]), "offset": -30.0}
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps(values))
    assert make_extractor("fusion", {"weights": str(mine)})(Page(ENGLISH)).scores.max() < 1e-6
    assert Fusion()(Page(ENGLISH)).scores.max() > 0.9


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"features": [["no such", 0, 1, 0]]}', "\0" * 9])
def test_make_extractor_refuses_invalid_weights_file(tmp_path, content):
    path = tmp_path / "mine.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(WrongOption, match=r"mine\.json"):
        make_extractor("fusion", {"weights": str(path)})
    with pytest.raises(WrongOption, match="names a file"):
        make_extractor("fusion", {"weights": 3})


def test_selection_takes_less_probable_blocks_where_all_are_in_doubt():
    table = build_features(Page("".join(f"<li>Item number {number} of a list.</li>" for number in range(8))))
    assert select_blocks(table, np.array([0.52, *[0.45] * 7], np.float32)).all()
    clear = select_blocks(table, np.array([0.95] * 5 + [0.4] * 3, np.float32))
    assert clear.tolist() == [True] * 5 + [False] * 3


OF_TYPE = '<meta property="og:type" content="article">'
#: One article of an endless page; the theme marks the one that is read now.
ONE_OF_MANY = """<div class="story {state}"><header><h1 class="headline">{title}</h1></header>
<article class="content {state}"><div>{text}</div></article><div class="tags">Town</div></div>"""
BRIDGE_TITLE = "The old bridge opens again"
HARVEST_TITLE = "A poor harvest in the valley"


def paragraphs(texts):
    return "".join(f"<p>{text}</p>" for text in texts)


def endless_page(head=OF_TYPE, title="When the old bridge opens | The Valley", story=ONE_OF_MANY):
    own = story.format(state="active", title=BRIDGE_TITLE, text=paragraphs(BRIDGE))
    further = story.format(state="", title=HARVEST_TITLE, text=paragraphs(HARVEST))
    return f"<head><title>{title}</title>{head}</head><body><main>{own}{further}{further}</main></body>"


def test_fusion_leaves_out_articles_below_the_article_and_explains_what_they_weigh():
    lines = Fusion()(Page(endless_page())).text.split("\n")
    assert [line for line in lines if line in BRIDGE] == list(BRIDGE) and not {*lines} & {*HARVEST}
    lines = Fusion()(Page(endless_page(title="The Valley"))).text.split("\n")
    assert {*lines} >= {*HARVEST}, "a page that may be a list of articles is left alone"
    extraction = Fusion()(Page(endless_page()), Page(endless_page()))
    weights = [column for name, column in extraction.evidence.items() if name not in MASSES]
    assert extraction.evidence["other articles"].tolist().count(0) == 2 + len(BRIDGE)
    assert np.allclose(1 / (1 + np.exp(-np.sum(weights, 0))), extraction.scores, atol=1e-5)


def test_fusion_takes_the_end_of_a_hostile_page_in_bounded_time():
    deep = "<div>" * 200 + '<h1 class="headline">The old bridge {n}</h1>' + paragraphs(BRIDGE * 20) + "</div>" * 200
    page = Page(f"<head>{OF_TYPE}<title>The old bridge</title></head>" + "".join(deep.format(n=n) for n in range(40)))
    assert len(Fusion()(page).texts) > 40


@pytest.mark.parametrize(("unit", "kept"), examples(__file__, "units"))
def test_fusion_keeps_or_drops_a_unit_as_a_whole(unit, kept):
    words = {text for text in Page(unit).blocks.texts if text != "Three papers are public:"}
    assert (words & set(lines(page(unit)))) == (words if kept else set())


TITLE = "Council votes to rebuild the old harbour wall"


def page(modules: str, end: str = "") -> str:
    """The article with a module after its second and fourth paragraph, between a menu and a foot."""
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("News", "Sport", "Culture", "Weather", "Jobs"))
    paragraphs = [f"<p>{text}</p>" for text in WALL]
    body = "".join([*paragraphs[:2], modules, *paragraphs[2:4], modules, *paragraphs[4:]])
    return (
        f"<html lang=en><head><title>{TITLE}</title></head><body><nav><ul>{menu}</ul></nav><main><article>"
        f"<h1>{TITLE}</h1>{body}{end}</article></main><footer><p>© Harbour News. All rights reserved.</p></footer>"
    )


def lines(html: str) -> list[str]:
    return [line for line in Fusion()(Page(html)).text.split("\n") if line != TITLE]


@pytest.mark.parametrize("module", examples(__file__, "modules"))
def test_fusion_takes_the_article_around_a_module(module):
    assert lines(page(module)) == list(WALL)


def test_fusion_keeps_links_behind_a_colon_where_the_text_goes_on_or_if_they_are_documents():
    links = "<p>More on the harbour wall is here:</p><ul><li><a href=https://a.example/{0}>Wall</a></li></ul>"
    ends = {name: lines(page("", links.format(name)))[len(WALL) :] for name in ("1", "1.pdf")}
    assert "Wall" not in ends["1"] and "Wall" in ends["1.pdf"]
    assert lines(page(links.format("1"))).count("Wall") == 2


@pytest.mark.parametrize("end", examples(__file__, "ends"))
def test_fusion_leaves_out_what_stands_behind_the_last_paragraph(end):
    assert lines(page("", end)) == list(WALL)


def test_fusion_takes_an_article_inside_noscript():
    story = "".join(f"<p>{text}</p>" for text in WALL * 2)
    rendered_by_script = f"<h1>{TITLE}</h1><div id=app></div><noscript><article>{story}</article></noscript>"
    left_open = f"<noscript><div><img src=p.gif></noscript><h1>{TITLE}</h1><article>{story}</article>"
    for body in (rendered_by_script, left_open):
        assert set(WALL) <= set(lines(f"<html><head><title>{TITLE}</title></head><body>{body}<p>Foot.</p></body>"))


def test_sibling_weights_pull_equal_paragraphs_to_their_mean():
    table = build_features(Page(f"<div>{''.join(f'<p>{text}</p>' for text in WALL)}<p class=x>{WALL[0]}</p></div>"))
    logits = np.array([3, 3, 3, 3, 3, -1, -1], np.float32)
    moved = logits + sibling_weights(table, logits)
    assert (moved[:6] > 0).all()
    assert moved[6] == -1, "in other markup"


def test_paragraphs_parted_by_a_module_are_siblings_and_those_of_teasers_are_not():
    module = "<aside><h3>More on this</h3><p>Sign up for our newsletter.</p></aside>"
    parts = [f'<div class="text mb-{place}"><p>{text}</p></div>' for place, text in enumerate(WALL)]
    table = build_features(Page(f"<article>{module.join(parts)}</article>"))
    logits = np.where(table.good > 0, 3, -3).astype(np.float32)
    low = int(np.flatnonzero(table.good)[-1])
    logits[low] = -1
    assert (logits + sibling_weights(table, logits))[low] > 0
    teasers = build_features(Page(f"<ul>{''.join(f'<li><p>{text}</p></li>' for text in WALL)}</ul>"))
    assert sibling_weights(teasers, np.zeros(len(teasers.size), np.float32)) is None


def test_what_follows_the_main_text_in_new_markup_is_doubted():
    paragraphs = "".join(f"<p>{text}</p>" for text in [*WALL, *WALL])
    table = build_features(Page(f"<article>{paragraphs}<p>Short.</p></article><div>By our own reporter.</div>"))
    logits = np.full(len(table.size), 3, np.float32)
    weights = sibling_weights(table, logits)
    assert weights[-1] == -1
    assert abs(weights[:-1]).max() < 0.001


def test_selection_takes_the_one_sentence_below_the_headline_beside_linked_teasers():
    title, text = "옛 다리에 다시 불이 켜졌다", "마을의 옛 다리에 월요일 밤 삼 년 만에 다시 불이 켜졌다."
    words = ("홈", "뉴스", "스포츠", "문화", "문의")
    menu = "".join(f"<li><a href=/{n}>{word}</a></li>" for n, word in enumerate(words))
    teasers = "".join(
        f"<div class=item><a href=/s{n}>{line} {words[n]}</a></div>"
        for n, line in enumerate((title, "새 등은 이웃 도시에서 배로 실어 왔다.", "어부들이 종을 울렸다."))
    )
    html = (
        f"<html lang=ko><head><title>{title}</title></head><body><div id=top>"
        f"<div class=logo><a href=/>The Mercury</a></div><ul class=menu>{menu}</ul></div>"
        f"<div class=main><h1>{title}</h1><div class=meta>한바다 기자 2025년 5월 12일</div>"
        f"<p>{text}</p></div><div class=side>{teasers}</div><div class=foot>© 2025 The Mercury</div></body></html>"
    )
    assert lines(html) == [text]


@pytest.mark.parametrize(("title", "text", "end"), examples(__file__, "posts"))
def test_box_around_all_that_is_kept_is_the_articles(title, text, end):
    teasers = "".join(
        f"<li><a href=/{n}><img src=/{n}.jpg></a><h4><a href=/{n}>{title} {n}</a></h4><p>{n}. 5. 2024</p></li>"
        for n in (1, 2, 3)
    )
    html = (
        f"<head><title>{title}</title></head><body><nav><a href=/>Home</a><a href=/n>News</a></nav>"
        f"<div class=main><section class=content><div><article><div><h1>{title}</h1><p class=byline>"
        f"<a href=/author/e rel=author>Eva Lund</a> · <time datetime=2024-05-06>6. 5. 2024</time></p><div><div>"
        f"<p>{text}</p>{end}</div></div></div></article></div></section>"
        f"<div class=sidebar><h3>Top</h3><ul>{teasers}</ul></div></div><footer><p>© 2024 Pier</p></footer></body>"
    )
    assert text in lines(html)


def test_list_of_which_two_lines_are_kept_is_dropped_whole():
    months = "".join(f"<li><a href=/{n}>Archive of month {n}</a></li>" for n in range(40))
    sidebar = f"<ul><li>Hello stranger, let's connect :-)</li><li>You can like my page, too</li>{months}</ul>"
    table = build_features(Page(f"<h1>Paper</h1><div><p>A paper film by Clara Ruiz.</p></div>{sidebar}"))
    kept = np.isin(np.arange(len(table.size)), (2, 3))
    weights = unit_weights(table, np.where(kept, 1, -3).astype(np.float32))
    assert (weights[kept] < -1).all()


@pytest.mark.parametrize(("title", "text", "story", "others"), examples(__file__, "sentences"))
def test_selection_takes_the_one_sentence_of_a_page_without_paragraphs(title, text, story, others):
    html = f"<head><title>{title}</title></head><body>{story}<section>{others}</section></body>"
    assert lines(html.replace("HEADLINE", title).replace("TEXT", text)) == [text]


def test_fusion_keeps_code_and_not_what_copies_it():
    code = "<div class=css-5><button>Copy</button><pre><code>wall --stones 9\nlift --all</code></pre></div>"
    assert lines(page("", code))[len(WALL) :] == ["wall --stones 9 lift --all"]


def test_fusion_keeps_all_questions_behind_a_text_without_full_stops():
    answers = ["In spring, before the ice goes out", "The harbour does, from next year on"]
    questions = "".join(f"<details><summary>When?</summary><p>{answer}</p></details>" for answer in answers)
    assert set(answers) <= set(lines(page("", questions).replace(".", "")))


def test_fusion_keeps_a_note_between_headline_and_text():
    note = (
        "<aside class=css-4><p><b>About this story:</b> The keepers of the wall were paid for their time.</p></aside>"
    )
    assert len(lines(page("").replace("</h1>", f"</h1>{note}"))) == len(WALL) + 1


@pytest.mark.parametrize(
    "quote",
    [
        "<blockquote><p>{}</p></blockquote>", "<aside><h3>{}</h3></aside>",
        "<aside><p>“{}”</p><cite>Ann Lee</cite></aside>",
        "<div class=css-2><span>»{}«</span></div>", "<p class=quote>…{}…</p>", "<div class=css-3><p>“{}”</p></div>",
    ],
)  # fmt: skip
def test_selection_leaves_out_a_pull_quote_that_repeats_part_of_a_sentence(quote):
    part = " ".join(WALL[1].split()[2:9])
    for text in (part, part.capitalize() + "."):
        assert lines(page(quote.format(text))) == list(WALL)
    told = "码头星期一早上重新开放，这是九年来的第一次，市长和孩子们在岸边看着船离开。"
    assert lines(page("", f"<p>{told}</p>{quote.format('这是九年来的第一次')}")) == [*WALL, told]


@pytest.mark.parametrize("heading", ["<h2>{}</h2>", "<h3 class=css-4>{}</h3>", "<div class=css-5><h2>{}</h2>"])
def test_selection_keeps_a_heading_whose_words_are_in_a_paragraph(heading):
    part = " ".join(WALL[2].split()[1:9])
    assert part in lines(page("").replace(f"<p>{WALL[2]}", f"{heading.format(part)}<p>{WALL[2]}"))


def test_lines_of_links_are_left_out_together():
    html = "<p>You may also be interested in:</p>" + "<p><a href=/1>Write to the editors</a></p>" * 4
    table = build_features(Page(f"<body>{html}<div><p><a href=/2>Order a reprint</a></div>"))
    logits = np.array([0.8, 0.2, -0.9, -0.4, 0.1, 0.3], np.float32)
    assert ((logits + linked_weights(table, logits)) > 0).tolist() == [True, False, False, False, False, True]
    assert not linked_weights(table, logits + 1).any() and linked_weights(table, logits - 1) is None
