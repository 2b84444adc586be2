"""Further readers of what others wrote: files, settings, URLs, many articles or pages together, and all methods."""

import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.http import HtmlResponse
from typer import BadParameter

from evaluation.growth.readers import QUERY, URL, Reader, encoded
from newsextract import extract
from newsextract.article.extract import read_article
from newsextract.browse.history import steps
from newsextract.change_feed import read_articles
from newsextract.cli.options import extractor_options, parse_day
from newsextract.corrections import CorrectionFile
from newsextract.crawl.copies import StoryCopies
from newsextract.crawl.refresh import find_refreshes
from newsextract.discovery.entries import Entry
from newsextract.discovery.found import FoundUrl
from newsextract.discovery.links import parse_links
from newsextract.discovery.multipart import split_part_number
from newsextract.discovery.newest_first import newest_first, sort_sitemaps
from newsextract.discovery.parameters import ParameterObserver
from newsextract.discovery.saved_pages import unpack_saved_page
from newsextract.discovery.traps import TrapDetector
from newsextract.discovery.url_classifier import UrlClassifier, is_narrow_list
from newsextract.errors import WrongCall
from newsextract.export.exporter import FIELDS
from newsextract.export.formats import open_sink
from newsextract.export.tokens import Tokenizer
from newsextract.extractors import EXTRACTORS, make_extractor
from newsextract.index.query import parse_query
from newsextract.index.search import make_snippet
from newsextract.index.topics import read_topics
from newsextract.items import Article, FetchedPage
from newsextract.metadata.language import bcp47, detect
from newsextract.near_duplicates import is_copy, is_republished, is_version, signature_of
from newsextract.page import Page
from newsextract.page.style_sheets import hiding_selectors
from newsextract.report.render import render_report
from newsextract.runs.config import parse_duration, parse_selectors, read_sites
from newsextract.settings import NEWSEXTRACT_EXTRACTOR, URLLENGTH_LIMIT
from newsextract.site_profile import SiteProfile
from newsextract.site_profile.decision import decide_all
from newsextract.site_profile.overview import find_furniture, group_by_address, group_by_template
from newsextract.site_profile.placeholders import agree, pages_of_one_text
from newsextract.site_profile.shown_lines import unchanged_lines
from newsextract.site_profile.stored_furniture import without_lines
from newsextract.store import ArticleRow
from newsextract.stories.gold import read_gold
from newsextract.stories.related import facts_of
from newsextract.stories.terms import terms_of
from newsextract.stories.tracker import StoryTracker
from newsextract.text import comparison_key, composed, count_tokens, letters_and_digits, printable, without_passwords
from newsextract.urls import canonicalize, named_site, strip_tracking
from newsextract.urls.shapes import is_same_story, original_of_copy, page_of_entry, url_shape
from newsextract.warc.archives import read_archive, read_saved_pages

DAY = datetime(2026, 5, 1, tzinfo=UTC)
#: What is asked of a URL alone.
OF_URLS: tuple[Reader, ...] = (
    url_shape, original_of_copy, page_of_entry, is_narrow_list, canonicalize, strip_tracking, named_site,
    split_part_number,
)  # fmt: skip
#: Languages whose words stories are made of, each split in another way.
STORY_LANGUAGES = ("en", "zh", "th", "ar", "de")


def read_file(name: str, read: Callable[[Path], object], text: str) -> object:
    with TemporaryDirectory() as folder:
        (path := Path(folder, name)).write_bytes(encoded(text))
        return read(path)


def corrections(path: Path) -> object:
    with CorrectionFile.open(path) as file:
        return sum(1 for _ in file)


def read_urls(text: str) -> object:
    """URLs, one a line, as a crawl finds them, which cuts no longer ones: ranked, counted as traps and as copies."""
    urls = [line for line in text.split("\n") if 0 < len(line) <= URLLENGTH_LIMIT]
    traps, classifier, copies, observer = TrapDetector(), UrlClassifier(), StoryCopies(), ParameterObserver()
    for number, url in enumerate(urls):
        with suppress(ValueError):
            traps.trap_reason(url)
            traps.record_page(url, not number % 3)
            found = FoundUrl(url, "Another story of the day")
            classifier.article_probability(found)
            classifier.update(found, bool(number % 2))
            copies.record(FetchedPage(url, b"", DAY), Article(url=url, headline="x", date_published=DAY))
            copies.is_copy(url)
            for of_url in OF_URLS:
                of_url(url)
            is_same_story(url, URL)
    entries = [Entry(url) for url in urls]
    newest_first(entries)
    sort_sitemaps(entries)
    links = "".join(f'<a href="{url}">The old ferry stays in service</a>' for url in urls)
    observer.learn(parse_links(encoded(links), URL).links, URL)
    return observer.strip(URL)


def articles_in(text: str) -> list[Article]:
    """An article of each line: a text of a day and a site, with its first words as the headline."""
    return [
        Article(
            url=f"https://s{number % 7}.example/{number}",
            site=f"s{number % 7}.example",
            headline=line[:60],
            article_body=f"{line}\n{line[20:]}",
            language="en",
            date_published=DAY + timedelta(minutes=number),
        )
        for number, line in enumerate(text.split("\n"))
        if line
    ]


def track(text: str) -> object:
    tracker = StoryTracker()
    tracker.add_all(articles_in(text))
    return [*tracker.stories]


def versions(text: str) -> object:
    return steps(articles_in(text))


