"""Dates as people and machines write them."""

from datetime import UTC, datetime

import pytest

from newsextract.language.date_parser import find_dates, find_url_dates, parse_date, parse_machine_date
from tests.examples import examples

FETCHED = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("text", "language", "wanted"), examples(__file__, "written"))
def test_find_dates_reads_written_forms_of_many_languages(text, language, wanted):
    assert find_dates(text, language)[0].when.isoformat() == wanted


@pytest.mark.parametrize(("text", "language", "wanted"), examples(__file__, "relative"))
def test_find_dates_completes_relative_dates_and_those_without_a_year_by_the_fetch_time(text, language, wanted):
    assert find_dates(text, language, FETCHED)[0].when.isoformat() == wanted
    assert find_dates(text, language) == ()


def test_find_dates_gives_position_and_text_of_each_date():
    text = "Published 3 May 2024 at 14:05, updated 2024-06-01"
    first, second = find_dates(text, "en")
    assert (first.raw, second.raw) == ("3 May 2024 at 14:05", "2024-06-01")
    assert text[first.start : first.end] == first.raw


@pytest.mark.parametrize(
    ("text", "language", "wanted"), [*examples(__file__, "whole"), ("x" * 3_000, "en", None), (None, "en", None)]
)
def test_parse_date_reads_a_whole_text_or_nothing(text, language, wanted):
    when = parse_date(text, language)
    assert (when and when.isoformat()) == wanted


@pytest.mark.parametrize(
    "text", ["", "version 1.2.3", "call 555-1234-99", "2024-13-45", "31 February 2024", "12.345 Euro"]
)
def test_find_dates_ignores_other_numbers(text):
    assert find_dates(text, "de") == ()


@pytest.mark.parametrize(("raw", "wanted"), examples(__file__, "machine"))
def test_parse_machine_date_reads_iso_rfc_and_timestamps(raw, wanted):
    when = parse_machine_date(raw)
    assert (when and when.isoformat()) == wanted


@pytest.mark.parametrize(("url", "wanted"), examples(__file__, "urls"))
def test_find_url_dates_reads_folders_and_file_names(url, wanted):
    assert next((when.date().isoformat() for when in find_url_dates(url)), None) == wanted
