"""Three weeks of two kinds of work, in faked time: no step logs an error, all counts agree, and each step done again
changes nothing."""

import gzip
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import preloaded
from tests.crawling import (
    QUICK,
    Finished,
    Web,
    article,
    crawl_options,
    front,
    json_lines,
    make_due,
    run_command,
    sql,
    warc_record,
    web,
)
from tests.journeys.test_journeys import Journey
from tests.runs.test_addon import MODULES

WEEKS = ("2026-06-01T06:00:00+00:00", "2026-06-08T06:00:00+00:00", "2026-06-15T06:00:00+00:00")
GONE = {"deleted", "retracted"}
WEEKLY = '[defaults]\ninterval = "7d"\nshortest = "7d"\nlongest = "7d"\n'
SUMMARY = re.compile(r"^\w+: \d+ pages? in .*; articles: (\d+) new, (\d+) changed", re.M)
WALL = (
    "<html><head><title>Before you read</title></head><body><h1>We value your privacy</h1><p>We and our partners store "
    "cookies on your device. Accept all, or choose what you allow.</p><button>Accept all</button></body></html>"
)


def run(
    folder: Path, when: str, *words: str, program: str = "newsextract", status: int = 0, **settings: str
) -> Finished:
    """Runs a command at a moment; it has to end with this status, and to log no error."""
    command = [*preloaded.command(program), *words, *crawl_options(settings)]
    done = run_command(command, folder, status, **{preloaded.FAKE_TIME: when})
    assert not re.search(r"\b(ERROR|CRITICAL)\b|Traceback", done.stderr.replace("log_count/ERROR", "")), done.stderr
    return done


def present(folder: Path) -> dict[str, str]:
    return Journey(None, folder).present()


def changes(folder: Path) -> list[Any]:
    """The last change and their number."""
    return sql(folder / "newsextract.db", "SELECT max(change), count(*) FROM changes")


def exported(folder: Path, when: str, name: str) -> list[dict[str, Any]]:
    run(folder, when, "export", "-o", name)
    return json_lines(folder / name)


class Paper:
    """A paper whose front page links all of its stories."""

    def __init__(self, site: Web, name: str) -> None:
        self.site, self.name, self.stories = site, name, list[str]()

    def publish(self, week: int, *numbers: int, more: str = "") -> list[str]:
        """Puts stories of a week on the site; their paths."""
        paths = [f"/2026/{5 + week:02}/0{n}/the-{self.name}-council-votes-on-pier-{week}{n}.html" for n in numbers]
        for path, n in zip(paths, numbers, strict=True):
            page = article(f"Pier {n} of {self.name}, week {week}", f"{self.name}{week}{n}", date="")
            self.site[path] = page.replace("</article>", f"<p>{more}</p></article>")
        self.stories += [path for path in paths if path not in self.stories]
        self.site["/"] = front(*self.stories)
        return paths


@pytest.fixture
def papers() -> Iterator[list[Paper]]:
    with web("127.0.0.1") as one, web("127.0.0.2") as two, web("127.0.0.3") as three:
        yield [Paper(site, name) for site, name in ((one, "alnes"), (two, "borg"), (three, "dale"))]


