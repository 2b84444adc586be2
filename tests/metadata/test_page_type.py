"""Article or not: what is never stored as one, and what must survive; layouts of lists, empty frames."""

import math

import pytest

from newsextract import Page, extract
from newsextract.metadata.describe import Metadata, describe
from newsextract.metadata.interstitials import is_empty_frame
from newsextract.metadata.page_layout import page_layout_features
from newsextract.metadata.page_type import CERTAIN_MARGIN, CUES, classify_page, count_cues, page_type_features

SENTENCE = "The council met on the bridge on Monday and talked about the river for hours. "


def reason(html, url):
    page = Page(html, url)
    chosen = [i for i, block in enumerate(page.blocks.texts) if len(block) > 60]
    return classify_page(page, "\n".join(page.blocks.texts[i] for i in chosen), describe(page, chosen)).reason


STORY_URL = "https://paper.example/news/2024/05/03/bridge-opens-after-ten-years"
TITLE = "<h1>Bridge opens after ten years</h1>"
DECLARED = (
    '<script type="application/ld+json">{"@type":"NewsArticle","headline":"Bridge opens after ten years",'
    '"datePublished":"2024-05-03"}</script><meta property="og:type" content="article">'
)
META = '<meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-03">'
NEWS = f"{TITLE}<p>By Ann Lee, 3 May 2024</p><p>{SENTENCE * 3}</p>"
RELATED = "".join(f"<p><a href=/{i}>Another story of the river, part {i}</a></p>" for i in range(9))
COOKIES = "Sites must let readers accept all cookies or reject all cookies, the court said on Monday. " * 20
LOST_PAGE = "The page of the log of the night of the storm in {} was not found, the harbour master told the inquiry. "
JAPANESE = "市議会は月曜日、十年にわたる工事を終えた橋の開通を認め、渡し船の運航を続けることも決めた。" * 9


@pytest.mark.parametrize(
    "html",
    [
        f"<title>Bridge opens | Paper</title>{TITLE}<p>By Ann Lee, 3 May 2024</p>{f'<p>{SENTENCE * 4}</p>' * 6}",
        DECLARED + NEWS,
        f"{DECLARED}{NEWS}<p>This site is protected by reCAPTCHA and the Google Privacy Policy applies.</p>",
        f"{NEWS}<form><p>Captcha: please enter the code</p></form>",
        f"{DECLARED}{NEWS}<form><p>Remember me</p><p>Forgot your password?</p></form>",
        f"{NEWS}<p>Please enable JavaScript to view the comments.</p>",
        f"<p>Already a subscriber? <a href=/login>Sign in</a></p>{NEWS}",
        f"{NEWS}{RELATED}<p>Already a subscriber? <a href=/login>Sign in</a></p>",
        f"{NEWS}<p>Newsletter jetzt abonnieren</p>",
        f"{NEWS}<p>Subscribe to read more stories like this.</p><p>{SENTENCE}</p><p>{SENTENCE * 2}</p>",
        f"{NEWS}<p>付费专栏</p>",
        f"{DECLARED}{NEWS}".replace("Bridge opens after ten years", "Hikers not found after ten days"),
        f"{META}<h1>Log not found, inquiry told</h1>{''.join(f'<p>{LOST_PAGE.format(n) * 2}</p>' for n in range(4))}",
        f"{META}<body class=single-post><article>{TITLE}<p>{SENTENCE}</p></article>",
        f"<h1>Court rules on cookie banners</h1><p>By Ann Lee, 3 May 2024</p><p>{COOKIES}</p><p>{SENTENCE * 25}</p>",
        f"<h1>十年ぶりに橋が開通</h1><time>2024年5月3日</time><p>{JAPANESE}</p><p>会員限定の記事一覧</p>",
    ],
)
def test_classify_page_accepts_news_beside_forms_and_offers_or_of_pages_and_cookies(html):
    assert reason(html, STORY_URL) is None


def offering(is_free):
    """Short news that are free or not, above an offer."""
    declared = f'{{"@type":"NewsArticle","datePublished":"2024-05-03","isAccessibleForFree":{is_free}}}'
    story = f'<script type="application/ld+json">{declared}</script>{TITLE}<p>{SENTENCE * 4}</p>'
    return f"{story}<p>Subscribe to read all our stories.</p>"


