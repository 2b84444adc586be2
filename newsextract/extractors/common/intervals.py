"""The interval of a sequence with the largest sum (Kadane), for the methods that take the article to be one
interval."""

from collections.abc import Sequence


def best_interval(values: Sequence[float], *, longest: bool = False) -> tuple[int, int]:
    """First and one past last of the interval with the largest sum; (0, 0) where no sum is above 0.

    Of equal sums the first to end wins, and of those the shortest; `longest`: the longest, then the first. O(n).
    """
    best, interval = 0.0, (0, 0)
    total, start = 0.0, 0
    for position, value in enumerate(values):
        if total < 0 or (total == 0 and not longest):
            total, start = 0.0, position
        total += value
        end = position + 1
        if total > best or (longest and total == best > 0 and end - start > interval[1] - interval[0]):
            best, interval = total, (start, end)
    return interval
