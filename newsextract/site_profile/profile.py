"""Profile of a site: an immutable snapshot of the summaries of its pages."""

from collections.abc import Iterable

from newsextract.site_profile.summary import PageSummary


class SiteProfile:
    """What the pages of a site say together. A function of the set of summaries: their order does not matter."""

    def __init__(self, summaries: tuple[PageSummary, ...] = ()) -> None:
        self._summaries = summaries

    @classmethod
    def build(cls, summaries: Iterable[PageSummary]) -> "SiteProfile":
        """The profile of these pages; of several summaries of one URL the last counts."""
        by_url = {summary.url: summary for summary in summaries}
        return cls(tuple(by_url[url] for url in sorted(by_url)))

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._summaries)
