"""Any sequence of commits, seen through the public interface, gives what a dictionary as model gives."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from newsextract.store import JsonLines, Store
from tests.store.samples import later, outcome, text

PAGE_CALLBACKS = st.tuples(st.integers(0, 3), st.integers(0, 3))


class Follower(RuleBasedStateMachine):
    """Pages come in groups; one reader follows by cursor, one file by JSON lines, either may lag behind."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "articles.jsonl")
        self.store = Store.open(f"sqlite:///{self.folder.name}/news.db")
        self.model: dict[str, list[str]] = {}
        self.followed: dict[str, str] = {}
        self.cursor = self.hours = 0

    @rule(pages=st.lists(PAGE_CALLBACKS, max_size=6))
    def commit(self, pages: list[tuple[int, int]]) -> None:
        group, kinds = [], []
        for page, body in pages:
            url, content = f"https://example.org/{page}", text(body, 5)
            group.append(outcome(url, content, at=later(self.hours)))
            history = self.model.setdefault(url, [])
            kinds.append("new" if not history else "unchanged" if history[-1] == content else "changed")
            if kinds[-1] != "unchanged":
                history.append(content)
            self.hours += 1
        assert [saved.kind for saved in self.store.commit(group)] == kinds

    @rule()
    def follow(self) -> None:
        for row in self.store.articles(since=self.cursor):
            assert row.change > self.cursor
            self.followed[row.article.url], self.cursor = row.article.article_body, row.change
        assert self.followed == {url: history[-1] for url, history in self.model.items()}

    @rule()
    def write_lines(self) -> None:
        JsonLines(self.store, self.path).write()
        assert len(self.path.read_bytes().splitlines()) == sum(map(len, self.model.values()))

    @precondition(lambda self: self.path.exists() and self.path.stat().st_size)
    @rule(share=st.floats(0, 1))
    def tear(self, share: float) -> None:
        with self.path.open("r+b") as file:
            file.truncate(int(self.path.stat().st_size * share))

    @invariant()
    def history_is_whole(self) -> None:
        if hasattr(self, "store"):
            rows = self.store.changes(0, 10_000)
            by_url: dict[str, list[str]] = {}
            for number, row in enumerate(rows, 1):
                assert row.change == number
                by_url.setdefault(row.article.url, []).append(row.article.article_body)
                assert row.article.version == len(by_url[row.article.url])
            assert by_url == self.model

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()


Follower.TestCase.settings = settings(
    max_examples=settings().max_examples // 3,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAnyHistory = Follower.TestCase