def duplicates(text: str) -> object:
    signatures = [one for line in text.split("\n") if (one := signature_of(line))]
    return [(is_copy(a, b), is_version(a, b), is_republished(a, b)) for a, b in pairwise(signatures)]


def removed(text: str) -> object:
    """Two long texts that are nearly equal."""
    half = len(text) // 2
    one, other = signature_of(text), signature_of(f"{text[:half]} The end came {text[half:]}")
    return one and other and (is_copy(one, other), is_version(one, other), is_republished(one, other))


def profile(text: str) -> object:
    """A site whose pages are the lines."""
    extractor = make_extractor(NEWSEXTRACT_EXTRACTOR)
    pages = [
        Page(encoded(f"<title>Ferry {number}</title>{line}"), f"https://news.example.org/{number}/a")
        for number, line in enumerate(text.split("\n"))
        if line
    ]
    summaries = [summary for page in pages if (summary := read_article(page, extractor).summary) is not None]
    site = SiteProfile.build(summaries)
    decide_all(summaries, site)
    known = [(summary, summary.reason) for summary in summaries]
    pages_of_one_text(summaries)
    group_by_address(known)
    group_by_template(known)
    return find_furniture(known, text.split("\n"))


def read_with_peer(html: str) -> object:
    return extract(encoded(html), URL, peer=encoded(html.replace("ferry", "pier")))


def run_methods(html: str) -> object:
    """The text by each published method."""
    page, peer = Page(encoded(html), URL), Page(encoded(html.replace("ferry", "pier")), URL)
    return [make_extractor(name)(page, peer).text for name in EXTRACTORS if name != NEWSEXTRACT_EXTRACTOR]


def compare_texts(text: str) -> object:
    for compared in (letters_and_digits, comparison_key, composed, printable, without_passwords):
        compared(text)
    count_tokens([text])
    agree(text, text[:-9])
    article = Article(url=URL, headline="x", article_body=text)
    return unchanged_lines(text, text[9:], None), without_lines(article, {1})


def terms(text: str) -> object:
    for language in STORY_LANGUAGES:
        terms_of(text, language)
        facts_of(Article(url=URL, headline=text, article_body=text, language=language))
    return None


def tokenize(language: str, text: str) -> object:
    return Tokenizer().tokenize(Article(url=URL, article_body=text, language=language))


def snippet(text: str) -> object:
    return make_snippet(parse_query(QUERY), text, text)


def configure(text: str) -> object:
    """A text as the value of an option or a setting."""
    for parse in (parse_duration, parse_selectors, parse_day):
        with suppress(ValueError, WrongCall, BadParameter):
            parse(text)
    return extractor_options([f"a={text}"])


def read_settings(text: str) -> object:
    read_file("sites.toml", lambda path: read_sites(path, {}, {}), text)
    return read_file("topics.toml", read_topics, text)


def refreshes(html: str) -> object:
    return [*find_refreshes(HtmlResponse(URL, body=encoded(html), headers={"Refresh": html[:50_000]}), 100.0)]


def saved_pages(html: str) -> object:
    return read_file("a.html", lambda path: [*read_saved_pages(path.parent, Counter())], html)


def archive(text: str) -> object:
    return read_file("a.warc", lambda path: [*read_archive(path, Counter())], text)


def parquet(text: str) -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        with open_sink("parquet", path, FIELDS, io.BytesIO()) as sink:
            sink.begin(0)
            for number, article in enumerate(articles_in(text)):
                sink.write(ArticleRow(article, number, "new"), {"sentences": [], "words": []})
            sink.end()
        return sum(1 for _ in read_articles(path))


def language(text: str) -> object:
    return detect(text), bcp47(text)


def style_sheet(text: str) -> object:
    return hiding_selectors([text] * 3)


def unpack_page(text: str) -> object:
    return unpack_saved_page(encoded(text))


def json_lines(text: str) -> object:
    return read_file("a.jsonl", lambda path: [*read_articles(path)], text)


def report(html: str) -> object:
    return render_report(Page(encoded(html), URL), "page")


#: Readers of any text.
OF_FURTHER_TEXTS: dict[str, Reader] = {
    "compared": compare_texts,
    "removed": removed,
    "terms": terms,
    "tokens": partial(tokenize, "en"),
    "Chinese tokens": partial(tokenize, "zh"),
    "language": language,
    "snippet": snippet,
    "style sheet": style_sheet,
    "option": configure,
}
#: Readers of the further files of `inputs.toml`.
OF_FILES: dict[str, Reader] = {
    "corrections": partial(read_file, "a.csv", corrections),
    "correction lines": partial(read_file, "a.jsonl", corrections),
    "gold": partial(read_file, "a.jsonl", read_gold),
    "json lines": json_lines,
    "saved page": saved_pages,
    "unpacked page": unpack_page,
    "style sheet": OF_FURTHER_TEXTS["style sheet"],
    "refresh": refreshes,
}
#: Readers of many things, each of which costs something: only how they grow is judged.
OF_MANY: dict[str, Reader] = {
    "settings": read_settings,
    "archive": archive,
    "urls": read_urls,
    "stories": track,
    "versions": versions,
    "duplicates": duplicates,
    "profile": profile,
    "parquet": parquet,
}
#: What reads a page in several ways: only how they grow is judged.
OF_PAGES: dict[str, Reader] = {
    "peer": read_with_peer,
    "report": report,
    "methods": run_methods,
}
