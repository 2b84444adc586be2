"""`newsextract sites import`, `add`, `check` and `newsextract watch`, on real servers."""

import subprocess
from pathlib import Path

from tests import preloaded
from tests.crawling import QUICK, Answer, article, environment, front, web
from tests.schedule.services import json_server

SET = [part for name, value in QUICK.items() for part in ("--set", f"{name}={value}")]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*preloaded.command("newsextract", safe_path=True), *words]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )


def test_sites_are_imported_and_checked_with_a_line_each(tmp_path: Path) -> None:
    with web() as works, web("127.0.0.2") as refuses:
        links = [f"/news/2026/05/story-{n}" for n in range(4)]
        feed = "<link rel=alternate type=application/rss+xml href=/rss>"
        works["/"] = front(*links, head=feed)
        items = "".join(f"<item><link>{works.url}{link}</link></item>" for link in links)
        works["/rss"] = Answer(f"<rss version='2.0'><channel>{items}</channel></rss>", content_type="text/xml")
        for link in links:
            works[link] = article(f"Story at {link}", f"Place {link}")
        refuses["/"] = Answer("no", 403)
        (tmp_path / "list.csv").write_text(f"name,url\nworks,{works.url}/\nrefuses,{refuses.url}/\n")
        added = run(tmp_path, "sites", "import", "list.csv")
        assert (added.returncode, added.stderr) == (0, "2 sites added to sites.toml\n")
        known = run(tmp_path, "sites", "add", f"{works.url}/")
        assert known.stderr == "0 sites added to sites.toml, 1 were there already\n"
        checked = run(tmp_path, "sites", "check", *SET)
    lines = sorted(checked.stdout.splitlines())
    assert checked.returncode == 1, checked.stderr
    assert lines[0].startswith(f"refuses: does not work: {refuses.url}/: it answers 403")
    assert lines[1].startswith("works: works: 4 articles of ")
    assert "feeds: 1, sitemaps: 0; 'Story at /news/2026/05/story-" in lines[1]
    assert "(2026-05-05, confidence " in lines[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.csv", "sites.toml"], "nothing is stored"


def test_failed_site_is_told_once_and_watch_says_so_in_a_line(tmp_path: Path) -> None:
    with web() as works, json_server() as (port, messages):
        works["/"] = front("/news/2026/05/story")
        works["/news/2026/05/story"] = article("The story", "Harbour")
        entries = f'[sites.works]\nurl = "{works.url}/"\nkeep = "400d"\n[sites.gone]\nurl = "http://127.0.0.9:1/"\n'
        (tmp_path / "sites.toml").write_text(f'alerts = ["json://me:hush@127.0.0.1:{port}"]\n{entries}')
        pruned = []
        for _ in range(2):
            crawled = run(tmp_path, "crawl", "sites.toml", "--all", *SET)
            assert crawled.returncode == 1, crawled.stderr
            assert len(messages) == 1, crawled.stderr
            pruned.append("deleted: nothing; " in crawled.stderr)
        assert pruned == [True, False], "once a day"
        assert [message["title"] for message in messages] == ["newsextract: gone: failed"]
        assert "its host refuses the connection" in messages[0]["message"]
        watched = run(tmp_path, "watch")
        assert watched.returncode == 1, watched.stderr
        assert watched.stdout.startswith("2 sites, last run ")
        assert watched.stdout.endswith("UTC: gone: failed\n")
        assert "hush" not in crawled.stderr + watched.stdout + watched.stderr
        (tmp_path / "sites.toml").write_text(
            f'alerts = ["json://127.0.0.1:{port}"]\n[sites.works]\nurl="{works.url}"\n'
        )
        well = run(tmp_path, "watch", "--forget", "gone")
        assert (well.returncode, well.stdout.rpartition(": ")[2]) == (0, "all is well\n"), well.stderr
    assert len(messages) == 1
