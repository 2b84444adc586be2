"""The links of the site, followed without a crawler, lead to the articles as the gold standard says."""

import re
from urllib.parse import urljoin

from newsextract.demo import Site

BASE = "http://127.0.0.1:8737"
OFF_LINKS = {"feed", "sitemap"}


def follow_links(site: Site) -> set[str]:
    """Every path linked, directly or not, from the front page; without feeds, sitemaps and disallowed paths."""
    kinds = site.non_articles()
    seen, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        response = site.page(path, base=BASE)
        for link in re.findall(rb'<a [^>]*href="([^"]+)"', response.body):
            url = urljoin(BASE + path, link.decode("ascii").replace("&amp;", "&")).partition("#")[0]
            target = url.removeprefix(BASE)
            wanted = (
                target.startswith("/") and not target.startswith("/private/") and kinds.get(target) not in OFF_LINKS
            )
            if wanted and target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def test_links_reach_exactly_the_articles_that_need_no_feed_or_sitemap():
    site = Site(extra=120)
    reached = {site.article_paths()[path] for path in follow_links(site) if path in site.article_paths()}
    assert reached == {article.path for article in site.gold() if set(article.reachable_by) - OFF_LINKS}


def test_redesign_keeps_the_links_to_articles():
    old, new = Site(), Site(design=2)
    assert [article.reachable_by for article in old.gold()] == [article.reachable_by for article in new.gold()]
    assert {path for path in follow_links(old) if path in old.article_paths()} == {
        path for path in follow_links(new) if path in new.article_paths()
    }


def test_links_have_tracking_parameters_and_second_sections():
    site = Site()
    paths = follow_links(site)
    assert any("utm_source" in path for path in paths) and any("fbclid" in path for path in paths)
    second = {path for a in site.gold() for path in a.paths if path != a.path and "?" not in path}
    assert second and second <= paths
