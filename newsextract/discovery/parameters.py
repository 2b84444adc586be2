"""Query parameters of any name that select nothing on a site, as its own links show: session ids and campaigns.

A session id is one and the same random value on most links of a page. A campaign differs, or is missing, on links to
one path with one headline. What has several values for one path with headlines of their own selects pages.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from newsextract.items import Link
from newsextract.limits import MAX_REMEMBERED, MOST
from newsextract.urls import article_key, site_of

#: A random value: eight characters or more, with a digit, and with a letter unless it is very long.
RANDOM = re.compile(r"(?=\D*\d)(?=[^a-z]*[a-z]|[^a-z]{20})[\w.,~-]{8,}", re.I)
#: The number of links that a session id must be on at least, and their share of a page's links to the site.
MIN_LINKS = 2
#: Characters of a headline, and paths on which a campaign must have shown that it selects nothing.
HEADLINE = 20
MIN_PATHS = 2
#: The number of links with a story's headline on a page.
MAX_PLACES = 4


class ParameterObserver:
    """The parameters of a site that select nothing (`idle`), pages (`selecting`), or perhaps pages (`varied`)."""

    def __init__(self) -> None:
        self.idle: set[str] = set()
        self.selecting: set[str] = set()
        self.varied: set[str] = set()

    def learn(self, links: Sequence[Link], url: str) -> None:
        """Learns from the links of a page, and removes from them the parameters that select nothing."""
        if not any("?" in link.url for link in links):
            return
        is_full = len(self.idle) + len(self.selecting) + len(self.varied) >= MAX_REMEMBERED
        own = {link.url: link.anchor_text for link in links if not is_full and site_of(link.url) == site_of(url)}
        seen = defaultdict[str, defaultdict[str, dict[str, str]]](lambda: defaultdict(dict))
        places = defaultdict[str, list[str]](list)
        for target, text in own.items():
            places[text].append(target.partition("?")[0])
            for name, value, rest in _parameters(target):
                seen[name][rest].setdefault(value, text)
        for name, by_rest in seen.items():
            agreeing = 0
            for rest, texts in by_rest.items():
                headlines = sorted(
                    (text for text in (*texts.values(), own.get(rest, "")) if len(text) >= HEADLINE), key=len
                )
                is_one = all(headlines[0] in other for other in headlines)
                agreeing += is_one and len(headlines) > 1 and _is_headline(places[headlines[0]])
                if len(texts) > 1:
                    (self.varied if is_one else self.selecting).add(name)
            values = {value for texts in by_rest.values() for value in texts}
            is_everywhere = len(values) == 1 and len(by_rest) >= max(MIN_LINKS, MOST * len(own))
            is_session = is_everywhere and RANDOM.fullmatch(value := values.pop()) and f"{name}={value}" not in url
            if agreeing >= MIN_PATHS or (is_session and name not in self.varied):
                self.idle.add(name)
        self.idle -= self.selecting
        for link in links if self.idle else ():
            if (target := self.strip(link.url)) != link.url:
                link.url, link.key = target, article_key(target)

    def strip(self, url: str) -> str:
        """The URL without the parameters that select nothing."""
        for name, value, _ in _parameters(url) if self.idle else ():
            url = _without(url, name, value) if name in self.idle else url
        return url


def _is_headline(paths: Sequence[str]) -> bool:
    """Whether a text that links to these paths is one page's own, not "Continue reading this article"."""
    return len(paths) <= MAX_PLACES and len({*paths}) == 1


def _parameters(url: str) -> Iterator[tuple[str, str, str]]:
    """The parameters of a URL's query: name, value, and the URL without it."""
    for pair in url.partition("?")[2].split("&"):
        name, is_given, value = pair.partition("=")
        if is_given:
            yield name, value, _without(url, name, value)


def _without(url: str, name: str, value: str) -> str:
    path, _, query = url.partition("?")
    rest = "&".join(pair for pair in query.split("&") if pair != f"{name}={value}")
    return f"{path}?{rest}" if rest else path
