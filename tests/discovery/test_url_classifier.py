from newsextract.discovery.url_classifier import MAX_FEATURES, UrlClassifier, features

ARTICLES = [f"https://example.org/news/2026/05/0{n}/council-votes-on-pier-number-{n}.html" for n in range(1, 9)]
OTHERS = [
    "https://example.org/",
    "https://example.org/tag/boats",
    "https://example.org/news/?page=3",
    "https://example.org/login",
]


def test_classifier_prior_prefers_dated_slugs_to_lists() -> None:
    classifier = UrlClassifier()
    assert min(map(classifier.article_probability, ARTICLES)) > 0.8
    assert max(map(classifier.article_probability, OTHERS)) < 0.3


def test_classifier_learns_unusual_urls_of_site() -> None:
    classifier = UrlClassifier()
    odd, lists = "https://example.org/s/{}", "https://example.org/2026/05/all-stories-of-the-month-{}"
    before = classifier.article_probability(odd.format("x1"))
    for n in range(12):
        classifier.update(odd.format(f"x{n}"), True)
        classifier.update(lists.format(n), False)
    assert classifier.article_probability(odd.format("x99")) > max(0.8, before)
    assert classifier.article_probability(odd.format("x99")) > classifier.article_probability(lists.format(99))


def test_classifier_is_bounded_on_hostile_urls() -> None:
    classifier = UrlClassifier()
    for n in range(300):
        classifier.update("https://example.org/" + "/".join(f"{n}-{part}%ff" for part in range(40)), bool(n % 2))
    assert len(classifier.articles) <= MAX_FEATURES
    assert 0 <= classifier.article_probability("https://example.org/" + "a/" * 900) <= 1
    assert all(len(feature) < 500 for feature in features("https://example.org/" + "a" * 1900))
