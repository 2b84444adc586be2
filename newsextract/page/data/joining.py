"""One text from several candidates: the parts of the object that has the page's headline, and the items of a list.

Long articles are often in several members of one object (an introduction, a body, rankings), each a candidate of its
own. The data of a list page hold other articles: its text is all of its items, and no item of them is its article.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from newsextract.page.data.candidates import OTHER_WORKS, SAME_TITLE, Candidate, title_similarity
from newsextract.page.data.prose import plain_text
from newsextract.page.data.ranking import PageClues
from newsextract.page.data.rich_text import ASIDE_NAME
from newsextract.text import words_of

#: Share of the best candidate's characters that another part of the same object has at least, and characters.
MIN_PART, MIN_PART_SIZE = 0.25, 400
#: Share of a part's words from which on it is a copy of the others.
MAX_KNOWN = 0.6
#: Items with text that make a list.
MIN_ITEMS = 4
MAX_PARTS = 12


def join(best: Candidate, others: Sequence[Candidate], clues: PageClues) -> Candidate:
    """The candidate, with others that are parts of the same object, or items of the same list."""
    if best.is_declared or best.rendered is not None or not best.depths:
        return best
    titled = [one for one in best.owners if title_similarity(one, clues.titles) >= SAME_TITLE]
    if best.works is not None and not any(one is owner for owner in _inside_item(best) for one in titled):
        return _list_of(best, others)
    if not titled:
        return best
    depth = best.depths[next(place for place, one in enumerate(best.owners) if one is titled[0])]
    least = max(MIN_PART_SIZE, MIN_PART * best.size)
    parts = [best]
    for one in others:
        if one.size >= least and len(parts) < MAX_PARTS and _is_part(one, depth, titled[0]) and _is_new(one, parts):
            parts.append(one)
    return _joined(best, parts) if len(parts) > 1 else best


def _inside_item(candidate: Candidate) -> list[dict[str, Any]]:
    """The owners of a candidate up to the item of the list that it stands in."""
    pairs = zip(candidate.depths, candidate.owners, strict=True)
    return [owner for depth, owner in pairs if depth >= candidate.item_depth]


def _is_part(candidate: Candidate, depth: int, owner: Any) -> bool:
    """Whether a candidate is text of the object at this depth of its location, and not of another work in it."""
    owners = candidate.owners
    if candidate.works is not None or candidate.rendered is not None or not any(one is owner for one in owners):
        return False
    names = [step for step in (*candidate.location[depth:], candidate.name) if isinstance(step, str)]
    return not any(OTHER_WORKS.search(name) or ASIDE_NAME.match(name) for name in names)


def _is_new(candidate: Candidate, parts: Sequence[Candidate]) -> bool:
    """Whether a candidate stands outside the containers of the others, and most of its text is in none of them."""
    here = candidate.location
    for part in parts:
        length = min(len(here), len(part.location))
        if here[:length] == part.location[:length]:
            return False
    own = Counter(words_of(plain_text("\n".join(candidate.texts))))
    known = Counter(words_of(plain_text("\n".join(text for part in parts for text in part.texts))))
    return (own & known).total() < MAX_KNOWN * own.total()


def _list_of(best: Candidate, others: Sequence[Candidate]) -> Candidate:
    """The list of works that a candidate is an item of, where other items have text, too."""
    items = [best, *(one for one in others if one.works is best.works)]
    if len({one.location[: one.item_depth] for one in items}) < MIN_ITEMS:
        return best
    texts = [text for one in items for text in one.texts]
    size = sum(one.size for one in items)
    above = [(depth, one) for depth, one in zip(best.depths, best.owners, strict=True) if depth < best.item_depth]
    return replace(best, value=best.works, texts=texts, size=size, owners=[one for _, one in above], is_list=True)


def _joined(best: Candidate, parts: Sequence[Candidate]) -> Candidate:
    """The parts as one candidate, in the order of the page."""
    ordered = sorted(parts, key=lambda one: one.position)
    texts = [text for one in ordered for text in one.texts]
    return replace(best, value=[one.value for one in ordered], texts=texts, size=sum(one.size for one in parts))
