"""Lines that say only who published a text, and when."""

from datetime import date

import pytest

from newsextract.language.publication_lines import is_beside_date, is_publication_line
from tests.examples import examples


@pytest.mark.parametrize(("line", "wanted"), examples(__file__, "jobs"))
def test_byline_may_end_with_a_job_or_an_employer(line, wanted):
    assert is_publication_line(line, ("Milo Vance", "Ann Lee")) is wanted


@pytest.mark.parametrize(("language", "line"), examples(__file__, "lines"))
def test_byline_and_date_are_recognised_in_any_language(language, line):
    assert is_publication_line(line, ("Ann Lee", "Анна Реева", "海野花", "한바다"), language)


@pytest.mark.parametrize(("language", "line"), examples(__file__, "sentences"))
def test_sentence_place_or_event_is_no_publication_line(language, line):
    assert not is_publication_line(line, ("Ann Lee",), language, [date(2024, 5, 3)])


@pytest.mark.parametrize("line", examples(__file__, "unknown"))
def test_unknown_words_may_label_the_articles_own_date_or_author(line):
    assert is_publication_line(line, ("Ann Lee",), "en", [date(2024, 5, 3)])
    assert not is_publication_line(line, ("Bob Ray",), "en", [date(2023, 5, 3)])


@pytest.mark.parametrize(("language", "lines", "wanted"), examples(__file__, "beside"))
def test_lines_beside_the_date_need_no_words_of_their_language(language, lines, wanted):
    days = [date(2024, 5, 3)]
    assert [place for place in range(len(lines)) if is_beside_date(lines, place, language, days)] == wanted


def test_date_alone_counts_where_the_articles_day_is_unknown():
    assert is_beside_date(["Ann Lee", "3 May 2024"], 0, "en", ())
    assert not is_beside_date(["Ann Lee", "17 hours ago"], 0, "en", ())
