"""Placeholders: one text under URLs that the site itself tells apart, such as a wall or a notice of maintenance.

No words are looked for. A page's own link says what it should be about: several URLs with different link texts, none of
which is the headline, can't have one text. Copies of an article (print, AMP, tracking, another slug) have the link text
of the article, or its URL and more. A text may vary a little: a date, a number, the URL that was asked for.

A text that is a story's own is none, even if other links lead to it: a site may answer with the story for its number,
and link to it by any slug. But several stories that redirect to it have another number, and are behind a wall.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from newsextract.limits import NEARLY_ALL, SIMILAR_TEXTS
from newsextract.site_profile.summary import CHOSEN, LINKED, PageSummary
from newsextract.text import letters_and_digits
from newsextract.urls.shapes import is_copy, is_same_story, page_of_entry, path_tokens

#: The reason of a page that shows a placeholder.
PLACEHOLDER = "placeholder"
#: Two pages have one text if they share nearly all letters; or their headline, all but a few blocks, and about the
#: width of the text, in letters.
MAX_VARYING = 2
MAX_WIDER = 40
#: Or this share of the wider one: a line in three with a number in it may pass for a date line, which is no text.
MAX_WIDER_SHARE = 0.35
#: Stories that must show the text: with different link texts; without any, or with one for all, such as "more".
MIN_STORIES = 3
MIN_UNNAMED = 5
#: Entries that a live blog shows at least.
MIN_ENTRIES = 2
#: URLs that are compared with each other.
MAX_URLS = 100
#: Share of the pairs of letters of the shorter that a link text and a headline have in common if they agree.
AGREEING = 0.7
#: Sources of dates that a page itself declares.
DATES = frozenset({"json-ld", "meta", "microdata", "time"})


def pages_of_one_text(summaries: Sequence[PageSummary], replaced: Collection[int] = ()) -> list[list[int]]:
    """The numbers of the pages of each text; `replaced`: of pages that had texts of their own before.

    Pages with headlines of their own may share a notice, as videos do, but not in place of their texts.
    """
    groups: list[list[int]] = []
    by_key: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    texts = [_text(one) for one in summaries]
    for number, (one, text) in enumerate(zip(summaries, texts, strict=True)):
        if not text:
            continue
        largest = sorted(text, key=lambda key: -text[key])[:2]
        keys = [*(("block", key) for key in largest), ("lead", one.lead), ("headline", one.headline)]
        places = dict.fromkeys(place for key in keys if key[1] for place in by_key[key][-SIMILAR_TEXTS:])
        for place in places:
            other = groups[place][0]
            had_own = number in replaced and other in replaced
            if _is_alike(one, text, summaries[other], texts[other], had_own) or _varies(one, summaries[other]):
                groups[place].append(number)
                break
        else:
            for key in keys:
                by_key[key].append(len(groups))
            groups.append([number])
    return groups


def is_own_story(
    headline: str,
    is_dated: bool,
    canonical: str,
    linked: Sequence[tuple[str, str]],
    redirected: Sequence[tuple[str, str]],
) -> bool:
    """Whether a text is that of a story at one of its URLs, which a link with its headline leads to, or its canonical.

    `headline`: as the page shows it, or "". `linked`, `redirected`: URLs that show the text, or redirect to one that
    does, and the texts of the links to them.
    """
    named = [url for url, text in linked if agree(headline, text or _slug(url))]
    tokens = path_tokens(canonical)
    is_own = any(url == canonical or (tokens and is_copy(tokens, path_tokens(url))) for url, _ in linked)
    own = next(iter(named), canonical if is_own else "")
    if not headline or not own:
        return False
    told = [*redirected, *(() if named and is_dated else linked)]
    others = {url for url, text in told if not agree(headline, text) and not is_same_story(url, own)}
    return len(others) < MIN_STORIES


def has_entries(pages: Sequence[PageSummary]) -> bool:
    """Whether these are entries of one page, a live blog: its text has the texts of links to several of them."""
    if len({page_of_entry(page.url) for page in pages}) > 1:
        return False
    labels = {page.label for page in pages} - {0}
    texts = ({*page.rows["key"][(page.rows["flags"] & CHOSEN) > 0].tolist()} for page in pages)
    return any(len(labels & text) >= MIN_ENTRIES for text in texts)


def is_placeholder(headline: str, pages: Sequence[tuple[str, str]], of_site: int) -> bool:
    """Whether a text stands for others, by its headline, and its pages' URLs and link texts; `of_site`: all pages."""
    copies = [path_tokens(url) for url, text in pages if agree(headline, text)]
    others = [(path_tokens(url), letters_and_digits(text)) for url, text in pages if not agree(headline, text)]
    others = [one for one in others if not any(is_copy(one[0], copy) for copy in copies[:MAX_URLS])]
    stories: list[Counter[str]] = []
    for tokens, _ in others[:MAX_URLS]:
        if not any(is_copy(tokens, story) for story in stories):
            stories.append(tokens)
    if len(stories) < MIN_STORIES or len(others) <= len(copies):
        return False
    texts = {text for _, text in others if text}
    if len(texts) >= MIN_STORIES:
        return True
    return len(stories) >= MIN_UNNAMED and (not texts or 2 * len(pages) > of_site)


def _text(summary: PageSummary) -> dict[int, int]:
    """The blocks of a page's text with their letters, about; without a text those that aren't links."""
    flags = summary.rows["flags"]
    rows = summary.rows[(flags & CHOSEN) > 0]
    rows = rows if len(rows) else summary.rows[(flags & LINKED) == 0]
    return dict(zip(rows["key"].tolist(), (1 << (rows["flags"].astype(int) >> 4)).tolist(), strict=True))


def _is_alike(
    one: PageSummary, text: dict[int, int], other: PageSummary, text_of_other: dict[int, int], had_own: bool
) -> bool:
    """Whether two pages share their text, and don't show headlines of their own, unless they had texts of their own."""
    if not had_own and one.headline != other.headline and shows_headline(one) and shows_headline(other):
        return False
    common = sum(letters for key, letters in text.items() if key in text_of_other)
    return common >= NEARLY_ALL * max(sum(text.values()), sum(text_of_other.values()))


def _varies(one: PageSummary, other: PageSummary) -> bool:
    """Whether two pages differ in a few blocks only, of about the same width, and not in the headline."""
    if one.headline != other.headline and (shows_headline(one) or shows_headline(other)):
        return False
    if abs(one.width - other.width) > max(MAX_WIDER, MAX_WIDER_SHARE * max(one.width, other.width)):
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


def _slug(url: str) -> str:
    """The last segment of a URL's path, in which a headline may stand."""
    return PurePosixPath(url.partition("?")[0]).stem
