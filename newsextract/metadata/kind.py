"""Article or not: whether a page is one, and if not what it is."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from newsextract.identity import is_home
from newsextract.metadata.describe import Described
from newsextract.page.jsonld import types


@dataclass(frozen=True)
class Kind:
    """What a page is: `reason` is None for an article, else the word under which it is counted; confidence in 0..1."""

    reason: str | None
    confidence: float

    @property
    def is_article(self) -> bool:
        return self.reason is None


def judge(page: Any, text: str, described: Described) -> Kind:
    """What kind of page this is, from its declarations, its address, its links and the article's text."""
    if len(text) < 100:
        return Kind("short", 0.9)
    if page.url and is_home(page.url):
        return Kind("front", 0.95)
    return Kind(None, 0.5)


def not_article(page: Any, text: str, described: Described) -> str | None:
    """The reason word if the page is no article (see `judge`); None if it is one."""
    return judge(page, text, described).reason


_ = (math, re, Callable, urlsplit, types)
