"""A Datasette plugin: the facet `day`, whose values are in order of time, newest first, and not of their counts."""

from typing import Any

from datasette import hookimpl  # type: ignore[import-untyped]
from datasette.facets import ColumnFacet  # type: ignore[import-untyped]
from datasette.utils import (  # type: ignore[import-untyped]
    escape_sqlite,
    path_with_added_args,
    path_with_removed_args,
)


class DayFacet(ColumnFacet):  # type: ignore[misc]  # Datasette has no types
    """As Datasette's facet by a column, in order of the values, the last first. In metadata: `{"day": COLUMN}`."""

    type = "day"

    async def suggest(self) -> list[dict[str, Any]]:
        """None: the facet is there by metadata."""
        return []

    async def facet_results(self) -> tuple[list[dict[str, Any]], list[str]]:
        """The facets, and the names of those that took too long."""
        results = []
        for configured in self.get_configs():
            column = configured["config"]["simple"]
            name, size = escape_sqlite(column), self.get_facet_size()
            query = (
                f"SELECT {name} AS value, count(*) AS count FROM ({self.sql}) WHERE {name} IS NOT NULL "
                f"GROUP BY {name} ORDER BY value DESC LIMIT {size + 1}"
            )
            rows = (await self.ds.execute(self.database, query, self.params, truncate=False)).rows
            results.append(
                {
                    "name": column,
                    "type": self.type,
                    "hideable": False,
                    "toggle_url": "",
                    "results": [self._value(column, row["value"], row["count"]) for row in rows[:size]],
                    "truncated": len(rows) > size,
                }
            )
        return results, []

    def _value(self, column: str, value: str, count: int) -> dict[str, Any]:
        """A value of the facet, with the address that filters by it, or by it no more."""
        selected = (column, str(value)) in self.get_querystring_pairs()
        change = path_with_removed_args if selected else path_with_added_args
        path = self.ds.urls.path(change(self.request, {column: value}))
        return {
            "value": value,
            "label": value,
            "count": count,
            "toggle_url": self.ds.absolute_url(self.request, path),
            "selected": selected,
        }


@hookimpl  # type: ignore[untyped-decorator]
def register_facet_classes() -> list[type[ColumnFacet]]:
    """Called by Datasette, which reads this file because of --plugins-dir."""
    return [DayFacet]
