"""Stories that answer under any URL with their number: after some copies, the others aren't fetched.

Some sites read only the number in a URL, and link to their stories by each other's slugs; a live blog has a link for
each entry. Each such URL brings the same text, and their number grows with the square of the stories'.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from newsextract.items import Article, FetchedPage
from newsextract.site_profile.placeholders import DATES, agree
from newsextract.urls import split_url
from newsextract.urls.shapes import EXTENSION, numbers_in

#: URLs of one story that are fetched in a crawl.
MAX_COPIES = 5
#: Maximum groups of URLs that are counted; copies in further ones are fetched.
MAX_GROUPS = 50_000
#: A shorter number in a slug may be one of the headline.
MIN_DIGITS = 3
WORD = re.compile(r"[^\W_]+")


class StoryCopies:
    """Counts the stories under URLs that have a number, or a path, in common, by headline and date.

    Only if all show one, and a link to one of them has its headline, is the group that of a story: a wall may stand
    under all URLs of a site, too.
    """

    def __init__(self) -> None:
        self._stories: defaultdict[str, set[str]] = defaultdict(set)
        self._variants: defaultdict[str, set[str]] = defaultdict(set)
        self._named: set[str] = set()

    def record(self, page: FetchedPage, article: Article) -> None:
        """Counts a page that was read."""
        is_dated = article.sources.get("date_published") in DATES
        story = f"{article.date_published} {article.headline}" if is_dated else ""
        for group, variant in groups_of(page.url):
            if group in self._stories or len(self._stories) < MAX_GROUPS:
                self._stories[group].add(story)
                self._variants[group].add(variant)
        if is_dated and agree(article.headline or "", page.anchor_text or ""):
            self._named.add(story)

    def is_copy(self, url: str) -> bool:
        """Whether a URL that was not fetched is a further one of a story that has MAX_COPIES already."""
        return any(self._is_story(group) and variant not in self._variants[group] for group, variant in groups_of(url))

    def _is_story(self, group: str) -> bool:
        found, variants = self._stories.get(group, set()), self._variants.get(group, set())
        is_whole = not group.endswith("?") or "" in variants  # many stories may differ by their queries only
        return len(found) == 1 and self._named >= found and len(variants) >= MAX_COPIES and is_whole


def groups_of(url: str) -> Iterator[tuple[str, str]]:
    """The groups in which a URL may be one of many of a story, and what differs in each: the slug below a folder with a
    number, or beside one; the query of a path, all of it or that beside a number."""
    parts = split_url(url)
    if parts is None:
        return
    folder, _, name = f"{parts.netloc.casefold()}{parts.path.rstrip('/').casefold()}".rpartition("/")
    if numbers_in(f"https://{folder}/"):
        yield f"{folder}/", name
    words = WORD.findall(EXTENSION.sub("", name))
    for place, word in (("{}*", words[:1]), ("*{}", words[-1:])):
        if len(words) > 1 and len(word[0]) >= MIN_DIGITS and numbers_in(f"https:///{word[0]}"):
            yield f"{folder}/{place.format(word[0])}", name
    if name:
        yield f"{folder}/{name}?", parts.query
    parameters = parts.query.split("&")
    for parameter in parameters if len(parameters) > 1 else ():
        if numbers_in(f"https:///{parameter}"):
            yield f"{folder}/{name}?{parameter}", parts.query
