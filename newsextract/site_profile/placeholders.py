"""Placeholders: one text under URLs that the site itself tells apart, such as a wall or a notice of maintenance.

No words are looked for. A page's own link says what it should be about: several URLs with different link texts, none of
which is the headline, can't have one text. Copies of an article (print, AMP, tracking, another slug) have the link text
of the article, or its URL and more. A text may vary a little: a date, a number, the URL that was asked for. Where two
URLs only have it, or a wall shows each story's headline, the text must also be about something else than the links.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from newsextract.site_profile.summary import CHOSEN, LINKED, PageSummary
from newsextract.text import EAST_ASIAN, letters_and_digits

#: The reason of a page that shows a placeholder.
PLACEHOLDER = "placeholder"
#: Two pages have one text if they share this much of their letters; or their headline, all but a few blocks, and about
#: the width of the text, in letters.
MIN_SHARED, MAX_VARYING, MAX_WIDER = 0.8, 2, 40
#: Stories that must show the text: with different link texts; without any, or with one for all, such as "more".
MIN_STORIES, MIN_UNNAMED = 3, 5
#: Such stories that are enough if the text has less than this share of the letter sequences of their link texts: of
#: this length, or of two characters in Chinese, Japanese and Korean. `scripts/bench sites`, 2026-11-27: titles share .4
#: to .9 of theirs with their own articles, and mostly less than .2 with others.
MIN_FOREIGN, ABOUT, SEQUENCE = 2, 0.25, 4
#: Bytes of the letters of a text, and of a link text, that say what they are about: a notice in place of a video is
#: shorter.
MIN_TEXT, MIN_LINK_TEXT = 100, 8
#: Minimum words and numbers of a slug.
MIN_SLUG = 3
#: Pages of different texts that are compared under one key, and URLs that are compared with each other.
MAX_COMPARED, MAX_URLS = 8, 100
#: Share of the pairs of letters of the shorter that a link text and a headline have in common if they agree.
AGREEING = 0.7
TOKEN = re.compile(r"[^\W_]+")
EXTENSION = re.compile(r"\.\w{2,5}(?=$|[?#])")


def pages_of_one_text(summaries: Sequence[PageSummary]) -> list[list[int]]:
    """The numbers of the pages of each text."""
    groups: list[list[int]] = []
    by_key: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    texts = [_text(one) for one in summaries]
    for number, (one, text) in enumerate(zip(summaries, texts, strict=True)):
        if not text:
            continue
        largest = sorted(text, key=lambda key: -text[key])[:2]
        keys = [*(("block", key) for key in largest), ("lead", one.lead), ("headline", one.headline)]
        places = dict.fromkeys(place for key in keys if key[1] for place in by_key[key][-MAX_COMPARED:])
        for place in places:
            other = groups[place][0]
            if _is_alike(one, text, summaries[other], texts[other]) or _varies(one, summaries[other]):
                groups[place].append(number)
                break
        else:
            for key in keys:
                by_key[key].append(len(groups))
            groups.append([number])
    return groups


def is_placeholder(
    headline: str,
    pages: Sequence[tuple[str, str]],
    of_site: int,
    *,
    is_foreign: bool = False,
    has_own_headlines: bool = False,
) -> bool:
    """Whether a text stands for others, by its headline, and its pages' URLs and link texts; `of_site`: all pages.

    `is_foreign`: it is about something else than the link texts (`is_about_others`). `has_own_headlines`: the pages
    show it below different headlines, as walls do, and notices in place of a video.
    """
    copies = [_tokens(url) for url, text in pages if agree(headline, text)]
    others = [(_tokens(url), letters_and_digits(text)) for url, text in pages if not agree(headline, text)]
    others = [one for one in others if not any(_is_copy(one[0], copy) for copy in copies[:MAX_URLS])]
    stories: list[tuple[Counter[str], str]] = []
    for tokens, _ in others[:MAX_URLS]:
        if not any(_is_copy(tokens, story) for story in stories):
            stories.append(tokens)
    texts = {text for _, text in others if text}
    named, least = min(len(stories), len(texts)), MIN_FOREIGN if is_foreign and not copies else MIN_STORIES
    if len(stories) < least or len(others) <= len(copies):
        return False
    if named >= least or has_own_headlines:
        return is_foreign or not has_own_headlines
    return len(stories) >= MIN_UNNAMED and (not texts or 2 * len(pages) > of_site)


def is_about_others(text: str, link_texts: Sequence[str]) -> bool:
    """Whether a text is about something else than what links say."""
    told = [link for link in map(letters_and_digits, link_texts) if len(link.encode()) >= MIN_LINK_TEXT]
    letters = letters_and_digits(text)
    if not told or len(letters.encode()) < MIN_TEXT:
        return False
    shares = [_shared(link, letters) for link in told]
    return fmean(shares) < ABOUT and max(shares) < 2 * ABOUT


def _shared(link: str, letters: str) -> float:
    """The share of the link's sequences of letters that the text has."""
    length = 2 if EAST_ASIAN.search(link) else SEQUENCE
    ends = range(length, len(link) + 1)
    return sum(link[end - length : end] in letters for end in ends) / len(ends)


