"""The part of a page's data that holds most of its prose: the text of a page that isn't an article.

Front pages, shops and pages of services have no object with the page's headline and its text, but sections of short
texts at many paths. The smallest value that has at least half of the page's prose is what such a page is about; what
stands beside it are messages of the program, menus and footers.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from newsextract.page.data.candidates import MAX_VALUES, Path, prose_strings
from newsextract.page.data.javascript import read_json
from newsextract.page.data.scripts import DataValue

#: Share of the prose that the part has at least.
MIN_SHARE = 0.5
#: Names of members that hold the program's messages, or what stands around the text of a page.
AROUND = re.compile(
    r"i18n|locale|messages|translation|footer|nav|menu|cookie|consent|legal|config|setting|comment|review|header"
    r"|sidebar|schema|meta|seo|breadcrumb|subscri|newsletter|analytics|error|privacy",
    re.I,
)


def largest_part(values: Sequence[DataValue]) -> tuple[DataValue, Path, Any] | None:
    """The value with most prose of a page's data: the data it stands in, its path there, itself; None without prose."""
    budget = [MAX_VALUES]
    prose: list[list[tuple[Path, int]]] = []
    for data in values:
        strings = prose_strings(data, budget)
        prose.append([(one.path, one.size) for one in strings if not any(map(_is_around, one.path))])
    totals = [sum(size for _, size in strings) for strings in prose]
    if not any(totals):
        return None
    best = totals.index(max(totals))
    if totals[best] < MIN_SHARE * sum(totals):
        return None
    path, value = _descend(values[best].value, prose[best], MIN_SHARE * totals[best])
    return values[best], path, value


def _descend(value: Any, strings: list[tuple[Path, int]], least: float) -> tuple[Path, Any]:
    """The innermost value below this one with `least` characters of the prose, and its path."""
    depth = 0
    here: Path = ()
    while True:
        if isinstance(value, str) and value[:1] in ("{", "["):
            value = read_json(value) or value
        if not isinstance(value, dict | list):
            break
        sizes: Counter[str | int] = Counter()
        for path, size in strings:
            if len(path) > depth:
                sizes[path[depth]] += size
        step, size = sizes.most_common(1)[0] if sizes else ("", 0)
        if size < least:
            break
        value = value[step]  # type: ignore[index]
        here = (*here, step)
        strings = [row for row in strings if len(row[0]) > depth and row[0][depth] == step]
        depth += 1
    return here, value


def _is_around(step: str | int) -> bool:
    return isinstance(step, str) and AROUND.search(step) is not None