SHORT_CHINESE = f"""<title>交通运输部：着力打造立体交通网络_新闻_日报网</title><h1>交通运输部：着力打造立体交通网络</h1>
<p>2017-03-05 记者 张楠</p><p>{"交通运输部表示，将着力打造京津冀区域综合立体交通网络，加快推进交通一体化发展。" * 3}"""
PRODUCT = (
    '<script type="application/ld+json">{"@type":"Product","name":"Kettle"}</script><meta property="og:type" '
    'content="product"><h1>Kettle</h1><p>$49.00</p><button>x</button><p>Add to cart</p><p>In stock</p><p>Free shipping'
    f"{'<p>A kettle of steel that boils water for your tea in three minutes flat.</p>' * 3}"
)
GOODS = "".join(f"<a href=/p/{i}>Kettle {i}</a><p>$4{i}.00</p><button>Add to cart</button>" for i in range(12))
KETTLES = f"<title>Kettles, buy online</title><h1>Kettles</h1><p>Sort by price</p><p>12 results</p>{GOODS}"
TEASERS = "".join(f"<h3><a href=/{i}>Story number {i} about the bridge</a></h3><p>{SENTENCE}…</p>" for i in range(12))
SERVICES = f"<title>Services</title><h1>Services</h1>{TEASERS}"
NEWS_URL = "https://paper.example/news/bridge-opens"
PAPER = "https://paper.example/"
SHOP = "https://shop.example/"
STORY = f"{PAPER}a"


@pytest.mark.parametrize(
    ("html", "url", "wanted"),
    [
        ("<title>Page not found</title><h1>404</h1><p>The page you want could not be found.", STORY, "error_page"),
        ("<title>Just a moment...</title><p>Please enable JavaScript and cookies to continue", STORY, "bot_check"),
        ("<title>News</title><p>You need to enable JavaScript to run this app.", STORY, "needs_javascript"),
        ("<title>Before you continue</title><p>We use cookies.</p><button>Accept all", STORY, "consent"),
        ("<title>Log in</title><form><p>Forgot your password?</p></form>", STORY, "login"),
        ("<title>Bridge opens</title><p>First lines.</p><p>Subscribe to continue reading", STORY, "paywall_stub"),
        (SHORT_CHINESE, None, None),
        (offering("true"), NEWS_URL, None),
        (offering("false"), NEWS_URL, "paywall_stub"),
        (f"<h1>Paper</h1>{f'<p>{SENTENCE}</p>' * 30}", PAPER, "front"),
        (PRODUCT, f"{SHOP}products/kettle", "product"),
        (KETTLES, f"{SHOP}category/kettles/", "product"),
        # A newsroom with words of shops in its addresses
        *((SERVICES, PAPER + path, "section") for path in ("tag/bridge", "category/our-services/", "category/sale/2/")),
        *((SERVICES, PAPER + path, "static") for path in ("about/", "careers/", "newsletters/")),
    ],
)
def test_classify_page_says_what_a_page_is(html, url, wanted):
    assert reason(html, url) == wanted


def test_classify_page_uses_extractor_confidence_if_given():
    page = Page(f"<h1>Bridge</h1><p>{SENTENCE * 9}</p>", "https://paper.example/news/bridge-opens-after-years")
    metadata = describe(page, [1])
    confidences = (0.95, 0.001, None)
    sure, unsure, unknown = (classify_page(page, SENTENCE * 9, metadata, value) for value in confidences)
    assert unsure.margin < CERTAIN_MARGIN
    assert sure.is_article
    assert 1 >= sure.confidence > unknown.confidence >= 0
    assert not unsure.is_article
    assert unsure.confidence == pytest.approx(0.999)


def test_classify_page_accepts_an_article_by_all_but_its_text():
    html = (
        '<meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-03">'
        "<meta name=author content='Ann Lee'><body class='single single-post'><article>"
        f"<h1>Bridge opens after ten years</h1><p>{SENTENCE * 3}</p><p>{SENTENCE * 2}</p></article>"
    )
    page = Page(html, "https://paper.example/news/2024/05/03/bridge-opens-after-ten-years")
    page_type = classify_page(page, SENTENCE * 5, describe(page, [1, 2]), 0.0005)
    assert page_type.is_article and page_type.margin >= CERTAIN_MARGIN


@pytest.mark.parametrize(
    ("kind", "blocks"),
    [
        ("shop", ["Add to Cart", "SKU 4711", "24 results for kettle", "加入购物车"]),
        ("call", ["Request a quote", "Contact us today"]),
        ("story", ["5 min read", "12 minutes read time", "By Ann Lee", "Comments (3)"]),
        (None, ["Byron", "Addition", "24 bridges", ""]),
    ],
)
def test_count_cues_matches_phrases_not_prefixes_of_words(kind, blocks):
    for block in blocks:
        assert {name for name, count in count_cues(block.lower()).items() if count} == ({kind} if kind else set())


