"""A database like after weeks of crawls: stories of the demonstration site on seven fictional sites, with simulated
time.

It shows what `newsextract browse` shows of long-running crawls: sites with many and few articles, agency copies,
articles that change, and sites that go wrong: a consent wall, a silence, a redesign after which dates are not found.
The store makes runs, yields and warnings, as in a crawl; only the clock is simulated.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from newsextract.demo.texts import publication
from newsextract.files import package_data
from newsextract.health.run_end import finish_run
from newsextract.items import Article
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.lookup import count_articles
from newsextract.store.outcome import PageResponse, RequestedUrl

#: The sites of the simulated month, and its events, each with its `name` and `reports`.
MONTH = package_data("newsextract.demo", "texts/month.toml")
#: One article in nine gets another paragraph the day after; each run has at most three new lists or short pages.
CHANGED = 9
NOTHING = 3


@dataclass(frozen=True)
class SimulatedSite:
    """A fictional site, with what goes wrong; texts/month.toml explains the fields."""

    name: str
    template: str
    daily: int
    hours: float
    copies: float = 0.0
    unsigned: float = 0.1
    wall_after: float = 1.0
    silent_after: float = 1.0
    undated_after: float = 1.0

    @property
    def host(self) -> str:
        return f"{self.name}.example"


SITES = [SimulatedSite(**site) for site in MONTH["site"]]


def simulate(store: Store, days: int, until: datetime | None = None) -> int:
    """Fills an empty database with `days` days of runs, the last at `until` (now); returns the number of articles."""
    until = until or datetime.now(UTC)
    real_clock = store.database.clock
    try:
        writers = [SiteWriter(store, site) for site in SITES]
        for left in reversed(range(days)):
            at = until - timedelta(days=left, minutes=40)
            for number, writer in enumerate(writers):
                writer.crawl(at + timedelta(minutes=2 * number), 1 - (left + 1) / days, writers[0].recent, left)
    finally:
        store.database.clock = real_clock
    return store.read(count_articles)


class SiteWriter:
    """The runs of one site. `recent`: its articles of the last run."""

    def __init__(self, store: Store, site: SimulatedSite) -> None:
        self.store, self.site, self.rng = store, site, random.Random(site.name)
        self.stories = [story for story in publication(site.template).stories if len(story.blocks) >= 3]
        self.recent: list[Article] = []
        self.count = 0

    def crawl(self, at: datetime, passed: float, others: Sequence[Article], left: int) -> None:
        """One run, `left` days before the last; `passed`: share of all days; `others`: another site's new ones."""
        self.store.database.clock = lambda connection: at
        home = f"https://{self.site.host}/"
        run = self.store.frontier(self.site.name, {"url": home}).run
        changed = list(self._changed(at))
        self.recent = [self._article(at, passed, others) for _ in range(self._number(at, passed))]
        front = PageOutcome(home, UrlState.not_article, "front", at=at, requested=RequestedUrl(revisit=True))
        outcomes = [front, *changed]
        if passed >= self.site.wall_after:
            outcomes += [PageOutcome(a.url, UrlState.not_article, "consent", at=at) for a in self.recent]
            self.recent = []
        outcomes += [_stored(article, at) for article in (*self.recent, *self._reports(at, left))]
        outcomes += self._no_articles(at)
        for outcome in outcomes:
            outcome.run = run
            if outcome.response.status is None:
                outcome.response = PageResponse(200)
        self.store.commit(outcomes)
        self.store.database.clock = lambda connection: at + timedelta(minutes=1)
        self.store.write(finish_run, run, "finished", {})

    def _make(self, name: str, published: datetime, **fields: Any) -> Article:
        url = f"https://{self.site.host}/{published:%Y/%m}/{name}.html"
        values: dict[str, Any] = {"canonical_url": url, "site": self.site.host, "publisher": self.site.name.title()}
        values |= {"date_published": published, "language": "en", "extractor": "fusion", "confidence": 0.95}
        return Article(url, **values | fields)

    def _reports(self, at: datetime, left: int) -> Iterator[Article]:
        """Reports on events of the day: a first one and follow-ups on later days."""
        for event in MONTH["event"]:
            for number, report in enumerate(event["reports"], 1):
                if (report["site"], report["day"]) == (self.site.name, left):
                    published = at - timedelta(minutes=2 * number)
                    texts = {"headline": report["headline"], "article_body": report["text"]}
                    yield self._make(f"{event['name']}-{number}", published, **texts)

    def _number(self, at: datetime, passed: float) -> int:
        """New articles of a run: fewer at weekends, a backlog in the first one."""
        if passed >= self.site.silent_after:
            return 0
        if not self.count:
            return 3 * self.site.daily
        usual = self.site.daily * (0.6 if at.weekday() >= 5 else 1.0)
        return max(0, round(self.rng.gauss(usual, usual / 4)))

    def _article(self, at: datetime, passed: float, others: Sequence[Article]) -> Article:
        self.count += 1
        backlog = timedelta(days=self.rng.randrange(60)) if self.count <= 3 * self.site.daily else timedelta()
        published = at - backlog - timedelta(hours=self.site.hours * self.rng.uniform(0.4, 1.8))
        story, *mixed = self.rng.sample(self.stories, 6)
        lines = [*story.blocks[:1], *(self.rng.choice(other.blocks) for other in mixed for _ in range(2))]
        article = self._make(
            f"{self.site.name}-{self.count:05}",
            published,
            headline=f"{story.headline} ({self.count})",
            authors=[] if self.rng.random() < self.site.unsigned else list(story.authors),
            language=story.language,
            section=story.section_label,
            article_body="\n".join(block.text for block in lines),
            confidence=round(self.rng.uniform(0.9, 1), 3),
        )
        if passed >= self.site.undated_after:
            article.date_published = None
        if others and self.rng.random() < self.site.copies:
            own = {name: getattr(article, name) for name in ("url", "canonical_url", "site", "publisher")}
            return replace(self.rng.choice(others), **own)
        return article

    def _changed(self, at: datetime) -> Iterator[PageOutcome]:
        """Some articles of the previous run, with another paragraph."""
        for article in self.recent:
            if self.rng.randrange(CHANGED) == 0:
                added = self.rng.choice(self.rng.choice(self.stories).blocks).text
                body = f"{added}\n{article.article_body}"
                yield _stored(replace(article, article_body=body, date_modified=at), at)

    def _no_articles(self, at: datetime) -> Iterator[PageOutcome]:
        """Lists and short pages that are new in each run, a page that is gone."""
        place = f"https://{self.site.host}/pages/{at:%Y%m%d}"
        for number in range(self.rng.randrange(NOTHING + 1)):
            reason = self.rng.choice(("section", "section", "short", "no_article"))
            yield PageOutcome(f"{place}-{number}", UrlState.not_article, reason, at=at)
        if self.rng.random() < 0.25:
            yield PageOutcome(f"{place}-gone", UrlState.failed, "http_404", at=at, response=PageResponse(404))


def _stored(article: Article, at: datetime) -> PageOutcome:
    signature = signature_of(article.article_body)
    article = replace(article, fetched_at=at)
    return PageOutcome(article.url, UrlState.stored, article=article, signature=signature, at=at)
