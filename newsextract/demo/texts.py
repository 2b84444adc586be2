"""The texts of the site: stories read from a TOML file for each publication, and generated ones for load tests.

A text is a list of lines, one block a line: "## " begins a heading, "- " a list item, "> " a quotation, anything else
is a paragraph. Inside a line, `[label](address)` is a link, `*words*` bold, `{words}` a font change and `~words~` a
span, as real pages split their sentences.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property, partial
from importlib.resources import files
from typing import Any

from markupsafe import Markup, escape

#: The publications of the site: the name of the text file and of the template.
TEMPLATES = ("broadsheet", "portal", "blog", "notes")

#: The path of a story, for each template.
STORY_PATHS = {
    "broadsheet": "/news/{section}/{date:%Y/%m}/{slug}.html",
    "portal": "/zh/{date:%Y-%m}/{date:%d}/content_{slug}.htm",
    "blog": "/blog/{date:%Y/%m}/{slug}/",
    "notes": "/notes/{slug}.html",
    "load": "/load/{date:%Y/%m}/{slug}.html",
    "app": "/app/{date:%Y/%m}/{slug}.html",
}

#: Paths of stories that belong to bad pages, by their `via`.
BAD_PAGE_PATHS = {"private": "/private/draft-ferry-merger.html", "elsewhere": "/elsewhere/partner-story.html"}

_BLOCK_MARKS = (("## ", "heading"), ("- ", "item"), ("> ", "quote"))
_INLINE = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)|\*([^*]+)\*|\{([^}]+)\}|~([^~]+)~")
_INLINE_TAGS = {3: ("<b>", "</b>"), 4: ('<font color="#333366">', "</font>"), 5: ('<span class="k">', "</span>")}


@dataclass(frozen=True)
class Block:
    """One line of a text: its kind (paragraph, heading, item, quote) and the line as written, with inline marks."""

    kind: str
    source: str

    @cached_property
    def text(self) -> str:
        """The line without its inline marks: what a reader sees."""
        return _INLINE.sub(lambda match: next(group for group in match.groups() if group is not None), self.source)

    @cached_property
    def html(self) -> Markup:
        """The line as HTML, escaped, its inline marks turned into tags."""
        parts, end = [], 0
        for match in _INLINE.finditer(self.source):
            parts += [escape(self.source[end : match.start()]), _tag(match)]
            end = match.end()
        return Markup("").join([*parts, escape(self.source[end:])])


def _tag(match: re.Match[str]) -> Markup:
    if match.group(1) is not None:
        return Markup('<a href="{}">{}</a>').format(match.group(2), match.group(1))
    opening, closing = _INLINE_TAGS[match.lastindex or 3]
    return Markup(opening) + escape(match.group(match.lastindex or 3)) + Markup(closing)


@dataclass(frozen=True)
class Image:
    """A picture of a story: its path on the site, its caption and who took it."""

    path: str
    caption: str
    credit: str


@dataclass(frozen=True)
class Comment:
    """What a reader wrote under a story."""

    name: str
    text: str


@dataclass(frozen=True)
class Story:
    """One article as written, before any template.

    `via`: the only way in which it is linked ("" for a story that all lists link; else feed, sitemap, related,
    section-page, or the bad page that it belongs to). `also` are the sections in which it has a second URL.
    """

    template: str
    slug: str
    headline: str
    summary: str
    authors: tuple[str, ...]
    published: datetime
    modified: datetime | None
    section: str
    section_label: str
    tags: tuple[str, ...]
    blocks: tuple[Block, ...]
    language: str
    image: Image | None = None
    comments: tuple[Comment, ...] = ()
    credit: str | None = None
    source: str | None = None
    via: str = ""
    also: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    mislabelled: bool = False

    @cached_property
    def path(self) -> str:
        """The canonical path."""
        return BAD_PAGE_PATHS.get(self.via) or self.path_in(self.section)

    def path_in(self, section: str) -> str:
        """The path under a section, which need not be the story's first one."""
        return STORY_PATHS[self.template].format(section=section, date=self.published, slug=self.slug)

    @cached_property
    def text(self) -> str:
        """The body, one block a line."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def changed(self) -> datetime:
        """When it was last touched."""
        return self.modified or self.published


@dataclass(frozen=True)
class Publication:
    """One template's stories, newest first, and the names of its sections."""

    template: str
    title: str
    language: str
    sections: dict[str, str]
    stories: tuple[Story, ...]

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where in `stories` a story stands, by its slug."""
        return {story.slug: position for position, story in enumerate(self.stories)}


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a text, one for each line that is not empty."""
    return tuple(_block(line.strip()) for line in text.splitlines() if line.strip())