def test_count_cues_counts_each_block_once():
    found = count_cues("add to cart\nadd to cart\nlearn more\nshare\nthe river")
    assert found == {"shop": 2, "call": 1, "story": 1} and {*found} == {*CUES}


EXCERPT = (
    "The council voted on Tuesday to rebuild the old pier, three winters after a storm took its last forty metres…"
)
RECORD = """<div class="post-{n} hentry"><h2><a href="/2024/05/story-{n}/">Story number {n} of the harbour</a></h2>
<span>May {n}, 2024</span><p>{excerpt}</p><a href="/2024/05/story-{n}/">{more}</a></div>"""


def list_page(more: str) -> str:
    records = "".join(RECORD.format(n=n, excerpt=EXCERPT, more=more) for n in range(1, 9))
    return f'<body class="archive category paged">{records}<div class="nav-links"><a href=/page/2/>2</a></div></body>'


ARTICLE = (
    '<title>Pier to be rebuilt – Gazette</title><body class="single single-post postid-7"><article '
    f'class="post-7 hentry"><h1>Pier to be rebuilt</h1><span>May 7, 2024</span><p>{EXCERPT.replace("…", ".")}</p>'
    f"<p>{EXCERPT.replace('…', '.')} And more.</p></article><div class=comment-form>Reply</div></body>"
)
OF_LISTS = "repeated link in the text,dates in the text,linked headings in the text,excerpts,several records".split(",")


def features(html: str, headline: str = "") -> dict[str, float]:
    page = Page(html)
    rows = [row for row, text in enumerate(page.blocks.texts) if len(text) > 80]
    return page_layout_features(page, "", Metadata({"headline": headline}, {}, rows))


@pytest.mark.parametrize("more", ["Read more", "阅读全文", "Leer más"])
def test_page_layout_of_list_has_repeated_records(more):
    found = features(list_page(more))
    for name in OF_LISTS:
        assert found[name] > 0.8, name
    assert found["text under linked headings"] > 0.9
    assert found["body of a list"] and found["pager"] and not found["one record"]


def test_page_layout_of_article_has_one_record():
    found = features(ARTICLE, headline="Pier to be rebuilt")
    assert found["one record"] and found["body of a post"] and found["parts of a post"] > 0
    assert found["title begins with headline"]
    for name in OF_LISTS:
        assert found[name] == 0.0, name


@pytest.mark.parametrize("html", ["", "<p></p>", "<body class='a'><p>one</p>"])
def test_page_layout_of_hardly_any_page_is_finite(html):
    values = page_type_features(Page(html, "http://[bad"), "", Metadata({}, {})).values()
    assert all(-1 <= value <= 1 for value in values)


def test_page_type_counts_buttons_forms_and_articles_wherever_they_stand():
    html = f"<article><p>{SENTENCE} <button>Share</button></p><form><button>Send</button></form></article>"
    found = page_type_features(Page(html), "", Metadata({}, {}))
    assert (found["buttons"], found["forms"], found["one article"]) == (pytest.approx(math.log(3) / 5), 0.25, True)


TEXT = "<p>The harbour council voted to rebuild the old pier, whose last metres a storm took in the winter.</p>"
NAVIGATION = "<nav>" + "<a href=/a>Harbour</a> <a href=/b>Weather and tides</a> " * 8 + "</nav>"


@pytest.mark.parametrize(
    ("body", "is_frame"),
    [
        ("<script src=/app.js></script>", True),
        ("<div id=root></div><script>draw()</script>", True),
        ("<div>Loading…</div><script src=/app.js></script><noscript>Enable JavaScript to read.</noscript>", True),
        (f"{NAVIGATION}<div id=__next><div class=spinner></div></div><script src=/app.js></script>", True),
        (f"{NAVIGATION}<app-root></app-root><script type=module src=/app.js></script>", True),
        ("", False),
        ("<div id=root></div>", False),
        ('<script type="application/ld+json">{"@type": "WebPage"}</script>', False),
        (f"{NAVIGATION}<div id=root>{TEXT}</div><script src=/app.js></script>", False),
        (f"{NAVIGATION}<script src=/app.js></script>", False),
        (f"<div id=root></div>{TEXT * 12}<script src=/app.js></script>", False),
    ],
)
def test_empty_frame_has_scripts_and_hardly_any_text(body, is_frame):
    assert is_empty_frame(Page(f"<!doctype html><title>News</title><body>{body}")) == is_frame


def test_frame_is_no_article_and_says_why():
    for url in ("https://example.org/", "https://example.org/2026/05/pier"):
        article = extract("<title>News</title><div id=root></div><script src=/app.js></script>", url)
        assert (article.is_article, article.not_article_because) == (False, "needs_javascript")
