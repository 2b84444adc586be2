"""Dates as people and machines write them."""

from datetime import UTC, datetime

import pytest

from newsextract.metadata.date_parser import (
    find_dates,
    find_url_dates,
    parse_date,
    parse_machine_date,
)

FETCHED = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("Published 12 March 2024 at 14:05 GMT", "en", "2024-03-12T14:05:00+00:00"),
        ("March 3, 2021 5:30 pm EST", "en", "2021-03-03T17:30:00-05:00"),
        ("3. März 2024, 12:30 Uhr", "de", "2024-03-03T12:30:00"),
        ("12 de enero de 2023", "es", "2023-01-12T00:00:00"),
        ("8 января 2024, 17:46", "ru", "2024-01-08T17:46:00"),
        ("2021年03月23日 12时30分", "zh", "2021-03-23T12:30:00"),
        ("2024. január 5.", "hu", "2024-01-05T00:00:00"),
        ("Publicēts: 2024. gada 3. maijā, 12:30", "lv", "2024-05-03T12:30:00"),
        ("2024(e)ko urriaren 12(a)", "eu", "2024-10-12T00:00:00"),
        ("3 tháng 5 năm 2024", "vi", "2024-05-03T00:00:00"),
        ("3 ta' Mejju 2024", "mt", "2024-05-03T00:00:00"),
        ("2024 оны 10-р сарын 12", "mn", "2024-10-12T00:00:00"),
        ("2024 թ. մայիսի 3", "hy", "2024-05-03T00:00:00"),
        ("2024-ж., 3-май", "ky", "2024-05-03T00:00:00"),
        ("12 d’octubre del 2024", "ca", "2024-10-12T00:00:00"),
        ("12\u200f/10\u200f/2024", "ar", "2024-10-12T00:00:00"),
        ("3 พฤษภาคม ค.ศ. 2024", "th", "2024-05-03T00:00:00"),
        ("05/06/2024", "en-GB", "2024-06-05T00:00:00"),
        ("05/06/2024", "en-US", "2024-05-06T00:00:00"),
        ("20.08.2023", "de", "2023-08-20T00:00:00"),
        ("二〇二四年5月3号", "zh", "2024-05-03T00:00:00"),
        ("٥ يناير ٢٠٢٠", "ar", "2020-01-05T00:00:00"),
        ("٢٠٢٠/١/٥", "ar", "2020-01-05T00:00:00"),
        ("3 آب / أغسطس 2015", "ar", "2015-08-03T00:00:00"),
        ("3 أغسطس/آب 2015", "ar", "2015-08-03T00:00:00"),
        ("5. januara 2024", "sr", "2024-01-05T00:00:00"),
        ("3 أغسطس، 2015", "ar", "2015-08-03T00:00:00"),
        ("03/08/2015, 10:20 (GMT+7)", "vi", "2015-08-03T10:20:00+07:00"),
        ("Jan 04 09:34 2021", "de", "2021-01-04T00:00:00"),
        ("5 كانون الثاني (يناير) 2020", "ar", "2020-01-05T00:00:00"),
        ("५ जनवरी २०२०", "hi", "2020-01-05T00:00:00"),
        ("3 fév. 2024", "fr", "2024-02-03T00:00:00"),
        ("4. mai 2024", "no", "2024-05-04T00:00:00"),
        ("3 May 2024", "xx", "2024-05-03T00:00:00"),
        ("9th, Jan 2008", "en", "2008-01-09T00:00:00"),
        # Of three short numbers, the first is the year in Chinese and Korean
        ("发布时间：19-10-08 12:00", "zh", "2019-10-08T12:00:00"),
        ("19/10/08", "zh-TW", "2019-10-08T00:00:00"),
        ("31-12-19", "zh", "2019-12-31T00:00:00"),
        ("24. 5. 13", "ko", "2024-05-13T00:00:00"),
        ("13-05-24", "zh-HK", "2024-05-13T00:00:00"),
        ("19-10-08", "de", "2008-10-19T00:00:00"),
    ],
)
def test_find_dates_reads_written_forms_of_many_languages(text, language, wanted):
    assert find_dates(text, language)[0].when.isoformat() == wanted


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("3 hours ago", "en", "2024-06-15T09:00:00+00:00"),
        ("vor 3 Stunden", "de", "2024-06-15T09:00:00+00:00"),
        ("2天前", "zh", "2024-06-13T12:00:00+00:00"),
        ("5 November", "en", "2023-11-05T00:00:00"),
        ("5 June", "en", "2024-06-05T00:00:00"),
    ],
)
def test_find_dates_completes_relative_dates_and_those_without_a_year_by_the_fetch_time(text, language, wanted):
    assert find_dates(text, language, FETCHED)[0].when.isoformat() == wanted
    assert find_dates(text, language) == []


