"""robots.txt by RFC 9309: files that can't be read, redirects, the agent whose rules count; one fetch a run."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from time import process_time

import pytest

from newsextract.crawl.politeness import MAX_ROBOTS_BYTES, RobotRules
from tests.crawling import STORIES, Answer, Web, add_stories, crawl, free_port, front, web

FORBIDS = "User-agent: *\nDisallow: /\n"
UNREADABLE = "its robots.txt can't be read ({}), so nothing is fetched for now"


def rules(text: str, status: int = 200, **headers: str) -> Answer:
    return Answer(text, status, "text/plain", headers)


@pytest.mark.parametrize(
    ("answer", "clause"),
    [
        (rules("", 500), "it answers 500"),
        (rules("User-agent: *\nAllow: /\n", 503), "it answers 503"),
        (Answer("<html>", 520), "it answers 520"),
        (Answer("User-agent", length=99), "the connection broke off"),
        (rules("", 302, Location=f"http://127.0.0.1:{free_port()}/"), "its host refused the connection"),
    ],
)
def test_site_whose_robots_txt_cannot_be_read_is_crawled_in_a_later_run(tmp_path, answer, clause):
    with web() as site, web("127.0.0.2") as other:
        add_stories(site)
        add_stories(other)
        site["/"] = front(*STORIES[:3], "/nowhere")
        site["/robots.txt"] = answer
        done = crawl(tmp_path, "site", url=f"{site.url},{other.url}")
        assert {*site.asked} == {"/robots.txt"} and len(done.articles) == 3
        assert f"not crawled: {site.url}: {UNREADABLE.format(clause)}" in done.stderr
        site["/robots.txt"] = rules("User-agent: *\nDisallow: /nowhere\n")
        site.asked.clear()
        done = crawl(tmp_path, "site", url=f"{site.url},{other.url}")
        assert site.asked.count("/robots.txt") == 1
        assert len(done.articles) == 6

        site["/robots.txt"] = answer
        due = "UPDATE urls SET next_due = '2026-01-01 00:00:00.000000'"
        change(tmp_path, due)
        site.asked.clear()
        done = crawl(tmp_path, "site", url=f"{site.url},{other.url}")
        assert {"/", *STORIES[:3]} <= {*site.asked} and "/nowhere" not in site.asked
        assert f"  {site.url}/robots.txt: it can't be read ({clause}); its copy of 20" in done.stderr

        change(tmp_path, f"{due}; UPDATE sites SET robots_at = datetime(robots_at, '-24 hours')")
        site.asked.clear()
        crawl(tmp_path, "site", url=f"{site.url},{other.url}", status=None)
        assert {*site.asked} == {"/robots.txt"}
        with closing(sqlite3.connect(tmp_path / "newsextract.db")) as database, database:
            due = "SELECT count(next_due) FROM urls WHERE reason = 'robots_unreadable' AND url LIKE ?"
            assert database.execute(due, (f"{site.url}/2026%",)).fetchone() == (3,)


def change(folder, statements):
    """Changes the database of a crawl."""
    with closing(sqlite3.connect(folder / "newsextract.db")) as database:
        database.executescript(statements)


def test_all_requests_that_wait_for_robots_txt_get_its_rules(tmp_path):
    with web() as site:
        site["/robots.txt"] = rules(FORBIDS)
        pages = ",".join(f"{site.url}/{n}" for n in range(8))
        done = crawl(tmp_path, "site", url=pages, status=1)
        assert site.asked == ["/robots.txt"]
        assert "8  disallowed by robots.txt" in done.stderr


def test_unreadable_robots_txt_of_the_only_site_is_a_failed_crawl(tmp_path):
    with web() as site:
        add_stories(site)
        site["/robots.txt"] = rules("", 502)
        done = crawl(tmp_path, "site", url=site.url, status=1)
        assert "1  robots.txt can't be read now" in done.stderr


def endless() -> Callable[[Web], None]:
    def add(site: Web) -> None:
        for hop in range(10):
            site[f"/hop/{hop}"] = rules("", 307, Location=f"/hop/{hop + 1}")
        site["/robots.txt"] = rules("", 308, Location="/hop/0")

    return add


@pytest.mark.parametrize(
    "answer",
    [
        *(rules(FORBIDS, status) for status in (400, 401, 403, 404, 410, 429, 451)),
        rules(FORBIDS, 301),  # to nowhere
        rules("", 302, Location="/page"),
        Answer("<!DOCTYPE html><html><body><p>Welcome</p></body></html>"),
        rules("\ufeffUser-agent: *\nDisallow: /hidden\n"),
        rules("User-agent: *\nDisallow: /hidden\n" + "# x\n" * (MAX_ROBOTS_BYTES // 4) + FORBIDS),
        endless(),
    ],
)
def test_everything_is_allowed_without_a_robots_txt(tmp_path, answer):
    with web() as site:
        stories = add_stories(site)
        site["/page"] = "<!DOCTYPE html><html><body><p>Disallow: /</p></body></html>"
        if callable(answer):
            answer(site)
        else:
            site["/robots.txt"] = answer
        done = crawl(tmp_path, "site", url=site.url)
    assert done.paths == {*stories}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_robots_txt_is_redirected_five_times_and_to_another_host(tmp_path, status):
    with web() as site, web("127.0.0.2") as other:
        add_stories(site)
        hops = ["/robots.txt", "/1", "/2", "/3"]
        for hop, following in zip(hops, [*hops[1:], f"{other.url}/4"], strict=True):
            site[hop] = rules("", status, Location=following)
        other["/4"] = rules("", status, Location="/rules")
        other["/rules"] = rules(f"User-agent: *\nDisallow: {STORIES[0]}\nSitemap: /map.xml\n")
        done = crawl(tmp_path, "site", url=site.url)
    assert done.paths == {*STORIES[1:3]}
    assert other.asked == ["/4", "/rules"] and "/map.xml" in site.asked


def test_rules_of_the_agent_that_is_sent_count(tmp_path):
    with web() as site:
        add_stories(site)
        groups = "User-agent: HarbourBot/1.4\nCrawl-delay: 0.1\nDisallow: /2026/\n\nUser-agent: *\nAllow: /\n"
        site["/robots.txt"] = rules(groups)
        sent = {"USER_AGENT": "harbourbot/2.0 (+https://harbour.example/bot)"}
        assert not crawl(tmp_path, "site", url=site.url, settings=sent).articles
        tables = {
            "setting": 'user_agent = "HARBOURBOT"',
            "header": 'headers = { User-Agent = "Mozilla/5.0 (compatible; HarbourBot/3)" }',
        }
        sites = "".join(f'[sites.{name}]\nurl = "{site.url}"\n{line}\n' for name, line in tables.items())
        (tmp_path / "sites.toml").write_text(sites, "utf-8")
        for name in tables:
            assert not crawl(tmp_path, name).articles, name
        pinned = {**sent, "ROBOTSTXT_USER_AGENT": "newsextract"}
        (tmp_path / "pinned").mkdir()
        assert len(crawl(tmp_path / "pinned", "site", url=site.url, settings=pinned).articles) == 3


@pytest.mark.parametrize(
    ("robots", "agent", "is_allowed"),
    [
        ("User-agent: bot\nDisallow: /", "bot-net/1.0 (a bot of ours)", True),
        ("User-agent: news\nDisallow: /", "newsextract/1.2 (news crawler; set USER_AGENT)", True),
        ("User-agent: One, Two/2\nDisallow: /", "two", False),
        ("user agent   TWO # ours\ndisallow: /", "Mozilla/5.0 (X11; compatible; Two; +https://two.example)", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: two\nAllow: /", "two/1", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: two\nDisallow:", "two/1", True),
        ("User-agent: two\nUser-agent: one\nDisallow: /", "one", False),
        ("User-agent: two\nDisallow: /a\nUser-agent: three\nDisallow: /", "two", True),
    ],
)
def test_agent_of_a_group_is_a_whole_product_token(robots, agent, is_allowed):
    assert RobotRules(robots).allowed("https://example.org/page", agent) is is_allowed


def test_many_agents_before_many_rules_are_read_in_linear_time():
    agents, paths = (f"User-agent: a{n}" for n in range(9_000)), (f"Disallow: /{n}" for n in range(9_000))
    started = process_time()
    rules_of_all = RobotRules("\n".join([*agents, *paths]))
    assert not rules_of_all.allowed("https://example.org/8999", "a8999/1.0")
    assert rules_of_all.allowed("https://example.org/8999", "b/1.0")
    assert process_time() - started < 5, "81 million rules otherwise"
