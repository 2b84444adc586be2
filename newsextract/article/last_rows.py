"""Which row of an export is the last of its article. A reader needs it, because each change of an article is a row."""

from collections.abc import Mapping
from typing import Any

from newsextract.reasons import URL_KINDS

#: The number of a change, and that of the row in the export.
Place = tuple[int, int]


class LastRows:
    """The last row of each article. Articles are told apart by their canonical URL, or else by their URL."""

    def __init__(self) -> None:
        self._last: dict[str, Place] = {}
        self._canonical: dict[str, str] = {}
        self._ended: dict[str, Place] = {}

    def add(self, values: Mapping[str, Any], place: Place) -> None:
        """Adds a row with a `url`; rows may come in any order."""
        url, canonical = str(values["url"]), values.get("canonical_url")
        if values.get("change_kind") in URL_KINDS:  # they know nothing of the article but its URL
            self._ended[url] = max(self._ended.get(url, place), place)
            return
        if canonical and canonical != url:
            self._canonical[url] = str(canonical)
        key = str(canonical or url)
        self._last[key] = max(self._last.get(key, place), place)

    def numbers(self) -> frozenset[int]:
        """The numbers of the last rows."""
        last = dict(self._last)
        for url, place in self._ended.items():
            key = self._canonical.get(url, url)
            last[key] = max(last.get(key, place), place)
        return frozenset(number for _, number in last.values())