def test_find_dates_gives_position_and_text_of_each_date():
    text = "Published 3 May 2024 at 14:05, updated 2024-06-01"
    first, second = find_dates(text, "en")
    assert (first.raw, second.raw) == ("3 May 2024 at 14:05", "2024-06-01")
    assert text[first.start : first.end] == first.raw


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("Fri, 03 May 2024 15:47:42 GMT", "de", "2024-05-03T15:47:42+00:00"),
        ("Wed, 06 Mar 2024 09:30:00 America/New_York", "en", "2024-03-06T09:30:00-05:00"),
        ("2024-03-06T09:30:00+01:00[Europe/Rome]", "en", "2024-03-06T09:30:00+01:00"),
        ("2024-03-06 09:30 Europe/Nowhere", "en", None),
        ("2024-03-06T09:30:00-03:00Z", "en", "2024-03-06T09:30:00-03:00"),
        ("Wed, 6 Mar 2024 9:30 PM CET", "en", "2024-03-06T21:30:00+01:00"),
        ("10:19 PM, 6 March 2024", "en", "2024-03-06T22:19:00"),
        ("Mittwoch, 6. März 2024, 14:05 Uhr", "de", "2024-03-06T14:05:00"),
        ("6 de marzo de 2024 a las 3:19 p. m.", "es", "2024-03-06T15:19:00"),
        ("6 mars 2024 à 14h", "fr", "2024-03-06T14:00:00"),
        ("6/3/2024 a les 10:19h", "ca", "2024-03-06T10:19:00"),
        ("06.03.2024. 10:19", "hr", "2024-03-06T10:19:00"),
        ("2024.03.06. 오후 3:19", "ko", "2024-03-06T15:19:00"),
        ("2024년 3월 6일 (수) 오전 9시 5분", "ko", "2024-03-06T09:05:00"),
        ("2024年3月6日(水) 午後3時19分", "ja", "2024-03-06T15:19:00"),
        ("令和6年3月6日", "ja", "2024-03-06T00:00:00"),
        ("平成31年4月1日", "ja", "2019-04-01T00:00:00"),
        ("令和元年5月1日", "ja", "2019-05-01T00:00:00"),
        ("令和六年三月十六日", "ja", "2024-03-16T00:00:00"),
        ("二〇二四年十一月二十六日", "zh", "2024-11-26T00:00:00"),
        ("6 март 2024 г., 10:19 ч.", "bg", "2024-03-06T10:19:00"),
        ("中華民國113年3月6日", "zh-TW", "2024-03-06T00:00:00"),
        ("113/03/06 週三 下午 3:19", "zh-TW", "2024-03-06T15:19:00"),
        ("2024-03-06 上午10:19", "zh", "2024-03-06T10:19:00"),
        ("چهارشنبه ۱۶ اسفند ۱۴۰۲ - ۱۰:۱۹", "fa", "2024-03-06T10:19:00"),
        ("1402/12/16", "fa", "2024-03-06T00:00:00"),
        ("6 มี.ค. 2567 เวลา 10:19 น.", "th", "2024-03-06T10:19:00"),
        ("๖ มีนาคม พ.ศ. ๒๕๖๗", "th", "2024-03-06T00:00:00"),
        ("الأربعاء 6 مارس 2024 - 3:19 م", "ar", "2024-03-06T15:19:00"),
        ("६ मार्च २०२४, शाम ३:१९ बजे", "hi", "2024-03-06T15:19:00"),
        ("Thứ tư, 06/03/2024, 10:19 (GMT+7)", "vi", "2024-03-06T10:19:00+07:00"),
        ("6 March 2024 10:19 NZDT", "en", "2024-03-06T10:19:00+13:00"),
        ("6 March 2024 10:19 UTC+05:30", "en", "2024-03-06T10:19:00+05:30"),
        *(
            (f"6 March 2024 10:19 {zone}", tag, f"2024-03-06T10:19:00{offset}")
            for zone, tag, offset in (
                ("IST", "en-IN", "+05:30"),
                ("IST", "he", "+02:00"),
                ("IST", "en-IE", "+01:00"),
                ("CST", "zh", "+08:00"),
                ("CST", "en", "-06:00"),
                ("EST", "en-AU", "+10:00"),
                ("BST", "bn", "+06:00"),
                ("AST", "ar", "+03:00"),
            )
        ),
        *(
            (text, "en", None)
            for text in (
                "6 March 2024 to 8 March 2024",
                "Concert on 6 March 2024",
                "Updated 6 March 2024",
                "6 March 2024 25:61",
                "6 March 2024 10:19 XYZ",
                "March 2024",
                "2024",
                "6 March 2567",
                "1402/12/16",
                "0001-01-01T00:00:00Z",
                "x" * 3_000,
                "",
                None,
            )
        ),
    ],
)
def test_parse_date_reads_a_whole_text_or_nothing(text, language, wanted):
    when = parse_date(text, language)
    assert (when and when.isoformat()) == wanted


