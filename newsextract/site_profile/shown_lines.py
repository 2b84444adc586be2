"""Lines of two fetches of an article that tell nothing new: what both pages show, and what only counts.

One extraction may keep a line that the other one left out, though both pages show it. And a line may only count: views,
comments, hours since. Only short lines are compared so; a sentence is what the article says, with its numbers.
"""

from newsextract.language.sentences import ends_sentence
from newsextract.site_profile.summary import HASHED_LETTERS, PageSummary, hash_of
from newsextract.text import DIGITS, LETTERS, SHORT_LINE, comparison_key

#: Lines of a text that may count something; more are a table, and what the article is about.
MAX_COUNTING = 3
#: Letters that the singular and the plural of a word have in common.
STEM = 3


def unchanged_lines(before: str, now: str, pages: tuple[PageSummary, PageSummary] | None) -> frozenset[str]:
    """The letters and digits of those lines of two texts of a page that make no difference between them.

    `pages`: the summaries of the two fetches, if both are known.
    """
    old, new = (_short_lines(text) for text in (before, now))
    lines = old | new
    shown = {key for key in lines if pages and all(_shows(page, key) for page in pages)}
    gone, added = (
        [key for key in text if key not in shown and key not in other] for text, other in ((old, new), (new, old))
    )
    if max(len(gone), len(added)) > MAX_COUNTING:
        return frozenset(shown)
    shown |= {key for key in (*gone, *added) if pages and all(_counts(page, key, lines[key]) for page in pages)}
    gone, added = ([key for key in keys if key not in shown] for keys in (gone, added))
    if len(gone) == len(added):
        for pair in zip(gone, added, strict=True):
            shown |= {*pair} if _count_the_same(*map(lines.__getitem__, pair)) else set()
    return frozenset(shown)


def _short_lines(text: str) -> dict[str, str]:
    """The short lines of a text, by their letters and digits."""
    lines = (line for line in text.split("\n") if len(line) <= 2 * SHORT_LINE)
    return {key: line for line in lines if 0 < len(key := comparison_key(line)) <= SHORT_LINE}


def _shows(page: PageSummary, key: str) -> bool:
    """Whether a page shows a line; of longer ones a summary has only the beginning."""
    return len(key) <= HASHED_LETTERS and hash_of(key) in page.rows["key"]


def _counts(page: PageSummary, key: str, line: str) -> bool:
    """Whether a page shows a line that differs from this one by its numbers only, and is no sentence."""
    return not ends_sentence(line) and hash_of(DIGITS.sub("0", key)) in page.counted["key"]


def _count_the_same(line: str, other: str) -> bool:
    """Whether two lines that are no sentences have the same words, but for their number: "1 view", "20 views"."""
    if any(ends_sentence(one) or not DIGITS.search(one) for one in (line, other)):
        return False
    words, others = (LETTERS.findall(one.casefold()) for one in (line, other))
    return bool(words) and len(words) == len(others) and all(map(_is_inflected, words, others))


def _is_inflected(word: str, other: str) -> bool:
    return word == other or word[:STEM] == other[:STEM]
