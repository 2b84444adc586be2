"""Reads pages together: each up to the decision of its site, then one decision on all, then each to its end.

numpy's calls cost the same for the blocks of one page as for those of several.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from newsextract.article.extract import UndecidedArticle
from newsextract.site_profile import Decision, decide_all
from newsextract.workers.messages import Answer

T = TypeVar("T")
#: What is done for a page: stops once, if at all, where it waits for the decision on it.
Steps = Generator[UndecidedArticle, Decision, T]


def read_together(pages: Sequence[Steps[Any]]) -> list[Answer]:
    """The result of each page, or what it raised."""
    reached: dict[int, Answer | UndecidedArticle] = {number: _go_on(page) for number, page in enumerate(pages)}
    undecided = {number: read for number, read in reached.items() if isinstance(read, UndecidedArticle)}
    for number, decision in _decisions(undecided):
        reached[number] = _go_on(pages[number], decision)
    return [answer for answer in reached.values() if isinstance(answer, Answer)]


def read_alone(page: Steps[T]) -> T:
    """The result of one page. Raises what its steps raise."""
    (answer,) = read_together([page])
    if answer.error is not None:
        raise answer.error
    result: T = answer.result
    return result


def _go_on(page: Steps[Any], decision: Decision | Exception | None = None) -> Answer | UndecidedArticle:
    """Goes on with a page to where it waits, or to its end; a failed decision is raised where it waits."""
    try:
        if decision is None:
            return next(page)
        return page.throw(decision) if isinstance(decision, Exception) else page.send(decision)
    except StopIteration as end:
        return Answer(end.value)
    except Exception as error:  # a bug in an extractor costs one page, not the crawl
        return Answer(error=error)


def _decisions(undecided: Mapping[int, UndecidedArticle]) -> Iterator[tuple[int, Decision | Exception]]:
    """The decision on each page, or why there is none; on those of one profile together."""

    def profile(number: int) -> int:
        return id(undecided[number].site)

    for _, of_site in groupby(sorted(undecided, key=profile), profile):
        numbers = [*of_site]
        yield from zip(numbers, _decide([undecided[number] for number in numbers]), strict=True)


def _decide(reads: Sequence[UndecidedArticle]) -> list[Decision | Exception]:
    try:
        return [*decide_all([read.summary for read in reads], reads[0].site)]
    except Exception as error:  # costs the page that is to blame
        return [error] if len(reads) == 1 else [decision for read in reads for decision in _decide([read])]