def test_weekly_corpus_of_three_papers_with_topics(papers, tmp_path):
    entries = "".join(f'[sites.{paper.name}]\nurl = "{paper.site.url}/"\n' for paper in papers)
    (tmp_path / "sites.toml").write_text(f'[project]\npages = "pages"\njsonl = "articles.jsonl"\n{WEEKLY}{entries}')
    (tmp_path / "topics.toml").write_text("[topics.fraud]\nquery = '\"invoices were forged\"'\n")
    alnes, borg, dale = papers
    for paper in papers:
        paper.publish(0, 1, 2, 3, 4)

    def week(when: str, new: int, changed: int = 0, status: int = 0) -> list[dict[str, Any]]:
        """A week's commands; the rows that its export adds. Done again an hour later, they change nothing."""
        added = []
        for again in (False, True):
            at = when.replace("T06", "T07") if again else when
            done = run(tmp_path, at, "crawl", "sites.toml", status=0 if again else status, **QUICK)
            counts = [tuple(map(int, each)) for each in SUMMARY.findall(done.stderr)]
            summed = (sum(n for n, _ in counts), sum(n for _, n in counts))
            assert summed == ((0, 0) if again else (new, changed)), done.stderr
            assert "Nothing is due" in done.stderr or not again
            run(tmp_path, at, "export", "--cursor-file", "cursor.txt", "-o", "corpus.jsonl")
            lines = json_lines(tmp_path / "corpus.jsonl")
            assert not again or len(lines) == len(added)
            added = lines
        rows, live = exported(tmp_path, when, "all.jsonl"), present(tmp_path)
        assert {row["url"]: row["article_body"] for row in rows if row["change_kind"] not in GONE} == live
        latest = {row["url"]: row["change_kind"] for row in added}
        assert {url for url, kind in latest.items() if kind not in GONE} == {*live}
        status = run(tmp_path, when, "status").stdout
        known = sum(int(re.search(rf"^{paper.name} \S+ +(\d+)", status, re.M)[1]) for paper in papers)
        assert known == len(live)
        run(tmp_path, when, "browse", "--update-only")
        hits = run(tmp_path, when, "search", "council", "--format", "jsonl", "--duplicates", "--limit", "99").stdout
        assert {json.loads(line)["url"] for line in hits.splitlines()} == {*live}
        assert "0 articles changed" in run(tmp_path, when, "reextract", "--pages", "pages", "--workers", "0").stderr
        assert present(tmp_path) == live
        before = changes(tmp_path)
        run(tmp_path, when, "db", "prune", "--keep", "30d", "--dry-run")
        assert changes(tmp_path) == before
        return added

    week(WEEKS[0], new=12)
    first = present(tmp_path)
    [corrected] = alnes.publish(0, 1, more="Correction: two invoices were forged, not three, the council said.")
    alnes.publish(1, 5)
    deleted = dale.stories.pop(0)
    del dale.site.pages[deleted]
    dale.publish(1, 5)
    shown = dict(borg.site.pages)
    for path in [*borg.site.pages]:
        borg.site[path] = WALL
    make_due(tmp_path, corrected, deleted, *borg.stories[:2])
    kinds = Counter(row["change_kind"] for row in week(WEEKS[1], new=2, changed=1, status=1))
    assert (kinds["changed"], kinds["deleted"]) == (1, 1)
    after = present(tmp_path)
    assert {url for url in first if url not in after} == {dale.site.url + deleted}
    before, now = ({u: text for u, text in texts.items() if u.startswith(borg.site.url)} for texts in (first, after))
    assert now == before, "a consent wall is not a new version of an article"
    run(tmp_path, WEEKS[1], "export", "--topic", "fraud", "-o", "fraud.jsonl")
    lines = json_lines(tmp_path / "fraud.jsonl")
    assert [(row["url"], row["topics"]) for row in lines] == [(alnes.site.url + corrected, ["fraud"])]
    assert "fraud" in run(tmp_path, WEEKS[1], "topics").stdout

    borg.site.pages.update(shown)
    borg.publish(2, 6)
    make_due(tmp_path, *borg.stories[:2])
    week(WEEKS[2], new=1)
    assert present(tmp_path).keys() == {*after, borg.site.url + borg.stories[-1]}


