"""The lines of the body: what the extractor chose, without lines among the paragraphs that aren't the article's
text.

Left out are headline, byline, dates, captions, share and related links (`body_rows`, a table of rules).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache, partial
from itertools import chain, islice
from typing import Any

from newsextract.extractors import Extraction
from newsextract.files import package_data
from newsextract.language import words
from newsextract.language.names import is_person
from newsextract.language.publication_lines import has_address, is_publication_line, lines_beside_dates
from newsextract.language.sentences import ends_sentence
from newsextract.metadata.markup_hints import is_profile
from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import HEADINGS
from newsextract.parts.roles import MATTERING_TAGS, Roles
from newsextract.text import (
    DIGITS,
    LONG_LINE,
    LONGEST_LINE,
    MAX_LABEL,
    MAX_SUMMARY,
    MIN_TEXT,
    SHORT_LINE,
    letters_and_digits,
    text_width,
)
from newsextract.urls import host_and_path

#: Share of the text above which captions aren't captions.
MAX_CAPTION_SHARE = 0.4
#: What may stand before and behind the words of a related link: a bracket or an arrow; a colon, or a title, which has
#: no full stop as sentences have ("Read more often than his other books, it made his name.").
MARKS = r"[\[>»►▶→*•–-]?\s*"
NO_SENTENCE = r"(?!\w)(?!\s+\w[^:：]*\.$)"
#: A line that begins with the words of a related link, in lower case.
RELATED_LINK = f"{MARKS}(?:{words.pattern('related_link').pattern}){NO_SENTENCE}"
CREDIT = words.pattern("credit_label").pattern
#: Lines that aren't article text: links, credits, rights, labels, offers, buttons. The length in characters from which
#: on the line is a sentence after all, longest first, and a pattern of its beginning in lower case.
LINE_RULES = (
    (LONGEST_LINE, rf"©|\(c\)\s*\d{{4}}|{words.pattern('rights').pattern}"),
    (LONG_LINE, RELATED_LINK),
    (LONG_LINE, words.pattern("related_line").pattern),
    (LONG_LINE, rf"(?:{words.pattern('subscribe_line').pattern})\b"),
    (LONG_LINE, rf"(?:{CREDIT})s?\s*(?:{CREDIT}|{words.pattern('by').pattern})?\s*[:：©/|]"),
    (LONG_LINE, rf"(?:\d+\s)?(?:(?:{words.pattern('share_word').pattern})[\s|,·:：/()\d]*)+$"),
    (SHORT_LINE, rf"©|\(c\)|{words.pattern('credit_line').pattern}"),
    (SHORT_LINE, rf"[（\(\[【]?\s*(?:{words.pattern('editor_label').pattern})\s*[:：]"),
    (MAX_LABEL, rf"(?:{words.pattern('genre_label').pattern})\W*$"),
)
#: Any of them; the number of its last group is that of the first row.
LINE_RULE = re.compile("|".join(f"(?:{pattern})()" for _, pattern in LINE_RULES))
#: Most bylines and most labelled links of a text (more are a timetable or data), most repetitions of the headline (more
#: are a refrain), longest line that rules are applied to.
MAX_BYLINES = 4
MAX_HEADLINES = 2
#: What stands before a related link; what isn't a title; tags of such lines and of emphasis; a title's least width.
LINK_LABEL = re.compile(MARKS + r"\w[^:：?؟.!]{1,40}(?:[:：?؟](?![-–])|\s[|–—-]\s)")
PROSE = ("p", "div")
EMPHASES = ("strong", "b", "em", "i")
MIN_TITLE = 15
#: Hosts of social networks; parts of the path of an account there, at most. A line that leads to such accounts has at
#: most so many characters, and so many letters beside its links.
HOSTS = package_data("newsextract.article", "networks.toml")["social"]
NETWORK = re.compile(rf"(?:^|\.)(?:{'|'.join(map(re.escape, HOSTS))})$")
MAX_ACCOUNT = 4
#: How many lines a biography of the author has at most.
MAX_BIOGRAPHY = 3
#: Heading of one, and its maximum characters.
ABOUT_AUTHOR = words.pattern("about_author")
#: Number of paragraphs before which bylines may be: a standfirst, and the beginning of the text.
LEAD = 2


def body_rows(
    extraction: Extraction,
    headline: str | None,
    authors: Sequence[str],
    subtitle: str | None = None,
    *,
    language: str | None = None,
    published: Iterable[datetime | None] = (),
) -> list[int]:
    """Which of the extraction's blocks are the body: the chosen ones without headline, bylines, captions and
    LINE_RULES, which are not for cells of data tables.

    A line of names and dates is a byline before the second paragraph and after the last one, otherwise text
    (timetables, sections). The headline's words are text if they are repeated often (refrains). `subtitle`: by default
    what the page's JSON-LD declares. `language`, `published`: of the page, and the dates of its publication and
    modification.
    """
    page, rows, numbers = extraction.page, extraction.chosen_rows, extraction.origins[extraction.chosen]
    elements, linked = (column[numbers].tolist() for column in (page.blocks.elements, page.blocks.linked))
    texts = [extraction.texts[row] for row in rows]
    captions, roles = _captions(page, elements, texts), page.view(Roles)
    days = [when.date() for when in published if when]
    title = _letters_of(headline or "")
    paragraphs = [place for place, text in enumerate(texts) if _is_paragraph(text)]
    first, last = (paragraphs[:LEAD][-1], paragraphs[-1]) if paragraphs else (len(texts), -1)
    # equal lines, such as the names of a list, are judged once
    judged = cache(partial(is_publication_line, authors=authors, language=language, days=days))
    found = (place for place, text in enumerate(texts) if not first < place < last and judged(text))
    bylines = {*islice(found, MAX_BYLINES + 1)}
    if len(bylines) > MAX_BYLINES:
        bylines = set()
    if paragraphs:  # in scripts without capitals, a text of short lines looks like a byline
        others = {
            number: place
            for place, number in enumerate(numbers.tolist())
            if not first < place < last and place not in bylines
        }
        beside = {others[number] for number in lines_beside_dates(page.blocks.texts, sorted(others), language, days)}
        bylines |= {
            place
            for place in beside
            if page.blocks.tags[numbers[place]] not in HEADINGS and not roles.is_data(elements[place])
        }
    longest = 3 * len(title) + 20
    headlines = [place for place, text in enumerate(texts) if len(text) <= longest and is_headline(text, title)]
    if len(headlines) > MAX_HEADLINES or not paragraphs:
        headlines = [place for place in headlines if place <= first][:1]
    with_links = [(place, texts[place]) for place, length in enumerate(linked) if length]
    links = [
        place
        for place, text in with_links
        if len(text) <= min(LONGEST_LINE, 3 * linked[place]) and _is_link_line(page, elements[place], text)
    ]
    follow = [
        place
        for place, text in with_links
        if len(text) <= LONG_LINE and _leads_to_networks(page, elements[place], text)
    ]
    left_out = bylines.union(headlines, _biography(page.blocks, texts, elements, authors))
    left_out.update(*(lines for lines in (links, follow) if len(lines) <= MAX_BYLINES))
    subtitle = subtitle or _declared_subtitle(page)
    if subtitle and len(paragraphs) > LEAD:
        dek = _letters_of(subtitle)
        deks = {place for place in range(min(first, len(texts))) if _letters_of(texts[place]) == dek}
        if deks and is_outside_declared_text(page, subtitle):
            left_out |= deks
    furniture = {text for text in {*texts} if is_furniture(text)}
    return [
        row
        for place, (row, element) in enumerate(zip(rows, elements, strict=True))
        if element not in captions
        and ((place not in left_out and texts[place] not in furniture) or roles.is_data(element))
    ]


def _declared_subtitle(page: Page) -> str | None:
    declared = (thing.get("alternativeHeadline") for thing in page.json_ld)
    return next((text for text in declared if isinstance(text, str) and text), None)


def _is_link_line(page: Page, element: int, text: str) -> bool:
    """Whether a line is a label and behind it only keywords or the title of another page (of the site, or all of it is
    emphasized), or only a link to a place in the page."""
    if page.blocks.element_tags[element] not in PROSE:
        return False
    node = page.blocks.nodes[element]
    links = [*node.iter_elements("a")]
    label, hrefs = LINK_LABEL.match(text), [link.attr("href") or "" for link in links]
    is_within = all(href.startswith("#") for href in hrefs)
    if not links or (label is None and not is_within):
        return False
    title = text[label.end() :] if label else text
    if letters_and_digits("".join(link.text for link in links)) != letters_and_digits(title) or has_address(title):
        return False
    if is_within or (len(links) == 1 and text_width(title) < MIN_TITLE):
        return is_within
    is_emphasized = any(part.text.strip() == node.text.strip() for part in node.iter_elements(EMPHASES))
    return is_emphasized or all(host_and_path(href)[0] in ("", host_and_path(page.url)[0]) for href in hrefs)


def _leads_to_networks(page: Page, element: int, text: str) -> bool:
    """Whether a paragraph has little else than links to accounts on social networks, messengers or stores of apps.

    A sentence that names one account is text, and so is a link to a post.
    """
    if page.blocks.element_tags[element] not in PROSE:
        return False
    links = [*page.blocks.nodes[element].iter_elements("a")]
    targets = [host_and_path(link.attr("href") or "") for link in links]
    if not links or not all(NETWORK.search(host) and len(path.split("/")) <= MAX_ACCOUNT for host, path in targets):
        return False
    beside = text_width(text) - sum(text_width(link.text) for link in links)
    return beside <= SHORT_LINE and (len(links) > 1 or not ends_sentence(text))


def _biography(blocks: Blocks, texts: Sequence[str], elements: Sequence[int], authors: Sequence[str]) -> range:
    """The places of the lines about an author at the end, in an element of their own or below a heading: one that says
    so, or the author's name with a link to a profile.

    Nobody begins a paragraph of their own text with their name.
    """
    names, parents = tuple(name for name in authors if " " in name), blocks.parent_list
    for place in range(max(1, len(texts) - MAX_BIOGRAPHY), len(texts)):
        text, heading = texts[place], texts[place - 1]
        if not _is_paragraph(text):
            continue
        if len(heading) <= MAX_LABEL and (
            ABOUT_AUTHOR.fullmatch(heading.rstrip(":： ")) or _names_profile(blocks, elements[place - 1], heading, text)
        ):
            return range(place - 1, len(texts))
        if text.startswith(names):
            first = place - (parents[elements[place - 1]] == parents[elements[place]])  # with its heading
            if first == place or not _is_paragraph(texts[first]):
                return range(first, len(texts))
    return range(0)


def _names_profile(blocks: Blocks, element: int, heading: str, text: str) -> bool:
    """Whether a line is a link to the profile of whom the text behind it tells first."""
    if not text.startswith(heading) or not is_person(heading):
        return False
    node: Any = blocks.nodes[element]
    links = chain(node.iter_elements("a"), (up for up in islice(node.ancestors, 1) if getattr(up, "tag", "") == "a"))
    return any(is_profile(link.attr("href") or "") for link in links)


def is_outside_declared_text(page: Page, subtitle: str) -> bool:
    """Whether the page declares its text (`articleBody`) without the subtitle: many count it as the first paragraph."""
    declared = [str(thing["articleBody"]) for thing in page.json_ld if thing.get("articleBody")]
    text = max(declared, key=len, default="")
    if len(text) <= MIN_TEXT or subtitle in text:
        return False
    letters = _letters_of(text)
    return len(letters) > MIN_TEXT and _letters_of(subtitle) not in letters


def is_headline(text: str, title: str) -> bool:
    """Whether a line repeats the headline; `title`: the headline's `_letters_of`."""
    if not title or len(title) > 2 * len(text):
        return False
    if text[0].isascii() and text[0].isalpha() and title[0] != text[0].lower():
        return False
    return title.startswith(_letters_of(text[:20])) and _letters_of(text) == title


