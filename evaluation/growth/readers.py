"""The readers of foreign text: what is pumped."""

import io
from collections.abc import Callable
from functools import cache, partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from newsextract import extract
from newsextract.browse.history import steps
from newsextract.crawl.politeness import RobotRules
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.links import parse_links
from newsextract.discovery.list_memory import read_new_entries
from newsextract.discovery.lists import read_list, sitemaps_in_robots_txt
from newsextract.errors import NewsextractError
from newsextract.export.exporter import FIELDS
from newsextract.export.formats import FORMATS, open_sink
from newsextract.index.query import parse_query, token_line
from newsextract.items import Article
from newsextract.language.date_parser import find_dates
from newsextract.language.names import parse_names
from newsextract.language.words import languages
from newsextract.metadata.language import detect
from newsextract.methods.common.lines import Lines
from newsextract.methods.common.tag_sequence import TagSequence
from newsextract.near_duplicates import signature_of
from newsextract.page import Page
from newsextract.page.decode import decode
from newsextract.page.text_nodes import TextNodes
from newsextract.runs.sites_file import read_list as read_sites_list
from newsextract.store import ArticleRow
from newsextract.urls import absolute_url, article_key

Reader = Callable[[str], object]
URL = "https://news.example.org/2026/05/01/pier"
QUERY = 'headline:pier AND ("old pier" OR tide*) NOT winter OR a'
#: A page that makes readers load what they need.
PAGE = f"""<html lang=en><title>The ferry - Gazette</title><h1>The ferry</h1><p>By <a rel=author>Ada Moor</a>, 3 May
{"<p>The council voted to keep the old ferry running through the winter, said the mayor." * 20}
<script type="application/ld+json">{{"@type": "NewsArticle", "datePublished": "2026-05-01"}}</script>
<script>window.a = {{"text": "The harbour council voted to rebuild the old pier after a winter of storms."}}</script>
<table><tr><th>1<td>2</table><p>\u6e2f\u53e3\u9547"""
#: A text of no language, which only the model of languages can judge: it is loaded for the first of these.
OF_NO_LANGUAGE = "zorb quix flam " * 20
#: Texts of a feed's entry.
ENTRY_TEXTS = ("title", "author", "pubDate", "description")
#: Languages whose dates are looked for.
LANGUAGES = ("en", "de", "zh", "ar", "th")
#: Every so many lines of an older version differ from the newer one's.
CHANGED_LINE = 7


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def read_page(html: str) -> object:
    """Decoding, tree, blocks, parts, text, metadata, body, HTML, the data of scripts."""
    return extract(encoded(html), URL)


def read_views(html: str) -> object:
    """What other readers of a page ask: its links, and the views of extractors that `extract` doesn't use."""
    page = Page(encoded(html), URL)
    return page.view(TextNodes), page.view(Lines), page.view(TagSequence), parse_links(encoded(html), URL)


def read_entries(text: str) -> object:
    return read_list(encoded(text), URL)


def read_twice(text: str) -> object:
    """A list of half the size, and what is new in it the next day: a line in the middle."""
    text = text[: len(text) // 2]
    body = encoded(text)
    before, middle, after = text[: len(text) // 2].rpartition("\n" if "\n" in text else "</url>")
    later = encoded(f"{before}{middle}<url><loc>{URL}</loc></url>{after}{text[len(text) // 2 :]}")
    return read_new_entries(later, URL, known=read_new_entries(body, URL).memory)


def read_entry(text: str) -> object:
    """A text as each of the texts of a feed's entry, which share its size."""
    share = escape(text[: len(text) // len(ENTRY_TEXTS)])
    tags = "".join(f"<{tag}>{share}</{tag}>" for tag in ENTRY_TEXTS)
    return read_entries(f"<rss><channel><item><link>/a</link>{tags}</item></channel></rss>")


def read_robots(text: str) -> object:
    rules = RobotRules(text)
    return (
        rules.allowed(URL, "newsextract/1"),
        rules.crawl_delay("newsextract"),
        sitemaps_in_robots_txt(encoded(text), URL),
    )


def read_bytes(text: str) -> object:
    return non_html_reason(encoded(text), "text/plain"), decode(encoded(text), None, URL)


def read_sites(text: str) -> object:
    with TemporaryDirectory() as folder:
        (path := Path(folder) / "sites").write_text(text, "utf-8", "replace")
        return read_sites_list(path)


def read_history(text: str) -> object:
    """A text of lines, or of the paragraph, and the version before it."""
    lines = text.splitlines() or [""]
    before = [f"{line} new" if not number % CHANGED_LINE else line for number, line in enumerate(lines)]
    versions = ("\n".join(body) for body in ([*before[1:], "End"], lines))
    return steps([Article(url=URL, headline="Pier", article_body=body) for body in versions])


def search(text: str) -> object:
    query = parse_query(QUERY)
    return query.matches(["", "", "", text]), query.spans(text)


def export(form: str, text: str) -> object:
    article = Article(url=URL, headline=text[:200], article_body=text, article_body_html=f"<p>{escape(text)}</p>")
    with TemporaryDirectory() as folder, open_sink(form, Path(folder) / "out", FIELDS, io.BytesIO()) as sink:
        sink.begin(0)
        sink.write(ArticleRow(article, 1, "new"), {"sentences": [text], "words": [text.split()]})
        sink.end()
    return form


def names(text: str) -> object:
    return parse_names([text])


def dates(text: str) -> object:
    return [find_dates(text, language) for language in LANGUAGES]


def url(text: str) -> object:
    return article_key(f"{URL}{text}"), absolute_url(text, URL)


def header(text: str) -> object:
    return declared_charset(f"text/html; charset={text}")


#: Readers of any text.
OF_TEXTS: dict[str, Reader] = {
    "decode": read_bytes,
    "names": names,
    "dates": dates,
    "index": token_line,
    "query": parse_query,
    "search": search,
    "near-duplicates": signature_of,
    "history": read_history,
    "url": url,
    "header": header,
    "entry": read_entry,
    "robots": read_robots,
    **{f"export {form}": partial(export, form) for form in FORMATS},
}
#: Readers of lists.
OF_LISTS: dict[str, Reader] = {
    "list": read_entries,
    "list twice": read_twice,
    "robots": read_robots,
    "sites": read_sites,
}


def read(reader: Reader, text: str) -> None:
    """Reads an input; a refusal is an answer."""
    try:
        reader(text)
    except NewsextractError:
        return


@cache
def load_for(reader: Reader) -> None:
    """Loads what a reader loads on first use."""
    read(reader, PAGE)


@cache
def warm_up() -> None:
    """Loads what readers load on first use, so that it counts for no input."""
    for reader in OF_TEXTS.values():
        read(reader, "By Ada Moor, 3 May 2026. \u0301\u6e2f")
    for reader in (read_page, read_views, read_sites):
        read(reader, PAGE)
    for language in languages():
        find_dates("3", language)  # a page of no language is searched for those of all
    detect(OF_NO_LANGUAGE)
