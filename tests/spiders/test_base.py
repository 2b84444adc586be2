from datetime import UTC, datetime
from pathlib import Path

import pytest
from scrapy_spider_metadata import get_spider_metadata

from newsextract.crawl.spider_loader import site_spider
from newsextract.errors import WrongCall
from newsextract.schedule.config import Site
from newsextract.spiders.archive import ArchiveSpider
from newsextract.spiders.feeds import FeedsSpider
from newsextract.spiders.site import SiteSpider


def test_site_spider_parses_all_its_arguments() -> None:
    text = "https://a.org/x,1,y.html,http://b.org/, https://c.org"  # a comma separates only before a scheme
    urls = ("https://a.org/x,1,y.html", "http://b.org/", "https://c.org")
    assert SiteSpider.parse_arguments({"url": text})["url"] == urls
    given = {"max_pages": "5e3", "max_depth": "0", "allow": "/n/", "subdomains": "yes", "since": "2026-05-01"}
    values = SiteSpider.parse_arguments({"url": "a.org", **given})
    assert values["url"] == ("https://a.org",)
    assert (values["max_pages"], values["max_depth"], values["subdomains"]) == (5_000, 0, True)
    assert values["since"] == datetime(2026, 5, 1, tzinfo=UTC)
    assert values["allow"].search("https://a.org/n/1")
    assert values["deny"] is None


@pytest.mark.parametrize(
    ("spider", "given", "sentence"),
    [
        (SiteSpider, {}, "needs url="),
        (SiteSpider, {"url": ""}, "is empty"),
        (SiteSpider, {"url": "ftp://a.org/"}, "isn't an http or https address"),
        (SiteSpider, {"url": "http://a b.org/"}, "isn't an http or https address"),
        (SiteSpider, {"url": "http://a.org/\udcff"}, "holds characters that could not be read"),
        (SiteSpider, {"url": "http://a.org:99999/"}, "isn't an http or https address"),
        (SiteSpider, {"url": "https://u:secret@a.org/"}, "'https://…@a.org/' has a user name or password"),
        (SiteSpider, {"url": "a.org", "alow": "x"}, "takes no argument 'alow'; it takes url, max_pages, max_depth"),
        (SiteSpider, {"url": "a.org", "allow": "("}, "isn't a regular expression"),
        (SiteSpider, {"url": "a.org", "max_pages": "many"}, "must be a whole number"),
        (SiteSpider, {"url": "a.org", "max_pages": "1.5"}, "must be a whole number"),
        (SiteSpider, {"url": "a.org", "max_pages": "1e99"}, "must be a whole number"),
        *((SiteSpider, {"url": own}, f"{own!r} has no scheme") for own in ("localhost:8000", "127.0.0.1/a", "[::1]/")),
        (SiteSpider, {"url": "a.org", "max_pages": "0"}, "must be 1 or more"),
        (SiteSpider, {"url": "a.org", "since": "yesterday"}, "must be a date"),
        (SiteSpider, {"url": "a.org", "subdomains": "perhaps"}, "must be 1 or 0"),
        (FeedsSpider, {"url": "a.org", "max_depth": "1"}, "takes no argument 'max_depth'"),
        (ArchiveSpider, {"path": "/nowhere/a.warc.gz"}, "does not exist"),
        (ArchiveSpider, {"url": "a.org"}, "takes no argument 'url'; it takes path"),
    ],
)
def test_wrong_argument_is_reported_in_one_sentence(
    spider: type[SiteSpider], given: dict[str, str], sentence: str
) -> None:
    with pytest.raises(WrongCall) as told:
        spider.parse_arguments(given)
    assert sentence in str(told.value)
    assert "\n" not in str(told.value)
    assert "secret" not in str(told.value)


def test_underscored_arguments_of_scrapyd_are_ignored(tmp_path: Path) -> None:
    assert "_job" not in SiteSpider.parse_arguments({"url": "a.org", "_job": "26a5"})
    assert SiteSpider(url="a.org", _job="26a5").run_arguments == {"url": "https://a.org", "subdomains": "False"}


@pytest.mark.parametrize("spider", [SiteSpider, FeedsSpider, ArchiveSpider])
def test_spider_metadata_has_every_argument_as_json_schema(spider: type[SiteSpider]) -> None:
    import jsonschema

    metadata = get_spider_metadata(spider, normalize=True)
    schema = metadata["param_schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert metadata["title"] and metadata["description"]
    assert [*schema["properties"]] == [argument.name for argument in spider.arguments]
    assert schema["required"] == [argument.name for argument in spider.arguments if argument.required]
    assert all(field["description"] and field["title"] for field in schema["properties"].values())


def test_values_that_the_schema_of_arguments_allows_are_those_that_a_spider_takes() -> None:
    import jsonschema

    schema = get_spider_metadata(SiteSpider)["param_schema"]
    form = {"url": "https://example.org/", "max_pages": 20, "max_depth": 0, "subdomains": True, "since": "2026-05-01"}
    jsonschema.validate(form, schema)
    values = SiteSpider(**form).values
    assert (values["max_pages"], values["max_depth"], values["subdomains"]) == (20, 0, True)
    for wrong in ({}, {**form, "max_pages": 0}, {**form, "subdomains": "perhaps"}, {**form, "depth": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
        with pytest.raises(WrongCall):
            SiteSpider(**wrong)


def test_metadata_of_a_site_of_sites_toml_has_its_values_as_defaults() -> None:
    site = Site("courier", "site", {"url": "https://courier.example/", "max_pages": "500"})
    metadata = get_spider_metadata(site_spider(site, SiteSpider))
    assert metadata["title"] == "courier"
    assert "required" not in metadata["param_schema"]
    defaults = {name: field.get("default") for name, field in metadata["param_schema"]["properties"].items()}
    assert (defaults["url"], defaults["max_pages"]) == ("https://courier.example/", 500)
    assert get_spider_metadata(SiteSpider)["title"] == "A news site"