def test_scrapy_project_with_the_addon_own_pipelines_postgresql_and_feeds(papers, tmp_path, postgresql_url):
    paper = papers[0]
    run(tmp_path, WEEKS[0], "startproject", "mynews", ".", program="scrapy", SCRAPY_SETTINGS_MODULE="x")
    with (tmp_path / "mynews/settings.py").open("a") as settings:
        settings.write(
            'ADDONS = {"newsextract.Addon": 500}\nITEM_PIPELINES = {"mynews.pipelines.FieldPipeline": 900}\n'
            f"NEWSEXTRACT_DATABASE_URL = {postgresql_url!r}\nNEWSEXTRACT_WORKERS = 0\n"
            "CONCURRENT_REQUESTS_PER_DOMAIN = 8\nDOWNLOAD_DELAY = 0\n"
        )
    (tmp_path / "mynews/pipelines.py").write_text(MODULES["field"])
    (tmp_path / "mynews/spiders/news.py").write_text(MODULES["crawl"].replace("URL", paper.site.url))

    def rows() -> dict[str, tuple[int, str]]:
        with psycopg.connect(postgresql_url) as connection:
            return {url: (version, kind) for url, version, kind in connection.execute(
                "SELECT url, version, change_kind FROM articles"
            )}  # fmt: skip

    def crawl(when: str, name: str) -> list[dict[str, Any]]:
        command = [*preloaded.command("scrapy"), "crawl", "news", "-O", name]
        done = run_command(command, tmp_path, SCRAPY_SETTINGS_MODULE="", **{preloaded.FAKE_TIME: when})
        assert not re.search(r"\bERROR\b(?!')", done.stderr), done.stderr
        lines = json_lines(tmp_path / name)
        counts = {kind: int(n) for kind, n in re.findall(r"'newsextract/articles/(\w+)': (\d+)", done.stderr)}
        assert counts.get("new", 0) + counts.get("changed", 0) == len(lines)
        assert {line["desk"] for line in lines} <= {"harbour"}
        return lines

    paper.publish(0, 1, 2, 3)
    assert {line["url"] for line in crawl(WEEKS[0], "one.jsonl")} == {*rows()}
    known = rows()
    assert crawl(WEEKS[0].replace("T06", "T08"), "again.jsonl") == [] and rows() == known
    [corrected] = paper.publish(0, 2, more="Correction: the council voted on Monday, not on Tuesday.")
    [added] = paper.publish(1, 4)
    lines = crawl(WEEKS[1], "two.jsonl")
    changes = {(line["change_kind"], line["url"]) for line in lines}
    assert changes == {("changed", paper.site.url + corrected), ("new", paper.site.url + added)}
    assert crawl(WEEKS[2], "three.jsonl") == []
    assert rows().keys() == {paper.site.url + path for path in paper.stories}
    status = run(tmp_path, WEEKS[2], "status", "--database", postgresql_url).stdout
    assert re.search(r"^news \S+ +4 ", status, re.M), status
    run(tmp_path, WEEKS[2], "export", "--database", postgresql_url, "-o", "all.jsonl")
    versions = {line["url"]: line["version"] for line in json_lines(tmp_path / "all.jsonl")}
    assert versions == {url: version for url, (version, _) in rows().items()}


def test_warc_files_and_folders_of_saved_pages(tmp_path):
    warcs, saved = tmp_path / "warcs", tmp_path / "saved"
    warcs.mkdir()
    saved.mkdir()

    def archive(name: str, when: str, *stories: int, more: str = "") -> None:
        records = [
            warc_record(f"https://gazette.example/2026/05/pier-{n}.html",
                        article(f"Pier {n} of Dale", f"Dale{n}", head="<meta name=x>").replace(
                            "</article>", f"<p>{more}</p></article>").encode(), when=when)
            for n in stories
        ]  # fmt: skip
        (warcs / name).write_bytes(b"".join(gzip.compress(record) for record in records))

    def check(when: str, number: int) -> dict[str, str]:
        live = present(tmp_path)
        assert len(live) == number
        rows = exported(tmp_path, when, "all.jsonl")
        assert {row["url"] for row in rows if row["change_kind"] not in GONE} == live.keys()
        status = run(tmp_path, when, "status").stdout
        assert sum(map(int, re.findall(r"^\S+\.example\S* +(\d+)", status, re.M))) == number, status
        return live

    def twice(when: str, *words: str, program: str = "newsextract", **settings: str) -> None:
        """Runs a command, and again as `AGAIN` in another folder: the database stays as it is."""
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        run(tmp_path, when, *words, program=program, **settings)
        before = present(tmp_path), changes(tmp_path)
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        run(tmp_path, when.replace("T06", "T09"), *words, program=program, **settings)
        assert (present(tmp_path), changes(tmp_path)) == before

    into = ("cluster", "warcs", "-o", "run", "--workers", "0", "--into", "newsextract.db")
    archive("one.warc.gz", "2026-05-30T03:04:05Z", 1, 2, 3)
    run(tmp_path, WEEKS[0], *into[:-2])
    twice(WEEKS[0], *into)
    check(WEEKS[0], 3)
    archive("two.warc.gz", "2026-06-06T03:04:05Z", 3, 4, more="Correction: the vote was on Monday, the council said.")
    twice(WEEKS[1], *into)
    assert "Correction" in check(WEEKS[1], 4)["https://gazette.example/2026/05/pier-3.html"]
    for n in (7, 8):
        head = f"<link rel=canonical href='https://courier.example/2026/06/pier-{n}.html'>"
        (saved / f"{n}.html").write_text(article(f"Pier {n} of Eide", f"Eide{n}", head=head))
    settings = {"NEWSEXTRACT_WORKERS": "0"}
    run(tmp_path, WEEKS[2], "crawl", "archive", "-a", f"path={saved}", program="scrapy", **settings)
    live = check(WEEKS[2], 6)
    assert "0 articles changed" in run(tmp_path, WEEKS[2], "reextract", "--pages", "warcs", "--workers", "0").stderr
    assert present(tmp_path) == live