@pytest.mark.parametrize(
    "text", ["", "version 1.2.3", "call 555-1234-99", "2024-13-45", "31 February 2024", "12.345 Euro"]
)
def test_find_dates_ignores_other_numbers(text):
    assert find_dates(text, "de") == []


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("2024-05-03T15:47:42+02:00", "2024-05-03T15:47:42+02:00"),
        ("2024/05/03 15:47 +0200", "2024-05-03T15:47:00+02:00"),
        ("1714744062", "2024-05-03T13:47:42+00:00"),
        ("1714744062000", "2024-05-03T13:47:42+00:00"),
        ("3 May 2024", None),
        ("0000-00-00", None),
        ("Mon Aug 03 12:45:00 EDT 2015", "2015-08-03T12:45:00-04:00"),
        ("Mon Aug 03 2015 12:45:00 GMT-0400 (EDT)", "2015-08-03T12:45:00-04:00"),
        ("20150803124500", "2015-08-03T12:45:00"),
    ],
)
def test_parse_machine_date_reads_iso_rfc_and_timestamps(raw, wanted):
    when = parse_machine_date(raw)
    assert (when and when.isoformat()) == wanted


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://paper.example/2024/05/03/bridge", "2024-05-03"),
        ("https://paper.example/2024/5/3/bridge", "2024-05-03"),
        ("https://paper.example/2024/may/03/bridge", "2024-05-03"),
        ("https://paper.example/blog/2024-05-03-bridge", "2024-05-03"),
        ("https://paper.example/a20240503_1.html", "2024-05-03"),
        ("https://paper.example/news/29-10-2021", "2021-10-29"),
        ("https://paper.example/2024/best/10/bridges", None),
        ("https://paper.example/2024/05/bridge", None),
    ],
)
def test_find_url_dates_reads_folders_and_file_names(url, wanted):
    assert next((when.date().isoformat() for when in find_url_dates(url)), None) == wanted
