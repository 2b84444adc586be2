"""What a crawl finds on the way that the gold names, walked page by page without any crawler."""

import re
from urllib.parse import urljoin

from newsextract.demo import Site

BASE = "http://127.0.0.1:8737"
OFF_LINKS = {"feed", "sitemap"}


def followed(site: Site) -> set[str]:
    """Every path that links lead to from the front page; feeds, sitemaps and what robots.txt forbids left out."""
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


def test_links_lead_to_exactly_the_articles_that_do_not_need_a_feed_or_sitemap():
    site = Site(extra=120)
    found = {site.article_paths()[path] for path in followed(site) if path in site.article_paths()}
    assert found == {article.path for article in site.gold() if set(article.reachable_by) - OFF_LINKS}


def test_the_redesign_keeps_the_ways_to_its_articles():
    old, new = Site(), Site(design=2)
    assert [article.reachable_by for article in old.gold()] == [article.reachable_by for article in new.gold()]
    assert {path for path in followed(old) if path in old.article_paths()} == {
        path for path in followed(new) if path in new.article_paths()
    }


def test_links_carry_tracking_parameters_and_second_sections():
    site = Site()
    found = followed(site)
    assert any("utm_source" in path for path in found) and any("fbclid" in path for path in found)
    second = {path for a in site.gold() for path in a.paths if path != a.path and "?" not in path}
    assert second and second <= found
