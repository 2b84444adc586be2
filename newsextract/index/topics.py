"""Topics: queries with a name in topics.toml, how much is written about each, and whether that is a burst.

    [topics.heat-pumps]
    query = '"heat pump*" OR Wärmepumpe*'
    languages = ["en", "de"]
    sites = ["courier.example"]

A topic is a query, not a label on articles: an edited one applies to the past at once.

The test for a burst: let x of the n articles of a day match. The days of the same class (Monday to Friday, or Saturday
and Sunday) of the BASELINE_DAYS before give the usual share p and the overdispersion phi of the daily counts (Pearson's
chi-square by degrees of freedom; reports come in clusters). Under the usual state x is beta-binomial with the mean n p
and the intraclass correlation (phi - 1) / (n - 1), widened by the standard error of p (J. G. Skellam, A probability
distribution derived from the binomial distribution, JRSS B 10, 1948). The topic bursts if P(X >= x) < LEVEL and x is at
least MIN_ARTICLES. Using shares keeps a growing crawl from looking like growing attention.
"""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from newsextract.errors import WrongSetting, suggest
from newsextract.files import NAME, read_toml
from newsextract.index.query import Query, QueryError, parse_query
from newsextract.index.search import Count, Filters, Match, count_matches, match_ids, matches
from newsextract.items import Article
from newsextract.urls import named_site

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
#: Days of the baseline, which ends two days before today; minimum days of the tested day's class in it.
BASELINE_DAYS = 56
MIN_DAYS = 6
#: The probability below which a count is a burst, and the minimum number of articles.
LEVEL = 1e-3
MIN_ARTICLES = 5
#: Newest articles shown for a topic.
HEADLINES = 3


@dataclass(frozen=True)
class Topic:
    """An entry of the file."""

    name: str
    query: Query
    languages: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()

    @property
    def filters(self) -> Filters:
        return Filters(self.sites, self.languages)

    def matches(self, article: Article) -> bool:
        """Whether an article belongs to this topic, by the same rules as the search."""
        language = f"{article.language or ''}-".lower()
        return (
            (not self.sites or article.site in self.sites)
            and (not self.languages or any(language.startswith(f"{code.lower()}-") for code in self.languages))
            and self.query.matches(
                [article.headline or "", article.subtitle or "", ", ".join(article.authors), article.article_body]
            )
        )


def read_topics(path: Path, names: Sequence[str] = ()) -> list[Topic]:
    """The topics in a file, or those with these names. Raises WrongSetting with all errors, one sentence each."""
    values = read_toml(path)
    entries = values.pop("topics", None)
    wrong = [f"{path}: {key} is unknown; allowed are [topics.NAME]" for key in values]
    if not isinstance(entries, dict) or not entries:
        wrong.append(f"{path} has no topics; an entry is a table with a query: [topics.ferries] and query = 'ferry'")
        entries = {}
    topics = {name: _topic(name, entry, f"{path}: topics.{name}", wrong) for name, entry in entries.items()}
    wrong += [f"{path} has no topic {name!r}; it has {', '.join(entries)}" for name in names if name not in entries]
    if wrong:
        raise WrongSetting("\n".join(wrong))
    return [topic for name, topic in topics.items() if topic is not None and (not names or name in names)]


def _topic(name: str, entry: object, key: str, wrong: list[str]) -> Topic | None:
    if not NAME.fullmatch(name):
        wrong.append(f"{key}: a name has letters, digits, '-', '_' and '.', 64 at most")
    if not isinstance(entry, dict):
        wrong.append(f"{key} must be a table")
        return None
    known = ("query", "languages", "sites")
    for unknown in entry.keys() - set(known):
        hint = suggest(unknown, known, f"allowed are {', '.join(known)}")
        wrong.append(f"{key}.{unknown} is unknown; {hint}")
    lists: dict[str, tuple[str, ...]] = {"languages": (), "sites": ()}
    for field in lists:
        value = entry.get(field, [])
        if isinstance(value, list) and all(isinstance(each, str) and each.strip() for each in value):
            lists[field] = tuple(each.strip() for each in value)
        else:
            wrong.append(f"{key}.{field} must be a list of texts")
    no_codes = [code for code in lists["languages"] if not LANGUAGE.fullmatch(code)]
    wrong += [f"{key}.languages: {code!r} isn't a language code, such as en or pt-BR" for code in no_codes]
    wrong += [f"{key}.sites: {site!r} isn't a host" for site in lists["sites"] if not named_site(site)]
    if not isinstance(entry.get("query"), str):
        wrong.append(f"{key}.query must be a text, as for newsextract search")
        return None
    try:
        return Topic(name, parse_query(entry["query"]), lists["languages"], tuple(map(named_site, lists["sites"])))
    except QueryError as error:
        wrong.append(f"{key}.query: {error}")
        return None


