"""A database of four articles that differ in language, date and duplicates, filled once for all tests of exports."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from newsextract.items import Article, Image
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState
from tests.store.samples import text

SEEN = datetime(2026, 3, 9, 8, tzinfo=UTC)
STORY = "The bell of the Saint Oda is ashore. Dr. Penhale said: “It's 310 kilograms.”\n"
STORY += 'It rang = twice, "loudly".\n' + text(1)
HAN = "大桥今天关闭。记者张三从北京报道。\u2028桥将于明天重新开放，市民可以绕行。"


def article(path: str, body: str, **fields: object) -> PageOutcome:
    """The outcome of a page of news.example, as a crawl stores it."""
    stored = Article(f"https://news.example/{path}", headline=path, article_body=body, language="en", fetched_at=SEEN)
    for name, value in fields.items():
        setattr(stored, name, value)
    return PageOutcome(stored.url, UrlState.stored, article=stored, at=SEEN, signature=signature_of(body))


def day(number: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, number, hour, tzinfo=UTC)


ARTICLES = (
    article("bell", STORY, date_published=day(5), authors=["Tom Reyes", "R. Ashdown"], confidence=0.9),
    article("桥", HAN, language="zh-CN", date_published=day(6), keywords=["桥"], images=[Image("https://i.example/1")]),
    article("undated", text(2), is_truncated=False, sources={"headline": "meta"}),
    article("copy", STORY + " And more.", date_published=day(6, 23), main_image=Image("https://i.example/2", "Bell")),
)


@pytest.fixture(scope="session")
def news(tmp_path_factory) -> str:
    """URL of the database; no test writes to it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('news') / 'news.db'}"
    with Store.open(url) as store:
        store.commit(ARTICLES)
    return url


@pytest.fixture
def export(command) -> Callable[..., str]:
    """Runs `newsextract export ARGUMENTS`, which has to succeed; returns stdout."""
    return lambda *words: str(command("export", *words).stdout)
