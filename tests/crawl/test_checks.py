import re

import pytest

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.errors import NewsextractError
from newsextract.runs.one_crawl import command_settings
from tests.crawling import settings
from tests.examples import examples


@pytest.mark.parametrize(("name", "value", "sentence"), examples(__file__, "settings"))
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


@pytest.mark.parametrize(("name", "value", "status", "sentence"), examples(__file__, "storage"))
def test_check_storage_names_the_database_or_file_that_cannot_be_used(tmp_path, name, value, status, sentence):
    wrong = {"NEWSEXTRACT_DATABASE_URL": f"sqlite:///{tmp_path}/news.db", name: value}
    with pytest.raises(NewsextractError) as told:
        check_storage(settings(**wrong))
    assert sentence in str(told.value)
    assert "secret" not in str(told.value)
    assert told.value.exit_status == status


@pytest.mark.parametrize(("name", "value"), [("FEEDS", "json"), ("LOG_FILE", "json"), ("NEWSEXTRACT_JSONL", "news.db")])
def test_check_storage_refuses_one_file_for_two_outputs_or_the_database(tmp_path, name, value):
    files = {"NEWSEXTRACT_DATABASE_URL": f"sqlite:///{tmp_path}/news.db", "NEWSEXTRACT_JSONL": str(tmp_path / "json")}
    both = settings(**files | {name: {f"{tmp_path}/{value}": {}} if name == "FEEDS" else f"{tmp_path}/{value}"})
    with pytest.raises(NewsextractError, match="can't be both"):
        check_storage(both)
