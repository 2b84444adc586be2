"""Stories that answer under any URL with their number: after some copies, the others aren't fetched.

Some sites read only the number in a URL, and link to their stories by each other's slugs; a live blog has a link for
each entry. Each such URL brings the same text, and their number grows with the square of the stories'.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from newsextract.items import Article, FetchedPage
from newsextract.site_profile.placeholders import DATES, agree
from newsextract.urls import content_hash, split_url
from newsextract.urls.shapes import EXTENSION, numbers_in

#: URLs of one story that are fetched in a crawl.
MAX_COPIES = 5
#: Maximum groups of URLs that are counted; copies in further ones are fetched.
MAX_GROUPS = 50_000
#: A shorter number in a slug may be one of the headline.
MIN_DIGITS = 3
WORD = re.compile(r"[^\W_]+")


class StoryCopies:
    """Counts the texts under URLs that have a number, or a path, in common.

    Only if all have one text, dated, and a link to one has its headline, is the group that of a story: a wall may stand
    under all URLs of a site, too.
    """

    def __init__(self) -> None:
        self._texts: defaultdict[str, set[str]] = defaultdict(set)
        self._variants: defaultdict[str, set[str]] = defaultdict(set)
        self._named: set[str] = set()

    def record(self, page: FetchedPage, article: Article) -> None:
        """Counts a page that was read."""
        is_story = article.is_article and article.sources.get("date_published") in DATES
        text = content_hash(article.headline, article.article_body) if is_story else ""
        for group, variant in groups_of(page.url):
            if group in self._texts or len(self._texts) < MAX_GROUPS:
                self._texts[group].add(text)
                self._variants[group].add(variant)
        if is_story and agree(article.headline or "", page.anchor_text or ""):
            self._named.add(text)

    def is_copy(self, url: str) -> bool:
        """Whether a URL that was not fetched is a further one of a story that has MAX_COPIES already."""
        return any(self._is_story(group) and variant not in self._variants[group] for group, variant in groups_of(url))

    def _is_story(self, group: str) -> bool:
        texts = self._texts.get(group, set())
        return len(texts) == 1 and self._named >= texts and len(self._variants[group]) >= MAX_COPIES


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