def is_furniture(text: str) -> bool:
    """Whether a line matches a row of LINE_RULES (related links, credits, sharing), so that it isn't text."""
    if len(text) > LONGEST_LINE:
        return False
    match = LINE_RULE.match(text.lower())
    return match is not None and len(text) <= LINE_RULES[(match.lastindex or 1) - 1][0]


def _is_paragraph(text: str) -> bool:
    return text_width(text) >= SHORT_LINE


def _captions(page: Page, elements: Sequence[int], texts: Sequence[str]) -> set[int]:
    """Which of these elements are a caption or in one; none if captions are most of the text."""
    tags, classes, parents = page.blocks.element_tags, page.blocks.element_classes, page.blocks.parent_list
    places = {
        element if classes[element] or tags[element] in MATTERING_TAGS else parents[element] for element in elements
    }
    roles = page.view(Roles)
    if all(roles[place].caption is None for place in places):
        return set()
    around = {element: roles[element].caption for element in elements}
    sizes = Counter[int | None]()
    for element, text in zip(elements, texts, strict=True):
        sizes[around[element]] += len(text)
    short = {caption: size for caption, size in sizes.items() if caption is not None and size <= MAX_SUMMARY}
    if sum(short.values()) > MAX_CAPTION_SHARE * sizes.total():
        return set()
    return {element for element, caption in around.items() if caption in short}


def _letters_of(text: str) -> str:
    """A text's letters as they are compared: a repeated headline may have another number before it."""
    return DIGITS.sub("", letters_and_digits(text))
