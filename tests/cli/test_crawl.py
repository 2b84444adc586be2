"""What `newsextract crawl` says before anything is fetched, and when there is nothing to fetch."""

import pytest

from newsextract.store import Store

TWO = "[sites.a]\nurl = 'https://a.example/'\n[sites.b]\nurl = 'https://b.example/'\ninterval = '2h'\n"


def test_check_shows_the_sites_and_when_they_are_due(command, tmp_path):
    (tmp_path / "sites.toml").write_text(TWO)
    done = command("crawl", "sites.toml", "--check")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines() if "never" in line]
    assert [row[1] for row in rows] == ["a", "b"]
    assert all("now" in row for row in rows)
    assert not (tmp_path / "newsextract.db").exists()


def test_check_tells_all_that_is_wrong_and_ends_with_2(command, tmp_path):
    (tmp_path / "sites.toml").write_text(f"{TWO}\nmax_pages = 0\nworkers = 2")
    done = command("crawl", "sites.toml", "--check")
    assert done.returncode == 2
    assert done.stderr.count("sites.b.") == 2
    assert " a " in done.stdout


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (TWO, ["--site", "c"], "has no site 'c'; it has a, b"),
        (f"{TWO}\nmax_pages = 0", ["--site", "b"], "'b' can't be crawled: its entry is wrong"),
        ("[sites", [], "can't be used, as said above"),
        (None, [], "sites.toml can't be used"),
        (TWO, ["--set", "NEWSEXTRACT_EXTRACTER=x"], "did you mean NEWSEXTRACT_EXTRACTOR?"),
        (TWO, ["--set", "x"], "is not of the form NAME=VALUE"),
        (TWO, ["--parallel", "0"], "greater than or equal to 1"),
    ],
)
def test_a_wrong_call_ends_with_2_and_fetches_nothing(command, tmp_path, text, options, said):
    if text is not None:
        (tmp_path / "sites.toml").write_text(text)
    done = command("crawl", "sites.toml", *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_fetched_while_no_site_is_due_or_another_process_is_at_it(command, tmp_path):
    (tmp_path / "sites.toml").write_text(TWO)
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        store.finish_run(store.frontier("a", {"subdomains": "False", "url": "https://a.example/"}).run, "finished", {})
        store.frontier("b", {"subdomains": "False", "url": "https://b.example/"})
    done = command("crawl", "sites.toml")
    assert done.returncode == 0
    assert "Nothing is due; b: under way already; next is a at " in done.stderr
