"""robots.txt by RFC 9309: files that can't be read, redirects, the agent whose rules count; one fetch a run."""

from time import process_time

import pytest

from newsextract.crawl.politeness import MAX_ROBOTS_BYTES, RobotRules
from tests.crawling import STORIES, Answer, Crawled, add_stories, crawl, free_port, front, make_due, sql, webs
from tests.examples import examples

FORBIDS = "User-agent: *\nDisallow: /\n"


def rules(text: str, status: int = 200, **headers: str) -> Answer:
    return Answer(text, status, "text/plain", headers)


#: Answers to requests for a robots.txt that can't be read, and what is said of each.
UNREADABLE = (
    (rules("", 500), "it answers 500"),
    (rules("User-agent: *\nAllow: /\n", 503), "it answers 503"),
    (Answer("<html>", 520), "it answers 520"),
    (Answer("User-agent", length=99), "the connection broke off"),
    (rules("", 302, Location=f"http://127.0.0.1:{free_port()}/"), "its host refused the connection"),
)


def test_sites_whose_robots_txt_cannot_be_read_are_crawled_in_a_later_run(tmp_path):
    with webs(1 + len(UNREADABLE)) as (readable, *sites):
        urls = ",".join(site.url for site in (readable, *sites))

        def run(status: int | None = 0) -> Crawled:
            for site in sites:
                site.asked.clear()
            return crawl(tmp_path, "site", url=urls, status=status)

        def answer_unreadable() -> None:
            for site, (answer, _) in zip(sites, UNREADABLE, strict=True):
                site["/robots.txt"] = answer

        for site in (readable, *sites):
            add_stories(site)
            site["/"] = front(*STORIES[:3], "/nowhere")
        answer_unreadable()
        done = run()
        assert done.urls == {readable.url + path for path in STORIES[:3]}
        for site, (_, clause) in zip(sites, UNREADABLE, strict=True):
            assert {*site.asked} == {"/robots.txt"}
            sentence = f"its robots.txt can't be read ({clause}), so nothing is fetched for now"
            assert f"not crawled: {site.url}: {sentence}" in done.stderr

        for site in sites:
            site["/robots.txt"] = rules("User-agent: *\nDisallow: /nowhere\n")
        done = run()
        assert [site.asked.count("/robots.txt") for site in sites] == [1] * len(sites)
        assert len(done.articles) == 3 * (1 + len(sites))

        answer_unreadable()
        make_due(tmp_path, "")
        done = run()
        for site, (_, clause) in zip(sites, UNREADABLE, strict=True):
            assert {"/", *STORIES[:3]} <= {*site.asked} and "/nowhere" not in site.asked
            assert f"  {site.url}/robots.txt: it can't be read ({clause}); its copy of 20" in done.stderr

        make_due(tmp_path, "")
        sql(tmp_path / "newsextract.db", "UPDATE sites SET robots_at = datetime(robots_at, '-24 hours')")
        run(status=None)
        due = "SELECT count(next_due) FROM urls WHERE reason = 'robots_unreadable' AND url LIKE ?"
        for site in sites:
            assert {*site.asked} == {"/robots.txt"}
            assert sql(tmp_path / "newsextract.db", due, f"{site.url}/2026%") == [(3,)]


def test_all_requests_that_wait_for_robots_txt_get_its_rules(tmp_path, site):
    site["/robots.txt"] = rules(FORBIDS)
    pages = ",".join(f"{site.url}/{n}" for n in range(8))
    done = crawl(tmp_path, "site", url=pages, status=1)
    assert site.asked == ["/robots.txt"]
    assert "8  disallowed by robots.txt" in done.stderr


def test_unreadable_robots_txt_of_the_only_site_is_a_failed_crawl(tmp_path, site):
    add_stories(site)
    site["/robots.txt"] = rules("", 502)
    done = crawl(tmp_path, "site", url=site.url, status=1)
    assert "1  robots.txt can't be read now" in done.stderr


#: Answers to requests for a robots.txt that forbid nothing.
ALLOWING = (
    *(rules(FORBIDS, status) for status in (400, 401, 403, 404, 410, 429, 451)),
    rules(FORBIDS, 301),  # to nowhere
    rules("", 302, Location="/page"),
    Answer("<!DOCTYPE html><html><body><p>Welcome</p></body></html>"),
    rules("\ufeffUser-agent: *\nDisallow: /hidden\n"),
    rules("User-agent: *\nDisallow: /hidden\n" + "# x\n" * (MAX_ROBOTS_BYTES // 4) + FORBIDS),
    rules("", 308, Location="/hop/0"),  # without end
)


def test_everything_is_allowed_without_a_robots_txt_which_is_redirected_five_times_and_to_another_host(tmp_path):
    statuses = (301, 302, 307, 308)
    with webs(1 + len(statuses) + len(ALLOWING)) as (other, *sites):
        redirected, allowing = sites[: len(statuses)], sites[len(statuses) :]
        for site in sites:
            add_stories(site)
        for site, answer in zip(allowing, ALLOWING, strict=True):
            site["/page"] = "<!DOCTYPE html><html><body><p>Disallow: /</p></body></html>"
            for hop in range(10):
                site[f"/hop/{hop}"] = rules("", 307, Location=f"/hop/{hop + 1}")
            site["/robots.txt"] = answer
        for site, status in zip(redirected, statuses, strict=True):
            hops = ["/robots.txt", "/1", "/2", "/3"]
            for hop, following in zip(hops, [*hops[1:], f"{other.url}/{status}"], strict=True):
                site[hop] = rules("", status, Location=following)
            other[f"/{status}"] = rules("", status, Location=f"/rules-{status}")
            other[f"/rules-{status}"] = rules(f"User-agent: *\nDisallow: {STORIES[0]}\nSitemap: /map.xml\n")
        done = crawl(tmp_path, "site", url=",".join(site.url for site in sites))
    expected = {site.url + path for site in allowing for path in STORIES[:3]}
    assert done.urls == expected | {site.url + path for site in redirected for path in STORIES[1:3]}
    assert sorted(other.asked) == sorted(path for status in statuses for path in (f"/{status}", f"/rules-{status}"))
    assert all("/map.xml" in site.asked for site in redirected)


def test_rules_of_the_agent_that_is_sent_count(tmp_path, site):
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


@pytest.mark.parametrize(("robots", "agent", "is_allowed"), examples(__file__, "agents"))
def test_agent_of_a_group_is_a_whole_product_token(robots, agent, is_allowed):
    assert RobotRules(robots).allowed("https://example.org/page", agent) is is_allowed


def test_many_agents_before_many_rules_are_read_in_linear_time():
    agents, paths = (f"User-agent: a{n}" for n in range(9_000)), (f"Disallow: /{n}" for n in range(9_000))
    started = process_time()
    rules_of_all = RobotRules("\n".join([*agents, *paths]))
    assert not rules_of_all.allowed("https://example.org/8999", "a8999/1.0")
    assert rules_of_all.allowed("https://example.org/8999", "b/1.0")
    assert process_time() - started < 5, "81 million rules otherwise"
