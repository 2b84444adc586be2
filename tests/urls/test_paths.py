"""What a URL's path says about a page: one table for crawls, page types and authors."""

import tomllib
from importlib.resources import files

import pytest

from newsextract.discovery.found import FoundUrl
from newsextract.discovery.url_classifier import features, is_narrow_list
from newsextract.metadata.page_layout import _path_features as layout_features
from newsextract.metadata.page_type import _path_features as type_features
from newsextract.urls.paths import kinds_in, kinds_of
from tests.examples import examples


@pytest.mark.parametrize(("path", "is_narrow"), examples(__file__, "lists"))
def test_all_readers_of_a_path_agree_that_it_is_a_list(path, is_narrow):
    url = f"https://a.example{path}"
    assert "list" in features(FoundUrl(url))
    assert is_narrow_list(url) == is_narrow
    assert layout_features(path)["path of a list"] and type_features(path)["section path"]


@pytest.mark.parametrize("path", ["/news/2024/05/about-a-boy-who-moved-house", "/hafen/tagung.html", "/p/autark", ""])
def test_the_words_of_a_headline_name_no_list(path):
    assert kinds_in(path) <= {"story", "shop"} and "list" not in features(FoundUrl(f"https://a.example{path}"))


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        ("path of a list", "/category/news/page/17/ /tag/storm/ /blog/index2.html"),
        ("path of a month", "/2015/03/"),
        (
            "path of a static page",
            "/impressum/ /contact-us.html /o-nama /chi-siamo/ /politica-de-privacidad.html "
            "/datenschutzerklaerung /terms-of-use /privacy-policy-2/",
        ),
        (None, "/2015/03/21/pier-to-be-rebuilt/"),
    ],
)
def test_layout_of_a_page_names_the_kind_of_its_path(kind, paths):
    for path in paths.split():
        found = {name for name, value in layout_features(path).items() if value and name.startswith("path of")}
        assert kind in found if kind else not found, path


def test_each_word_of_the_table_has_its_kinds():
    table = tomllib.loads(files("newsextract.urls").joinpath("paths.toml").read_text(encoding="utf-8"))
    for language in table.values():
        for kind, words in language.items():
            for word in words.split():
                assert kind in kinds_of(word.replace("*", "en")), word
