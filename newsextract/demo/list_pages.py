"""Pages that list stories: sections and tags with their pagination, and which stories each lists."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from newsextract.demo.texts import Publication, Story

#: Sections of each template: path of the first page, of further pages, stories a page.
SECTION_PAGES = {
    "broadsheet": ("/news/{section}/", "/news/{section}/?page={n}", 4),
    "portal": ("/zh/{section}/", "/zh/{section}/index_{n}.htm", 4),
    "blog": ("/blog/", "/blog/page/{n}/", 5),
    "notes": ("/notes/", "/notes/older-{n}.html", 6),
    "load": ("/load/", "/load/?page={n}", 100),
}
TAG_PAGES = {"broadsheet": "/tag/{tag}/", "blog": "/blog/tag/{tag}/"}
TOPIC_PAGE = "/blog/thema/{section}/"

#: Templates with one list of all stories, whatever their section.
WITHOUT_SECTIONS = ("blog", "notes", "load")


@dataclass(frozen=True)
class Entry:
    """A story in a list, with the path by which the list links it."""

    path: str
    story: Story


@dataclass(frozen=True)
class ListPage:
    """One page of a list; `newer`, `older`: paths of the pages before and after it."""

    kind: str
    template: str
    title: str
    path: str
    number: int
    entries: tuple[Entry, ...]
    newer: str | None
    older: str | None


def listed(stories: tuple[Story, ...], *ways: str) -> tuple[Story, ...]:
    """The stories that are linked from all lists, and those that are linked only in one of these ways (`Story.via`)."""
    return tuple(story for story in stories if story.via in ("", *ways))


def tag_slug(tag: str) -> str:
    """A tag as a path segment."""
    ascii_like = tag.lower().replace("ß", "ss").replace(" ", "-")
    return unicodedata.normalize("NFKD", ascii_like).encode("ascii", "ignore").decode()


def list_pages(publication: Publication) -> Iterator[ListPage]:
    """Every section and tag page of a publication."""
    first, further, size = SECTION_PAGES[publication.template]
    stories = listed(publication.stories, "section-page")
    if publication.template in WITHOUT_SECTIONS:
        entries = [Entry(story.path, story) for story in stories]
        yield from _pages("section", publication.template, publication.title, entries, first, further, size)
    else:
        for section, label in publication.sections.items():
            entries = [Entry(s.path_in(section), s) for s in stories if section in (s.section, *s.also)]
            pages = (first.replace("{section}", section), further.replace("{section}", section))
            yield from _pages("section", publication.template, label, entries, *pages, size)
    yield from _tag_pages(publication)


def _tag_pages(publication: Publication) -> Iterator[ListPage]:
    """Tag pages, and the topic pages of the blog; they list no stories that are linked only in one way."""
    pattern = TAG_PAGES.get(publication.template)
    if pattern is None:
        return
    lists: dict[tuple[str, str], list[Entry]] = {}
    for story in listed(publication.stories):
        keys = [(pattern.format(tag=tag_slug(tag)), tag) for tag in story.tags]
        if publication.template == "blog":
            keys.append((TOPIC_PAGE.format(section=story.section), story.section_label))
        for key in keys:
            lists.setdefault(key, []).append(Entry(story.path, story))
    for (path, title), entries in lists.items():
        yield from _pages("tag", publication.template, title, entries, path, path + "?page={n}", 50)


def _pages(
    kind: str, template: str, title: str, entries: list[Entry], first: str, further: str, size: int
) -> Iterator[ListPage]:
    count = max(1, -(-len(entries) // size))
    paths = [first, *(further.format(n=n) for n in range(2, count + 1))]
    for index, path in enumerate(paths):
        page_entries = tuple(entries[index * size : (index + 1) * size])
        newer = paths[index - 1] if index else None
        older = paths[index + 1] if index + 1 < count else None
        yield ListPage(kind, template, title, path, index + 1, page_entries, newer, older)
