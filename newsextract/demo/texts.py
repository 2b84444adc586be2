"""The texts of the site: stories read from a TOML file for each publication, and generated ones for load tests.

A text is a list of lines, one block a line: "## " begins a heading, "- " a list item, "> " a quotation, anything else
is a paragraph. Inside a line, `[label](address)` is a link, `*words*` bold, `{words}` a font change and `~words~` a
span, as real pages split their sentences.
"""

import random
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from newsextract.files import package_data

#: The publications of the site: the name of the text file and of the template.
TEMPLATES = ("broadsheet", "portal", "blog", "notes")
#: What the site consists of besides its texts.
SITE = package_data("newsextract.demo", "site.toml")
_BLOCK_KINDS = {"##": "heading", "-": "item", ">": "quote"}
_INLINE = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)|\*([^*]+)\*|\{([^{}]+)\}|~([^~]+)~")
#: The HTML of a mark, by the last group of _INLINE that it has.
_INLINE_HTML = {
    2: r'<a href="\2">\1</a>',
    3: r"<b>\3</b>",
    4: r'<font color="#333366">\4</font>',
    5: r'<span class="k">\5</span>',
}


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
        escaped = str(escape(self.source))
        return Markup(_INLINE.sub(lambda match: match.expand(_INLINE_HTML[match.lastindex or 2]), escaped))


class Image(NamedTuple):
    """A picture of a story: its path on the site, its caption and who took it."""

    path: str
    caption: str
    credit: str


@dataclass(frozen=True)
class Story:
    """One article as written, before any template: the gold standard of its page.

    `via`: the only way in which it is linked ("" for a story that all lists link; else feed, sitemap, related,
    section-page), or why it isn't an article (truncated, private, elsewhere). `also`: the sections in which it has a
    second URL. `comments`: name and text of each.
    """

    template: str
    slug: str
    headline: str
    summary: str
    authors: tuple[str, ...]
    published: datetime
    section: str
    section_label: str
    tags: tuple[str, ...]
    blocks: tuple[Block, ...]
    language: str
    modified: datetime | None = None
    image: Image | None = None
    comments: tuple[tuple[str, str], ...] = ()
    credit: str | None = None
    source: str | None = None
    via: str = ""
    also: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    mislabelled: bool = False

    @cached_property
    def path(self) -> str:
        """The canonical path."""
        return SITE["bad_paths"].get(self.via) or self.path_in(self.section)

    def path_in(self, section: str) -> str:
        """The path under a section, which need not be the story's first one."""
        path: str = SITE["paths"][self.template]["story"]
        return path.format(section=section, date=self.published, slug=self.slug)

    def link(self, way: str) -> str:
        """The path by which a feed, the front page or a related link links the story, with tracking parameters."""
        return f"{self.path}{SITE['tracking'][way] if self.template == 'broadsheet' else ''}"

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All paths of the story, the canonical one first."""
        ways = (self.path, *map(self.path_in, self.also), *map(self.link, SITE["tracking"]))
        return tuple(dict.fromkeys(ways))

    @cached_property
    def text(self) -> str:
        """The body, one block a line."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def credit_line(self) -> str | None:
        """The line with the editor's name as the portal prints it."""
        return f"（责任编辑：{self.credit}）" if self.credit else None

    @property
    def optional(self) -> tuple[str, ...]:
        """Lines near the text that an extractor may keep or not."""
        standfirst = self.summary if self.template == "broadsheet" else None
        picture = (self.image.caption, self.image.credit) if self.image else ()
        return tuple(line for line in (standfirst, *picture, self.credit_line) if line)


@dataclass(frozen=True)
class Publication:
    """One template's stories, newest first, and the names of its sections."""

    template: str
    title: str
    language: str
    sections: dict[str, str]
    stories: tuple[Story, ...]

    def listed(self, *ways: str) -> list[Story]:
        """The stories that all lists link, and those that are linked only in one of these ways (`Story.via`)."""
        return [story for story in self.stories if story.via in ("", *ways)]

    @property
    def tags(self) -> list[str]:
        """The tags of its listed stories, sorted."""
        return sorted({tag for story in self.listed() for tag in story.tags})


def _block(line: str) -> Block:
    mark, _, text = line.partition(" ")
    return Block(_BLOCK_KINDS[mark], text) if mark in _BLOCK_KINDS else Block("paragraph", line)


@cache
def publication(template: str) -> Publication:
    """The publication with this template, read from its text file."""
    source = package_data("newsextract.demo", f"texts/{template}.toml")
    stories = [_story(template, source["language"], source["sections"], entry) for entry in source["story"]]
    stories.sort(key=lambda story: story.published, reverse=True)
    return Publication(template, source["title"], source["language"], source["sections"], tuple(stories))


def _story(template: str, language: str, sections: dict[str, str], entry: dict[str, Any]) -> Story:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    blocks = tuple(_block(line.strip()) for line in fields.pop("text").splitlines() if line.strip())
    fields |= {
        "blocks": blocks,
        "summary": fields.get("summary") or blocks[0].text,
        "image": Image(*fields["image"]) if "image" in fields else None,
    }
    return Story(template=template, language=language, section_label=sections[entry["section"]], **fields)


def generate_publication(count: int, template: str = "load") -> Publication:
    """`count` stories of 5 to 8 English paragraphs for load tests, or for scripts to render ("app")."""
    title, word = SITE["generated"][template]
    written = [story for template in ("broadsheet", "notes") for story in publication(template).stories]
    sources = [(story, block) for story in written for block in story.blocks if len(block.text.split()) >= 25]
    headlines = sorted({story.headline for story in written})
    newest = max(story.published for story in written) - timedelta(days=1)

    def make(number: int) -> Story:
        rng = random.Random(f"{word} {number}")
        chosen = rng.sample(sources, rng.choice(range(5, 9)))
        first, opening = chosen[0]
        return Story(
            template=template,
            slug=f"{word}-{number:06}",
            headline=f"{word.title()} {number}: {rng.choice(headlines)}",
            summary=opening.text,
            authors=first.authors,
            published=newest - timedelta(minutes=17 * number),
            section=template,
            section_label=title,
            tags=(),
            blocks=tuple(block for _, block in chosen),
            language="en",
        )

    return Publication(template, title, "en", {template: title}, tuple(map(make, range(1, count + 1))))
