from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from newsextract.demo import Site
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import ReferencePages, ReferenceUpdate, same_template, template_of, url_shape
from newsextract.pairing.templates import REDESIGN_AFTER, RENEW_AFTER

NOW = datetime(2026, 5, 5, tzinfo=UTC)
COUNT = REDESIGN_AFTER + 2
#: Templates of the demonstration site that its redesign changes, and one that it leaves alone.
REDESIGNED, AS_IT_WAS = ("broadsheet", "blog"), "portal"


@pytest.fixture(scope="module")
def pages() -> Callable[..., list[FetchedPage]]:
    """Articles of a template of the demonstration site, all of one URL pattern, in either design."""
    designs = {design: Site(design=design) for design in (1, 2)}
    stories = designs[1].gold()

    def made(template: str, design: int, at: datetime = NOW, skip: int = 0) -> list[FetchedPage]:
        paths = [gold.path for gold in stories if gold.template == template]
        patterns = [url_shape(f"https://courier.example{path}").pattern for path in paths]
        common = max(patterns, key=patterns.count)
        like = [path for path, pattern in zip(paths, patterns, strict=True) if pattern == common]
        found = []
        for path in like[skip : skip + COUNT]:
            body = designs[design].page(path).body
            page = Page(body, f"https://courier.example{path}")
            found.append(FetchedPage(page.url or "", body, at, template=template_of(page)))
        return found

    return made


def meet(references: ReferencePages, met: list[FetchedPage], is_article: bool = True) -> list[ReferenceUpdate]:
    for page in met:
        references.add_fetched(page)
    return [references.record_outcome(page.url, is_article) for page in met]


@pytest.mark.parametrize("template", REDESIGNED)
def test_reference_pages_are_retired_once_after_redesign(
    pages: Callable[..., list[FetchedPage]], template: str
) -> None:
    references, old = ReferencePages(), pages(template, 1, NOW - RENEW_AFTER)[:3]
    for page in old:
        references.add(page)
    verdicts = meet(references, pages(template, 2))
    retired = [verdict.retired for verdict in verdicts if verdict.retired]
    assert retired, "the new pages share no template with the old"
    assert {page.url for page in retired[0]} <= {page.url for page in old}
    assert len(retired) == 1
    assert [verdict.retired for verdict in verdicts[: REDESIGN_AFTER - 1]] == [()] * (REDESIGN_AFTER - 1)


@pytest.mark.parametrize("template", [*REDESIGNED, AS_IT_WAS])
def test_reference_pages_stay_while_template_is_unchanged(
    pages: Callable[..., list[FetchedPage]], template: str
) -> None:
    references = ReferencePages()
    for page in pages(template, 1)[:3]:
        references.add(page)
    same = pages(template, 2 if template == AS_IT_WAS else 1, skip=3)
    assert set(meet(references, same)) == {ReferenceUpdate()}


def test_reference_pages_ignore_pages_that_are_no_articles(pages: Callable[..., list[FetchedPage]]) -> None:
    references = ReferencePages()
    references.add(pages("broadsheet", 1)[0])
    assert set(meet(references, pages("broadsheet", 2), is_article=False)) == {ReferenceUpdate()}


def test_reference_pages_stay_if_one_article_fits(
    pages: Callable[..., list[FetchedPage]],
) -> None:
    references, old = ReferencePages(), pages("broadsheet", 1)
    references.add(old[0])
    assert meet(references, old[1:2]) == [ReferenceUpdate()]
    assert set(meet(references, pages("broadsheet", 2, skip=1))) == {ReferenceUpdate()}


def test_outdated_reference_pages_are_replaced_once(
    pages: Callable[..., list[FetchedPage]],
) -> None:
    references, old = ReferencePages(), pages("broadsheet", 1, NOW - RENEW_AFTER - timedelta(hours=1))
    references.add(old[0])
    new = pages("broadsheet", 1, skip=1)
    assert meet(references, new[:1], is_article=False) == [ReferenceUpdate()]
    assert [verdict.replacement for verdict in meet(references, new[1:])] == [new[1], *[None] * (len(new) - 2)]
    young = ReferencePages()
    young.add(pages("broadsheet", 1, NOW - timedelta(days=1))[0])
    assert set(meet(young, new)) == {ReferenceUpdate()}


def test_same_template_ignores_number_of_paragraphs_but_not_redesign() -> None:
    def page(word: str, paragraphs: int) -> frozenset[int]:
        wrappers = "".join(f"<div class='{word}-{part}'><span>{part}</span></div>" for part in "abcdefgh")
        return template_of(Page(f"<body>{wrappers}" + "<p>Some text of the article.</p>" * paragraphs))

    assert same_template(page("old", 3), page("old", 30))
    assert not same_template(page("old", 3), page("new", 3))
    assert not same_template(frozenset(), frozenset())


def test_same_template_separates_section_page_from_article() -> None:
    chrome = frozenset(range(24))
    article, section = chrome | frozenset(range(100, 121)), chrome | frozenset(range(200, 204))
    assert not same_template(article, section)
    assert same_template(article, article | frozenset(range(300, 310)))