@dataclass(frozen=True)
class Burst:
    """A day on which a topic bursts. `expected`: articles of a usual day with as many articles in all."""

    day: str
    number: int
    total: int
    expected: float
    probability: float

    @property
    def sentence(self) -> str:
        usual = f"{self.expected:.1f} would be usual (p = {self.probability:.0e})"
        return f"{self.number} of {self.total} articles of {self.day} are about it, {usual}"


@dataclass(frozen=True)
class TopicStatus:
    """A topic today and in the last seven days, the usual number of articles in such a week, and its newest ones."""

    topic: Topic
    today: int
    week: int
    usual: float | None
    burst: Burst | None
    newest: list[Match]


def burst_ids(index: sqlite3.Connection, status: TopicStatus) -> list[int]:
    """The numbers of the articles of a topic's burst, newest first; none without a burst."""
    if status.burst is None:
        return []
    day = date.fromisoformat(status.burst.day)
    topic = status.topic
    return match_ids(index, topic.query, Filters(topic.sites, topic.languages, day, day))


def topic_status(index: sqlite3.Connection, topic: Topic, today: date) -> TopicStatus:
    """Reads the state of a topic from the index."""
    since = today - timedelta(BASELINE_DAYS + 7)
    filters = Filters(topic.sites, topic.languages, since, today)
    days = {count.key: count for count in count_matches(index, topic.query, "day", filters)}
    week = [count for count in days.values() if count.key > f"{today - timedelta(7)}"]
    before = [count for count in days.values() if count.key <= f"{today - timedelta(7)}"]
    all_before = sum(count.total for count in before)
    usual = sum(c.number for c in before) * sum(c.total for c in week) / all_before if all_before else None
    newest = matches(index, topic.query, match_ids(index, topic.query, topic.filters, limit=HEADLINES))
    number_today = days[f"{today}"].number if f"{today}" in days else 0
    burst = find_burst([*days.values()], today)
    return TopicStatus(topic, number_today, sum(c.number for c in week), usual, burst, list(newest))


def find_burst(days: Sequence[Count], today: date) -> Burst | None:
    """Today's burst, or yesterday's; None if both are usual or there are too few days to compare with."""
    for tested in (today, today - timedelta(1)):
        first, last = tested - timedelta(BASELINE_DAYS), today - timedelta(2)
        is_weekend = tested.weekday() >= 5
        of_class = [count for count in days if (date.fromisoformat(count.key).weekday() >= 5) == is_weekend]
        usual = [(count.number, count.total) for count in of_class if f"{first}" <= count.key <= f"{last}"]
        number, total = next(((c.number, c.total) for c in of_class if c.key == f"{tested}"), (0, 0))
        if number >= MIN_ARTICLES and len(usual) >= MIN_DAYS:
            expected, probability = tail_probability(number, total, usual)
            if probability < LEVEL:
                return Burst(f"{tested}", number, total, expected, probability)
    return None


def tail_probability(number: int, total: int, usual: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Expected number of `total` articles, and P(X >= number); `usual`: matching and all articles of each day."""
    import numpy as np  # these imports are slow, and most users of this module test no burst
    from scipy.special import betaln

    all_usual = sum(n for _, n in usual)
    share = (sum(x for x, _ in usual) + 0.5) / (all_usual + 1)
    chi_square = sum((x - n * share) ** 2 / (n * share * (1 - share)) for x, n in usual)
    phi = max(1.0, chi_square / (len(usual) - 1))
    mean_total = all_usual / len(usual)
    correlation = min((phi - 1) / max(mean_total - 1, 1), 0.9)
    spread = correlation / (1 - correlation) + phi / (all_usual + 1)  # 1 / (alpha + beta)
    alpha, beta = share / spread, (1 - share) / spread
    x = np.arange(number, total + 1)
    chosen = -betaln(total - x + 1, x + 1) - np.log(total + 1)
    probabilities = np.exp(chosen + betaln(x + alpha, total - x + beta) - betaln(alpha, beta))
    return total * share, min(1.0, float(probabilities.sum()))
