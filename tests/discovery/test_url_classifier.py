from newsextract.discovery.url_classifier import (
    MAX_FEATURES,
    UrlClassifier,
    UrlEvidence,
    features,
    is_narrow_list,
    original_of_copy,
)

ARTICLES = [f"https://example.org/news/2026/05/0{n}/council-votes-on-pier-number-{n}.html" for n in range(1, 9)]
OTHERS = [
    "https://example.org/",
    "https://example.org/tag/boats",
    "https://example.org/etiqueta/valle-del-cauca/",
    "https://example.org/news/?page=3",
    "https://example.org/login",
    "https://example.org/2024/05/",
    "https://example.org/archives/2024/5/page/3/",
]


def probability(url: str, classifier: UrlClassifier | None = None, **found: str) -> float:
    return (classifier or UrlClassifier()).article_probability(UrlEvidence(url, **found))


def test_classifier_prior_prefers_dated_slugs_to_lists() -> None:
    assert min(map(probability, ARTICLES)) > 0.8
    assert max(map(probability, OTHERS)) < 0.3


def test_classifier_takes_headlines_for_links_to_articles_and_single_words_for_sections() -> None:
    for headline, section in (("Council votes to rebuild the pier", "Sports"), ("市議会が港の再建を決めた", "経済")):
        found = [probability("https://example.org/x1", anchor_text=text) for text in (headline, "", section, "2")]
        assert found == sorted(found, reverse=True)
        assert found[0] > 0.5 > found[2]


def test_classifier_learns_which_sitemap_lists_articles() -> None:
    classifier, found = UrlClassifier(), {"posts": 0.0, "terms": 0.0}
    for n in range(8):
        for name in found:
            evidence = UrlEvidence(f"https://example.org/x{n}", "", "sitemap", f"https://example.org/{name}")
            classifier.update(evidence, name == "posts")
    for name in found:
        url, listed = "https://example.org/y", f"https://example.org/{name}"
        found[name] = probability(url, classifier, listed_in="sitemap", list_url=listed)
    assert found["posts"] > 0.8
    assert found["terms"] < 0.3


def test_classifier_learns_unusual_urls_of_site() -> None:
    classifier = UrlClassifier()
    odd, lists = "https://example.org/s/{}", "https://example.org/2026/05/all-stories-of-the-month-{}"
    before = probability(odd.format("x1"))
    for n in range(12):
        classifier.update(UrlEvidence(odd.format(f"x{n}")), True)
        classifier.update(UrlEvidence(lists.format(n)), False)
    assert probability(odd.format("x99"), classifier) > max(0.8, before)
    assert probability(odd.format("x99"), classifier) > probability(lists.format(99), classifier)


def test_what_the_first_articles_have_in_common_with_lists_speaks_for_neither() -> None:
    classifier = UrlClassifier()
    for n in range(40):
        classifier.update(UrlEvidence(f"https://example.org/posts/{n}-on-boats.html", "Some words on it"), True)
    for path in ("tags/boats/", "categories/sea/"):
        assert probability(f"https://example.org/{path}", classifier, anchor_text="Boats") < 0.2
    assert probability("https://example.org/posts/99-on-piers.html", classifier, anchor_text="Piers") > 0.8


def test_feed_that_names_tags_does_not_make_them_articles() -> None:
    feed = {"listed_in": "feed", "list_url": "https://example.org/index.xml"}
    classifier = UrlClassifier()
    for n in range(10):
        classifier.update(UrlEvidence(f"https://example.org/posts/{n}-on-boats", **feed), True)
    assert probability("https://example.org/tags/boats", classifier, **feed) < 0.5
    assert probability("https://example.org/posts/99-on-piers", classifier, **feed) > 0.9


def test_pages_about_the_site_are_no_articles() -> None:
    pages = ("about-us", "contact-us", "privacy-policy", "politica-de-privacidad", "aviso-legal", "qui-sommes-nous")
    assert max(probability(f"https://example.org/{page}/") for page in pages) < 0.1
    assert probability("https://example.org/about-last-night-in-the-old-harbour/") > 0.3


def test_copies_lead_to_their_originals() -> None:
    for copy in ("a/amp", "a/amp/", "amp/a", "a/print", "a.amp"):
        assert original_of_copy(f"https://example.org/{copy}").rstrip("/") == "https://example.org/a"  # type: ignore[union-attr]
    assert original_of_copy("https://example.org/a.amp.html") == "https://example.org/a.html"
    for page in ("a", "amplifier", "print-shops/a", "a/amp/b"):
        assert original_of_copy(f"https://example.org/{page}") is None


def test_narrow_lists_pick_articles_from_other_lists() -> None:
    paths = ("tag/a", "author/b", "x?f=1", "2024/05/", "sport", "page/2", "x?page=2", "category/a")
    assert [path for path in paths if is_narrow_list(f"https://example.org/{path}")] == [*paths[:4]]


def test_classifier_is_bounded_on_hostile_urls() -> None:
    classifier = UrlClassifier()
    for n in range(300):
        url = "https://example.org/" + "/".join(f"{n}-{part}%ff" for part in range(40))
        classifier.update(UrlEvidence(url, "x" * 99_999, "feed", url), bool(n % 2))
    assert len(classifier.articles) <= MAX_FEATURES
    assert 0 <= probability("https://example.org/" + "a/" * 900, classifier) <= 1
    assert all(len(feature) < 500 for feature in features(UrlEvidence("https://example.org/" + "a" * 1900)))
