"""StoryTracker: articles of one event are one story, whatever the order; nothing else is."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Article
from newsextract.stories import StoryTracker
from newsextract.stories.gold import read_gold
from newsextract.stories.measures import agreement
from newsextract.stories.terms import words_of
from tests.stories.articles import BEGIN, EVENTS, SITES, all_reports, report


def stories_of(tracker: StoryTracker) -> set[frozenset[object]]:
    return {frozenset(each.id for each in story.reports) for story in tracker.stories}


def test_reports_of_an_event_are_one_story():
    tracker = StoryTracker()
    tracker.add_all(all_reports())
    assert stories_of(tracker) == {
        frozenset(article.url for article in all_reports() if f"/{event}-" in article.url) for event in EVENTS
    }


@settings(max_examples=10, deadline=None)
@given(st.permutations(all_reports()))
def test_stories_do_not_depend_on_the_order_within_a_call(articles):
    tracker, ordered = StoryTracker(), StoryTracker()
    tracker.add_all(articles)
    ordered.add_all(all_reports())
    assert {(s.id, frozenset(r.id for r in s.reports)) for s in tracker.stories} == {
        (s.id, frozenset(r.id for r in s.reports)) for s in ordered.stories
    }


def test_articles_that_arrive_one_by_one_are_as_if_all_had_been_known():
    """Long texts, of which the rare words matter; which ones are rare is seen late."""
    chance = random.Random(1)
    articles = []
    for number in range(24):
        words = [f"w{int(900 ** chance.random())}x" for _ in range(220)] + [
            f"q{number % 8}{each}" for each in "abcdefghijkl"
        ]
        chance.shuffle(words)
        url, body = f"https://{SITES[number % 3]}/{number}", " ".join(words)
        articles.append(Article(url, site=SITES[number % 3], article_body=body, language="en", date_published=BEGIN))
    together, one_by_one = StoryTracker(), StoryTracker()
    together.add_all(articles)
    for article in articles:
        one_by_one.add(article)
    assert sorted(len(story.reports) for story in together.stories) == [3] * 8
    assert stories_of(one_by_one) == stories_of(together)


def test_story_keeps_its_id_when_an_earlier_report_arrives_late():
    tracker = StoryTracker()
    tracker.add_all([report(event, 1, 10) for event in EVENTS])
    began = tracker.add(report("ferry", 1, 10))
    late = tracker.add(report("ferry", 2, 3))
    assert late.id == began.id == report("ferry", 1, 10).url
    assert late.first_report.id == report("ferry", 2, 3).url


def test_copy_is_in_its_originals_story_without_weight():
    tracker = StoryTracker()
    tracker.add_all([report(event, 0) for event in EVENTS])
    original = report("ferry", 0)
    copy = Article(url="https://mirror.example/1", site="mirror.example", article_body="x", duplicate_of=original.url)
    story = tracker.add(copy)
    assert story.id == original.url
    assert [each.copy_of for each in story.reports] == [None, original.url]
    assert tracker.statistics.articles["en"] == len(EVENTS)


def test_languages_are_not_mixed():
    tracker = StoryTracker()
    tracker.add_all([report("ferry", 0), report("ferry", 1, language="en-GB"), report("ferry", 2, language="nl")])
    assert sorted(len(story.reports) for story in tracker.stories) == [1, 2]


def test_event_that_returns_after_weeks_is_another_story():
    tracker = StoryTracker()
    tracker.add_all([report("ferry", 0), report("ferry", 1, 24 * 21), *(report(event, 2) for event in EVENTS)])
    assert len(tracker.add(report("ferry", 1, 24 * 21)).reports) == 1


@pytest.mark.parametrize("date", [None, BEGIN + timedelta(days=400), datetime(1900, 1, 1, tzinfo=UTC)])
def test_article_without_a_plausible_date_counts_from_when_it_was_seen(date):
    tracker = StoryTracker()
    tracker.add_all([report(event, 0) for event in EVENTS])
    story = tracker.add(report("ferry", 1, date_published=date, first_seen_at=BEGIN + timedelta(hours=2)))
    assert len(story.reports) == 2
    assert story.first_report.id == report("ferry", 0).url


def test_reports_of_a_sites_template_are_stories_of_their_own():
    towns = ("Alder", "Birch", "Cedar", "Dover", "Elm", "Fern")
    tracker = StoryTracker()
    tracker.add_all([report(event, site) for event in EVENTS for site in range(3)])
    for number, town in enumerate(towns):
        body = (
            f"Unknown persons broke into a house in {town} between {number + 1} and {number + 9} o'clock on the way to "
            f"the station. They took jewellery and cash worth {number * 700 + 350} crowns.\n"
            "The police ask witnesses who saw a dark car near the house to call the station."
        )
        url = f"https://{SITES[0]}/crime-{number}"
        headline = f"Police look for witnesses after burglary in {town}"
        article = Article(url, site=SITES[0], headline=headline, article_body=body, language="en", date_published=BEGIN)
        assert len(tracker.add(article).reports) == 1


WEATHER = (
    (
        "מזג האוויר ב{0}: עד {1} מעלות",
        "היום יהיה מעונן ב{0} עם מעט גשם והטמפרטורות יגיעו עד {1} מעלות. בסוף השבוע יישאר חם.",
    ),
    (
        "תחזית ל{0}: ממטרים ו-{1} מעלות",
        "ממטרים יחלפו מעל {0} אחר הצהריים והטמפרטורות יגיעו עד {1} מעלות. מחר תצא השמש.",
    ),
)
HEBREW_TOWNS = ("ברלומי", "נושרי", "דנקות", "גלפאז", "חרתיבר", "מירינו", "זיקושא", "לופאדן", "פאחרי", "שאלוגל")


def test_templates_of_two_sites_do_not_chain_in_scripts_without_capitals():
    articles: list[Article] = []
    towns: dict[object, str] = {}
    for number, town in enumerate(HEBREW_TOWNS):
        for site, texts in enumerate(WEATHER):
            headline, body = (text.format(town, 17 + number % 4) for text in texts)
            url = f"https://{SITES[site]}/{number}"
            towns[url] = town
            article = Article(url, site=SITES[site], headline=headline, article_body=body, language="he")
            article.date_published = BEGIN + timedelta(hours=number)
            articles.append(article)
    tracker = StoryTracker()
    tracker.add_all(articles)
    assert {len({towns[each.id] for each in story.reports}) for story in tracker.stories} == {1}


def test_boilerplate_of_a_site_is_no_similarity():
    tracker = StoryTracker()
    notice = "Subscribe to the Courier of Port Anselm, editor Jana Weiss, Harbour Street 12, telephone 555 0199."
    plain = [report("ferry", 1), report("budget", 1)]
    for number in range(20):
        body = f"{notice}\nThe {number}th club of the town, number {number}, met to talk about item {number * 17}."
        url = f"https://{SITES[0]}/{number}"
        tracker.add(Article(url, site=SITES[0], article_body=body, language="en", date_published=BEGIN))
    tracker.add_all(plain)
    last = report("ferry", 0, 2)
    last.article_body += f"\n{notice}"
    assert {each.id for each in tracker.add(last).reports} == {plain[0].url, last.url}


HEADLINES = {
    "zh": ("渡轮金盏花号在索雷尔角触礁，船上有184名乘客", "184名乘客乘坐的渡轮金盏花号触礁，船长法尔克说舵失灵"),
    "ja": ("フェリー「マリーゴールド」が岬で座礁、乗客184人", "乗客184人を乗せた「マリーゴールド」が座礁した"),
    "ar": ("جنوح العبارة ماريغولد قرب رأس سوريل وعلى متنها 184 راكبا", "العبارة ماريغولد تجنح وعلى متنها 184"),
    "th": ("เรือเฟอร์รีมาริโกลด์เกยตื้นที่แหลมโซเรล ผู้โดยสาร 184 คน", "ผู้โดยสาร 184 คนบนเรือมาริโกลด์ที่เกยตื้น"),
    "hi": ("सोरेल के पास नौका मैरीगोल्ड फंसी, 184 यात्री सवार", "नौका मैरीगोल्ड पर सवार 184 यात्री बचाए गए"),
    "ko": ("여객선 메리골드호 소렐곶에서 좌초 승객 184명", "승객 184명을 태운 여객선 메리골드호가 좌초했다"),
}


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("hi", "दिल्ली में बारिश", ["दिल्ली", "में", "बारिश"]),
        ("ta", "தமிழ்நாடு அரசு", ["தமிழ்நாடு", "அரசு"]),
        ("th", "นี้บางนา", ["นี้บา", "บาง", "างน", "งนา"]),
        ("ja", "東京湾のフェリー", ["東京", "京湾", "の", "フェ", "ェリ", "リー"]),
        ("zh", "村民佟乜", ["村民", "佟乜"]),
        ("uk", "Київ’янин", ["Київ’янин"]),
    ],
)
def test_words_of_a_script_are_whole_or_pairs(language, text, words):
    """Vowels that are marks don't end a word; scripts without spaces are cut where the script changes."""
    assert words_of(text, language) == words


