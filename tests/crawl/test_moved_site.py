"""Sites that move to another host: they are followed, said, and their stories stay one article."""

from ipaddress import ip_address

import pytest
from cryptography.x509 import IPAddress

from evaluation.crawling.kill import path_of
from newsextract.health.alerts import load_alerts
from tests.crawl.tls import make_certificate
from tests.crawling import Answer, article, crawl, front, make_due, web
from tests.store.samples import text

PATHS = [f"/2026/05/0{n}/the-council-votes-on-pier-{n}.html" for n in range(1, 4)]


def story(number: int) -> str:
    return article(f"Story {number}", f"Place {number}").replace("<p>", f"<p>{text(number)}. ", 1)


def test_site_that_moves_to_https_and_another_host_is_followed_and_its_stories_stay_one_article(tmp_path, site, store):
    """Over TLS, from http to https at the old host, then to the new one; no story is lost or doubled."""
    file = make_certificate(tmp_path, [IPAddress(ip_address(host)) for host in ("127.0.0.1", "127.0.0.2")])
    trusting = {"SSL_CERT_FILE": str(file)}
    with web(certificate=file) as secure, web("127.0.0.2", certificate=file) as other:
        for number, path in enumerate(PATHS):
            site[path] = other[path] = story(number)
        site["/"] = front(*PATHS[:2])
        other["/"] = front(*PATHS)
        assert crawl(tmp_path, "site", url=site.url).paths == {*PATHS[:2]}
        for path in ("/", *PATHS):
            site[path] = Answer(status=301, headers={"Location": secure.url + path})
            secure[path] = Answer(status=308, headers={"Location": other.url + path})
        other[PATHS[1]] = story(1).replace("four million", "five million")
        make_due(tmp_path, "/", PATHS[0])
        done = crawl(tmp_path, "site", url=site.url, status=1, env=trusting)
        assert f"redirects to {other.url}/" in done.stderr
        assert sorted(path_of(one["url"]) for one in done.articles) == PATHS
        [alert] = store.read(load_alerts)
        assert alert.kind == "moved" and other.url in alert.sentence
        other["/"] = front(*PATHS).replace(f"href='{PATHS[0]}'", "href='/pier/1'")  # once the new URL is set
        other["/pier/1"] = story(0)
        done = crawl(tmp_path, "site", url=other.url, env=trusting)
        assert len(done.articles) == 3 and "redirects to" not in done.stderr


@pytest.mark.parametrize("leads", ["by redirects", "by refreshes", "by links"])
def test_site_whose_pages_lead_to_another_host_fails_and_names_it(tmp_path, site, store, leads):
    paths = [f"/2026/05/0{n}/pier-{n}.html" for n in range(1, 7)]
    site["/"] = front(*(f"http://127.0.0.2:9{path}" if leads == "by links" else path for path in paths))
    for path in paths:
        url = f"http://127.0.0.2:9{path}"
        refresh = f"<meta http-equiv=refresh content='0; url={url}'>"
        site[path] = refresh if leads == "by refreshes" else Answer(status=307, headers={"Location": url})
    done = crawl(tmp_path, "site", url=site.url, status=1)
    assert "lead to http://127.0.0.2:9/: set url to that" in done.stderr
    assert [alert.kind for alert in store.read(load_alerts)] == ["moved"]


def test_cookie_that_another_host_sets_is_fetched_and_nothing_is_said(tmp_path, site, store):
    with web("127.0.0.2", site.port) as other:
        site["/"] = lambda: (
            Answer(front(*PATHS)) if other.asked else Answer(status=302, headers={"Location": f"{other.url}/sign-in"})
        )
        other["/sign-in"] = Answer(status=302, headers={"Location": f"{site.url}/"})
        for number, path in enumerate(PATHS):
            site[path] = article(f"Story {number}", f"Place {number}")
        done = crawl(tmp_path, "site", url=site.url)
        assert done.paths == {*PATHS} and "redirects to" not in done.stderr
        assert store.read(load_alerts) == []


def test_link_text_of_another_site_is_no_headline(tmp_path, site, store):
    with web("127.0.0.2") as other:
        untitled = article("", "Ash").replace("<title></title>", "").replace("<h1></h1>", "")
        site["/"] = front("/2026/05/ash", "/2026/05/birch")
        site["/2026/05/ash"], site["/2026/05/birch"] = untitled, untitled.replace("Ash", "Birch")
        links = "".join(f"<a href='{site.url}/2026/05/{name}'>Mayor arrested</a>" for name in ("ash", "cedar"))
        site["/2026/05/cedar"] = untitled.replace("Ash", "Cedar")
        other["/"] = f"<title>Rumours</title>{links}"
        done = crawl(tmp_path, "site", url=f"{other.url},{site.url}", status=None)
        assert len(done.articles) >= 2 and not any("Mayor" in (one["headline"] or "") for one in done.articles)
