"""Scores of a crawl of a saved site (`site_folder`): what was found, what else was stored, and how well.

Pages are identified by `page_key`. Pages of kinds other than article, list and page count neither way.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

from evaluation.crawling.site_folder import SiteFolder, page_key
from evaluation.scores import harmonic, letters, overlap, tokens

#: Minimum letters and digits of a title that may be the beginning of another one.
MIN_PREFIX = 12


@dataclass(frozen=True, slots=True)
class SiteScores:
    """`articles`: those reachable by links, feeds or sitemaps; `stored`: pages stored as articles.

    `found`: share of the articles stored; `pure`: articles among articles and lists stored; `statics`: static pages
    stored; `f`: mean F1 of tokens if the text is known; `headline`, `date`: shares right, among stored articles whose
    gold has one (a day off counts as right, because feeds are in UTC). None if there is nothing to count. `missing`,
    `lists`, `static_pages`: paths; `f_of`: path -> F1; `wrong_headlines`, `wrong_dates`: path -> what was stored.
    """

    articles: int
    stored: int
    found: float
    pure: float
    statics: int
    f: float | None
    headline: float | None
    date: float | None
    missing: list[str] = field(default_factory=list, repr=False)
    lists: list[str] = field(default_factory=list, repr=False)
    static_pages: list[str] = field(default_factory=list, repr=False)
    f_of: dict[str, float] = field(default_factory=dict, repr=False)
    wrong_headlines: dict[str, str | None] = field(default_factory=dict, repr=False)
    wrong_dates: dict[str, str | None] = field(default_factory=dict, repr=False)


def score_site(site: SiteFolder, articles: Iterable[Mapping[str, Any]]) -> SiteScores:
    """Scores of stored articles (`url`, `headline`, `article_body`, `date_published` in ISO 8601).

    Of several with one path, the last one counts; retracted ones (`is_article` false) don't.
    """
    stored = {page_key(urlsplit(row["url"]).path): row for row in articles}
    stored = {path: row for path, row in stored.items() if row.get("is_article", True)}
    hits = {path: gold for path, gold in site.gold.items() if path in stored}
    others = {path: site.kinds.get(path) for path in stored if path not in site.gold}
    lists = [path for path, kind in others.items() if kind == "list"]
    static_pages = [path for path, kind in others.items() if kind == "page"]
    f_of = {
        path: token_f(stored[path].get("article_body"), gold["text"]) for path, gold in hits.items() if gold.get("text")
    }
    titles = _compared(hits, stored, "title", "headline", same_title)
    dates = _compared(hits, stored, "date", "date_published", same_day)
    return SiteScores(
        articles=len(site.gold),
        stored=len(stored),
        found=len(hits) / max(1, len(site.gold)),
        pure=len(hits) / max(1, len(hits) + len(lists)),
        statics=len(static_pages),
        f=fmean(f_of.values()) if f_of else None,
        headline=fmean(titles.values()) if titles else None,
        date=fmean(dates.values()) if dates else None,
        missing=[path for path in site.gold if path not in stored],
        lists=lists,
        static_pages=static_pages,
        f_of={path: round(value, 4) for path, value in f_of.items()},
        wrong_headlines={path: stored[path].get("headline") for path, right in titles.items() if not right},
        wrong_dates={path: stored[path].get("date_published") for path, right in dates.items() if not right},
    )


def _compared(
    hits: Mapping[str, Mapping[str, Any]],
    stored: Mapping[str, Mapping[str, Any]],
    of_gold: str,
    of_article: str,
    same: Callable[[str | None, str | None], bool],
) -> dict[str, bool]:
    """Path -> whether the stored value is right, for articles whose gold has one."""
    known = {path: gold[of_gold] for path, gold in hits.items() if gold.get(of_gold)}
    return {path: same(stored[path].get(of_article), value) for path, value in known.items()}


def token_f(output: str | None, gold: str) -> float:
    """F1 of the two bags of tokens."""
    return harmonic(*overlap(tokens(output), tokens(gold)))


def same_day(value: str | None, gold: str | None) -> bool:
    """Whether two dates in ISO 8601 are at most a day apart."""
    try:
        days = date.fromisoformat((value or "")[:10]) - date.fromisoformat((gold or "")[:10])
    except ValueError:
        return False
    return abs(days.days) <= 1


def same_title(value: str | None, gold: str | None) -> bool:
    """Whether the letters and digits are equal, or one title, if long enough, is the beginning of the other."""
    shorter, longer = sorted((letters(text or "") for text in (value, gold)), key=len)
    return bool(shorter) and (shorter == longer or (len(shorter) >= MIN_PREFIX and longer.startswith(shorter)))