@pytest.mark.parametrize(("language", "texts"), HEADLINES.items())
def test_scripts(language, texts):
    tracker = StoryTracker()
    others = [report(event, site, language=language) for event in ("budget", "comet") for site in range(2)]
    given = [
        Article(f"https://{SITES[at]}/x", site=SITES[at], headline=text, article_body=text, language=language)
        for at, text in enumerate(texts)
    ]
    for article in given:
        article.date_published = BEGIN
    stories = tracker.add_all([*others, *given])
    assert len({story.id for story in stories}) == 3
    assert stories[-1] is stories[-2]


@pytest.mark.parametrize("body", ["", "   ", "\ud800", "a" * 100_000, "\n" * 1000, "\u0000", "12 " * 50])
def test_any_text_has_a_story(body):
    tracker = StoryTracker()
    tracker.add(report("ferry", 0))
    assert tracker.add(Article("https://a.example/", article_body=body)).id == "https://a.example/"


@pytest.mark.parametrize("language", ["ar", "ja", "zh"])
@pytest.mark.parametrize("number", [1, 17])
def test_small_sets(language, number):
    """Two or three reports each of eight made-up events, two of them fires and two of them ships that run aground."""
    gold = read_gold(Path(__file__).parent / "sets" / f"{language}.jsonl")
    tracker, articles = StoryTracker(), [each.article for each in reversed(gold)]
    for at in range(0, len(articles), number):
        tracker.add_all(articles[at : at + number])
    story = {report.id: each.id for each in tracker.stories for report in each.reports}
    assert agreement([each.label for each in gold], [story[each.article.url] for each in gold]).bcubed > 0.9


