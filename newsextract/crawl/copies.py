"""Stories that answer under any URL with their number: after some copies, the others aren't fetched.

Some sites read only the number in a URL, and link to their stories by each other's slugs; a live blog has a link for
each entry. Each such URL brings the same text, and their number grows with the square of the stories'.
"""

from collections import defaultdict
from collections.abc import Iterator

from newsextract.items import Article, FetchedPage
from newsextract.limits import MAX_REMEMBERED
from newsextract.site_profile.placeholders import DATES, agree
from newsextract.text import ALPHANUMERICS
from newsextract.urls import site_of, split_url
from newsextract.urls.shapes import EXTENSION, MIN_NUMBER, numbers_in

#: URLs of one story that are fetched in a crawl.
MAX_COPIES = 5
#: Maximum URLs of a group that are told apart: a story may answer under any number.
MAX_VARIANTS = 100


class StoryCopies:
    """Counts the stories of each site under URLs that have a number, or a path, in common, by headline and date.

    Only if all show one, and a link to one of them has its headline, is the group that of a story: a wall may stand
    under all URLs of a site, too.
    """

    def __init__(self) -> None:
        self._sites: defaultdict[str, _SiteStories] = defaultdict(_SiteStories)

    def record(self, page: FetchedPage, article: Article) -> None:
        """Counts a page that was read."""
        site, is_dated = self._sites[site_of(page.url)], article.sources.get("date_published") in DATES
        story = hash((article.date_published, article.headline)) if is_dated else None
        for name, variant in groups_of(page.url):
            site.add(name, variant, story)
        if (
            story is not None
            and len(site.named) < MAX_REMEMBERED
            and agree(article.headline or "", page.anchor_text or "")
        ):
            site.named.add(story)

    def is_copy(self, url: str) -> bool:
        """Whether a URL that was not fetched is a further one of a story that has MAX_COPIES already."""
        site = self._sites.get(site_of(url))
        return site is not None and any(site.has_copies(name, variant) for name, variant in groups_of(url))


class _SiteStories:
    """The groups of a site by the hashes of their names, and the stories whose headline a link to them has.

    A group is its story and what differs in its URLs, all as hashes; None once it has a second story. A crawl keeps two
    for each page, so they are as small as they can be.
    """

    __slots__ = ("groups", "named")

    def __init__(self) -> None:
        self.groups: dict[int, tuple[int | None, ...] | None] = {}
        self.named: set[int | None] = set()

    def add(self, name: str, variant: str, story: int | None) -> None:
        key, place = hash(name), hash(variant)
        group = self.groups.get(key, ())
        if group == ():
            if len(self.groups) < MAX_REMEMBERED:
                self.groups[key] = story, place
        elif group is not None and group[0] != story:
            self.groups[key] = None
        elif group is not None and len(group) <= MAX_VARIANTS and place not in group[1:]:
            self.groups[key] = *group, place

    def has_copies(self, name: str, variant: str) -> bool:
        story, *variants = self.groups.get(hash(name)) or (None,)
        is_whole = not name.endswith("?") or hash("") in variants  # many stories may differ by their queries only
        return len(variants) >= MAX_COPIES and hash(variant) not in variants and story in self.named and is_whole


def groups_of(url: str) -> Iterator[tuple[str, str]]:
    """The groups in which a URL may be one of many of a story, and what differs in each: the slug below a folder with a
    number, or beside one; the query of a path, all of it or that beside a number."""
    parts = split_url(url)
    if parts is None:
        return
    folder, _, name = f"{parts.netloc.casefold()}{parts.path.rstrip('/').casefold()}".rpartition("/")
    if numbers_in(f"https://{folder}/"):
        yield f"{folder}/", name
    words = ALPHANUMERICS.findall(EXTENSION.sub("", name))
    for place, word in (("{}*", words[:1]), ("*{}", words[-1:])):
        if len(words) > 1 and len(word[0]) >= MIN_NUMBER and numbers_in(f"https:///{word[0]}"):
            yield f"{folder}/{place.format(word[0])}", name
    if name:
        yield f"{folder}/{name}?", parts.query
    parameters = parts.query.split("&")
    for parameter in parameters if len(parameters) > 1 else ():
        if numbers_in(f"https:///{parameter}"):
            yield f"{folder}/{name}?{parameter}", parts.query
