import re

import pytest

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.errors import NewsextractError
from newsextract.runs.one_crawl import command_settings
from tests.crawling import settings


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("NEWSEXTRACT_EXTRACTER", "econ", "did you mean NEWSEXTRACT_EXTRACTOR?"),
        ("NEWSEXTRACT_NONSENSE", "1", "there is no setting NEWSEXTRACT_NONSENSE"),
        ("NEWSEXTRACT_EXTRACTOR", "ekon", "econ"),
        ("NEWSEXTRACT_EXTRACTOR_OPTIONS", "gamma=2", "must be a JSON object"),
        ("NEWSEXTRACT_EXTRACTOR_OPTIONS", "[1]", "must be a JSON object"),
        ("NEWSEXTRACT_EXTRACTOR_OPTIONS", '{"no_such_option": 2}', "no_such_option"),
        ("NEWSEXTRACT_ALLOW_PRIVATE", "perhaps", "must be True or False"),
        ("DOWNLOAD_DELAY", "soon", "must be a number"),
        ("DOWNLOAD_DELAY", "-1", "must not be negative"),
        ("DOWNLOAD_TIMEOUT", "nan", "must be a number"),
        ("CONCURRENT_REQUESTS", "x", "must be a whole number"),
        ("CLOSESPIDER_PAGECOUNT", "abc", "must be a whole number"),
        ("JOBDIR", "jobs/1", "JOBDIR can't be set: a crawl keeps its URLs in the database"),
        ("HTTPPROXY_ENABLED", "1", "HTTPPROXY_ENABLED must be False"),
        ("NEWSEXTRACT_METRICS", "metrics.txt", "a file that ends in .prom"),
        ("NEWSEXTRACT_METRICS", "0.0.0.0:9464", "on loopback only: 127.0.0.1:9464"),
        ("NEWSEXTRACT_METRICS", "99999", "a port of this machine"),
        ("NEWSEXTRACT_RENDER", "sometimes", 'it must be true, false or "auto"'),
        ("NEWSEXTRACT_RENDER_TIMEOUT", "soon", "it must be a number"),
    ],
)
def test_check_settings_names_the_wrong_setting_in_one_sentence(name, value, sentence):
    with pytest.raises(NewsextractError) as told:
        check_settings(settings(**{name: value}))
    assert sentence in str(told.value)
    assert told.value.exit_status == 2


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [("LOG_LEVEL", "LOUD", "it must be one of CRITICAL"), ("FEEDS", "{", "FEEDS is '{'; it must be a JSON object")],
)
def test_command_settings_names_a_value_that_scrapy_cannot_read(name, value, sentence):
    with pytest.raises(NewsextractError, match=re.escape(sentence)):
        command_settings({name: value})


@pytest.mark.parametrize(
    ("name", "value", "status", "sentence"),
    [
        ("NEWSEXTRACT_DATABASE_URL", "mysql://localhost/x", 2, "mysql"),
        ("NEWSEXTRACT_DATABASE_URL", "sqlite:/news.db", 2, "sqlite:///"),
        ("NEWSEXTRACT_DATABASE_URL", "sqlite:////no/such/folder/news.db", 1, "/no/such/folder/news.db"),
        ("NEWSEXTRACT_DATABASE_URL", "postgresql://u:secret@127.0.0.1:1/x", 1, "127.0.0.1"),
        ("NEWSEXTRACT_JSONL", "/no/such/folder/a.jsonl", 1, "/no/such/folder"),
        ("NEWSEXTRACT_KEEP_PAGES", "/no/such/folder/pages", 1, "/no/such/folder/pages"),
    ],
)
def test_check_storage_names_the_database_or_file_that_cannot_be_used(tmp_path, name, value, status, sentence):
    wrong = {"NEWSEXTRACT_DATABASE_URL": f"sqlite:///{tmp_path}/news.db", name: value}
    with pytest.raises(NewsextractError) as told:
        check_storage(settings(**wrong))
    assert sentence in str(told.value)
    assert "secret" not in str(told.value)
    assert told.value.exit_status == status


def test_check_storage_refuses_one_file_for_json_lines_and_feed(tmp_path):
    path, database = str(tmp_path / "a.jsonl"), f"sqlite:///{tmp_path}/news.db"
    both = settings(NEWSEXTRACT_DATABASE_URL=database, NEWSEXTRACT_JSONL=path, FEEDS={path: {}})
    with pytest.raises(NewsextractError, match="can't be both"):
        check_storage(both)
