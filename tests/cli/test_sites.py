"""`newsextract sites import`, `add`, `check` and `newsextract watch`, on real servers."""

import json

from tests.crawling import QUICK, Answer, add_stories, front, newsextract, web


def test_sites_are_imported_and_checked_with_a_line_each(tmp_path):
    with web() as works, web("127.0.0.2") as refuses:
        links = add_stories(works, 4)
        works["/"] = front(*links, head="<link rel=alternate type=application/rss+xml href=/rss>")
        items = "".join(f"<item><link>{works.url}{link}</link></item>" for link in links)
        works["/rss"] = Answer(f"<rss version='2.0'><channel>{items}</channel></rss>", content_type="text/xml")
        refuses["/"] = Answer("no", 403)
        (tmp_path / "list.csv").write_text(f"name,url\nworks,{works.url}/\nrefuses,{refuses.url}/\n")
        added = newsextract(tmp_path, "sites", "import", "list.csv")
        assert added.stderr == "2 sites added to sites.toml\n"
        known = newsextract(tmp_path, "sites", "add", f"{works.url}/")
        assert known.stderr == "0 sites added to sites.toml, 1 already there\n"
        checked = newsextract(tmp_path, "sites", "check", "sites.toml", settings=QUICK, status=1)
    lines = sorted(checked.stdout.splitlines())
    assert lines[0].startswith(f"refuses: doesn't work: {refuses.url}/: it answers 403")
    assert lines[1].startswith("works: works: 4 articles of ")
    assert "feeds: 1, sitemaps: 0; 'Story " in lines[1]
    assert "(2026-05-0" in lines[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.csv", "sites.toml"], "nothing is stored"


def test_failed_site_is_told_once_and_watch_says_so_in_a_line(tmp_path):
    with web() as works, web("127.0.0.2") as service:
        add_stories(works, 1)
        service["/"] = "thanks"
        address = service.url.removeprefix("http://")
        entries = f'[sites.works]\nurl = "{works.url}/"\nkeep = "400d"\n[sites.gone]\nurl = "http://127.0.0.9:1/"\n'
        (tmp_path / "sites.toml").write_text(f'alerts = ["json://me:hush@{address}"]\n{entries}')
        pruned = []
        for _ in range(2):
            crawled = newsextract(tmp_path, "crawl", "sites.toml", "--all", settings=QUICK, status=1)
            [message] = map(json.loads, service.posted)
            pruned.append("deleted: nothing; " in crawled.stderr)
        assert pruned == [True, False], "once a day"
        assert message["title"] == "newsextract: gone: failed"
        assert "its host refused the connection" in message["message"]
        watched = newsextract(tmp_path, "watch", status=1)
        assert watched.stdout.startswith("2 sites, last run ")
        assert watched.stdout.endswith("UTC: gone: failed\n")
        assert "hush" not in crawled.stderr + watched.stdout + watched.stderr
        (tmp_path / "sites.toml").write_text(f'alerts = ["json://{address}"]\n[sites.works]\nurl="{works.url}"\n')
        still = newsextract(tmp_path, "watch", status=1).stdout
        assert "gone: failed (not in sites.toml; newsextract watch --clear-alerts gone ends this)" in still
        well = newsextract(tmp_path, "watch", "--clear-alerts", "gone")
        assert well.stdout.rpartition(": ")[2] == "all is well\n", well.stderr
    assert len(service.posted) == 1