def _block(line: str) -> Block:
    for mark, kind in _BLOCK_MARKS:
        if line.startswith(mark):
            return Block(kind, line.removeprefix(mark))
    return Block("paragraph", line)


@cache
def publication(template: str) -> Publication:
    """The publication with this template, read from its text file."""
    source = tomllib.loads(files(__package__).joinpath("texts", f"{template}.toml").read_text(encoding="utf-8"))
    sections: dict[str, str] = source["sections"]
    stories = [_story(template, source["language"], sections, entry) for entry in source["story"]]
    stories.sort(key=lambda story: story.published, reverse=True)
    return Publication(template, source["title"], source["language"], sections, tuple(stories))


@cache
def events() -> list[dict[str, Any]]:
    """The events of the simulated month, each with its `name` and `reports` (texts/events.toml)."""
    source = tomllib.loads(files(__package__).joinpath("texts", "events.toml").read_text(encoding="utf-8"))
    return list(source["event"])


def _story(template: str, language: str, sections: dict[str, str], entry: dict[str, Any]) -> Story:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    blocks = blocks_of(fields.pop("text"))
    image = fields.pop("image", None)
    comments = fields.pop("comments", ())
    return Story(
        template=template,
        language=language,
        section_label=sections[entry["section"]],
        blocks=blocks,
        summary=fields.pop("summary", "") or blocks[0].text,
        modified=fields.pop("modified", None),
        image=Image(*image) if image else None,
        comments=tuple(Comment(*comment) for comment in comments),
        **fields,
    )


#: Paragraphs of a generated story.
_PARAGRAPHS = range(5, 9)


#: Title and word for a story of generated publications, by template.
_GENERATED = {"load": ("Dispatches", "dispatch"), "app": ("Harbour Wire", "wire")}


def generate_publication(count: int, template: str = "load") -> Publication:
    """`count` stories for load tests, each of 5 to 8 paragraphs drawn from the English texts.

    `template`: "load", or "app" for the section that scripts draw. The n-th story of one is always the same, and two
    stories hardly share more than one paragraph.
    """
    title, word = _GENERATED[template]
    written = [story for template in ("broadsheet", "notes") for story in publication(template).stories]
    sources = [(story, block) for story in written for block in story.blocks if len(block.text.split()) >= 25]
    headlines = sorted({story.headline for story in written})
    newest = max(story.published for story in written) - timedelta(days=1)
    make = partial(_generate_story, template, sources, headlines, newest)
    return Publication(template, title, "en", {template: title}, tuple(make(n, word) for n in range(1, count + 1)))


def _generate_story(
    template: str,
    sources: Sequence[tuple[Story, Block]],
    headlines: Sequence[str],
    newest: datetime,
    number: int,
    word: str,
) -> Story:
    rng = random.Random(f"{word} {number}")
    chosen = rng.sample(sources, rng.choice(_PARAGRAPHS))
    first = chosen[0][0]
    return Story(
        template=template,
        slug=f"{word}-{number:06}",
        headline=f"{word.title()} {number}: {rng.choice(headlines)}",
        summary=chosen[0][1].text,
        authors=first.authors,
        published=newest - timedelta(minutes=17 * number),
        modified=None,
        section=template,
        section_label=_GENERATED[template][0],
        tags=(),
        blocks=tuple(block for _, block in chosen),
        language="en",
    )