def _text(summary: PageSummary) -> dict[int, int]:
    """The blocks of a page's text with their letters, about; without a text those that aren't links."""
    flags = summary.rows["flags"]
    rows = summary.rows[(flags & CHOSEN) > 0]
    rows = rows if len(rows) else summary.rows[(flags & LINKED) == 0]
    return dict(zip(rows["key"].tolist(), (1 << (rows["flags"].astype(int) >> 4)).tolist(), strict=True))


def _is_alike(one: PageSummary, text: dict[int, int], other: PageSummary, text_of_other: dict[int, int]) -> bool:
    """Whether two pages share their text, all of it but a line if each shows a headline of its own.

    A list has the first lines of an article's blocks only.
    """
    common = sum(min(letters, text_of_other.get(key, 0)) for key, letters in text.items())
    longest = max(sum(text.values()), sum(text_of_other.values()))
    if one.headline != other.headline and shows_headline(one) and shows_headline(other):
        return common >= longest - MAX_WIDER
    return common >= MIN_SHARED * longest


def _varies(one: PageSummary, other: PageSummary) -> bool:
    """Whether two pages differ in a few blocks only, of about the same width, and not in the headline."""
    if one.headline != other.headline and (shows_headline(one) or shows_headline(other)):
        return False
    if abs(one.width - other.width) > MAX_WIDER:
        return False
    return len({*one.rows["key"].tolist()} ^ {*other.rows["key"].tolist()}) <= 2 * MAX_VARYING


def shows_headline(summary: PageSummary) -> bool:
    """Whether a page's headline stands on it; a wall has that of the link to it, or in its head."""
    return summary.headline in summary.rows["key"].tolist()


def agree(headline: str, link_text: str) -> bool:
    """Whether a link text is about the article with this headline."""
    one, other = letters_and_digits(headline), letters_and_digits(link_text)
    pairs, others = ({*pairwise(text)} for text in (one, other))
    return one == other != "" or len(pairs & others) > AGREEING * max(1, min(len(pairs), len(others)))


def _tokens(url: str) -> tuple[Counter[str], str]:
    """The words and numbers of a URL's path, and its last step if that has several: the story's slug."""
    path = EXTENSION.sub("", url.casefold().partition("://")[2].partition("/")[2])
    slug = path.partition("?")[0].rstrip("/").rpartition("/")[2]
    return Counter(TOKEN.findall(path)), slug if len(TOKEN.findall(slug)) >= MIN_SLUG else ""


def _is_copy(one: tuple[Counter[str], str], other: tuple[Counter[str], str]) -> bool:
    """Whether one URL is the other one and more, or the same story's in another section."""
    return one[0] <= other[0] or other[0] <= one[0] or (one[1] == other[1] != "")
