"""Groups of pages by their addresses: pages of one group are likely of one kind."""

from functools import lru_cache
from zlib import crc32

from newsextract.pairing.url_shapes import PLACEHOLDERS, url_shape

#: Segments before the number of a page of a list.
PAGE_WORDS = frozenset({"page", "p", "seite", "pagina", "página", "strona"})
#: Kinds of groups, finest first.
GROUPS = ("shape", "folder", "section", "kinds")
#: URLs whose keys are kept: the profile of a site is built several times while it grows.
CACHED = 4_096


@lru_cache(CACHED)
def group_keys(url: str) -> tuple[int, ...]:
    """(GROUPS,) 32-bit key of the page's group of each kind.

    `shape`: folders as they are, the last segment by its kind; `folder`: without the last segment, numbers made equal;
    `section`: the first segment and the number of segments; `kinds`: the kinds of all segments. The number of a page
    of a list ("/page/2", "?page=2") is taken away, and that there was one is part of each.
    """
    shape = url_shape(url)
    segments = list(shape.segments)
    paged = len(segments) >= 2 and segments[-1] == "N" and segments[-2] in PAGE_WORDS
    if paged:
        del segments[-2:]
    mark = ("paged" if paged else "") + "?" + "&".join(shape.query) + shape.extension
    kinds = [segment if segment in PLACEHOLDERS else "w" if segment else "" for segment in segments]
    names = (
        "/".join((*segments[:-1], kinds[-1] if kinds else "")),
        "/".join(segments[:-1]) + "/*",
        f"{segments[0] if len(segments) > 1 else kinds[0] if kinds else ''} {len(segments)}",
        "/".join(kinds),
    )
    return tuple(crc32(f"{number} {mark} {name}".encode("utf-8", "replace")) for number, name in enumerate(names))