TOWNS = ("Alder", "Birch", "Cedar", "Dover", "Elm", "Fern", "Gorse", "Heath", "Ivy", "Larch", "Maple", "Nettle")
TEMPLATES = {
    "police": (
        "Police look for witnesses after burglary in {0}",
        "Unknown persons broke into a house in {0} between {1} and {2} o'clock. They took jewellery "
        "worth {3}50 crowns.\nThe police in {0} ask witnesses to call 555 01{3}.",
    ),
    "weather": (
        "Weather: up to {1} degrees in {0}",
        "There will be rain in {0} and on the coast. Temperatures reach {1} degrees, at night {2}. The wind blows with "
        "up to {3} kilometres an hour. The outlook: unsettled.",
    ),
    "result": (
        "{0} beat {4} {1}-0",
        "{0} won {1}-0 against {4} on matchday {2} of the regional league. {3}00 spectators saw the match.",
    ),
}


@pytest.mark.parametrize("kind", TEMPLATES)
@pytest.mark.parametrize("sites", [1, 3])
def test_templates_do_not_chain(kind, sites):
    tracker = StoryTracker()
    tracker.add_all(all_reports())
    headline, body = TEMPLATES[kind]
    for number, town in enumerate(TOWNS):
        values = (town, number + 2, number + 20, 31 + 7 * number, TOWNS[number - 5])
        site = SITES[number % sites]
        url = f"https://{site}/{kind}-{number}"
        texts = {"headline": headline.format(*values), "article_body": body.format(*values)}
        date = BEGIN + timedelta(hours=9 * number)
        tracker.add(Article(url, site=site, language="en", date_published=date, **texts))
    sizes = sorted(len(story.reports) for story in tracker.stories if "-" in str(story.id) and kind in str(story.id))
    assert sizes[-1] <= max(sites, 2), "only a town that each shares with the next may join them"
