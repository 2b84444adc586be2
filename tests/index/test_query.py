"""Queries: ten languages, the grammar, and that whatever is asked is answered or refused in a sentence."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.index.query import COLUMNS, MAX_DEPTH, MAX_LENGTH, MAX_TERMS, QueryError, parse_query


def matches(query: str, *texts: str) -> bool:
    return parse_query(query).matches([*texts, *[""] * (len(COLUMNS) - len(texts))])


@pytest.mark.parametrize(
    ("text", "found", "missed"),
    [
        ("The FERRY company’s heat-pump plan", '"heat pum*" AND ferri* OR ferry', "pumps"),
        ("Die Straße zur WÄRMEPUMPE in Ålesund", "strasse warmepump* alesund", "pumpe"),
        ("Le café d'été à l'Élysée", '"l\'elysee" cafe "d’ete"', "lys*"),
        ("Москва́: новый ёлочный базар", "москва ЕЛОЧ*", "сква"),
        ("Ο Πρόεδρος της Ελλάδος", "προεδροσ ελλαδοσ", "ελλας"),
        ("渔港重建工程昨日开工。", "重建 AND 昨日开工 NOT 机场", "建重"),
        ("東京でヒートポンプが人気", "ヒートポンプ 東京 ﾋｰﾄ", "ピート"),
        ("한국은행이 금리를 인하했다", "한국은행 금리", "행한"),
        ("رئيس الوزراءِ في القاهرة", '"رئيس الوزراء" القاهره OR القاهرة', "قاهر"),
        ("نشر فى الدورى عام ٢٠٢٦", "في الدوري 2026", "2025"),
        ("کتاب ایران ۱۴۰۴", "كتاب ايران 1404", "کتابی"),
        ('דובר צה"ל מסר', 'צה"ל "דובר צה״ל מסר"', "צהל"),
        ("हिन्दी समाचार। नई दिल्ली", '"नई दिल्ली" समाचार', "दिल"),
        ("ข่าวการเมืองไทยวันนี้", "การเมือง วันนี้", "เมืองการ"),
        ("İstanbul'da yeni köprü", "istanbul kopru", "kop"),
    ],
    ids=["en", "de", "fr", "ru", "el", "zh", "ja", "ko", "ar", "ar2", "fa", "he", "hi", "th", "tr"],
)
def test_query_finds_words_of_the_language(text, found, missed):
    assert matches(found, text)
    assert not matches(missed, text)


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ("a OR b c", False),
        ("d OR b c", True),
        ("(a OR d) e", True),
        ("d NOT (e OR f)", False),
        ("d AND NOT f", True),
        ("NOT f d", True),
        ('"d e"', True),
        ('"e d"', False),
        ("“d e” or", False),
        ('"g h"', False),
        ("（d OR a）", True),
        ("d -e", False),
        ("d −a -(b OR c)", True),
        ('-"d g" e', True),
        ("d - e", None),
        ("d NEAR/1 g", True),
        ("g NEAR/1 d", True),
        ("d NEAR/0 g", False),
        ('"d e" NEAR/0 g', True),
        ("d NEAR g NEAR h", False),
        ("headline:h", False),
        ("subtitle:h title:d", True),
        ('-headline:(h OR x) headline:"d e"', True),
        ("12:30", False),
        ("re:d", False),
    ],
)
def test_query_operators_bind_as_documented(query, is_match):
    if is_match is None:
        with pytest.raises(QueryError, match="no letter"):
            parse_query(query)
    else:
        assert matches(query, "d e g", "h", "", "") is is_match


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("ferry or bridge", ["OR"]), ("a and b Not c", ["NOT", "AND"]), ("or a", []), ("a OR b", []), ('"a or b"', []),
        ("a near/5 b", ["NEAR/5"]), ("a W/3 b", ["NEAR/5"]), ('"a b"~5', ["NEAR/5"]), ("9/11 100% a near", []),
        ("fer?y why?", ["end"]), ("ferry~2", ["end"]), ("tag:ferry 10:30", ["article_body:"]),
    ],
)  # fmt: skip
def test_operators_of_other_forms_are_words_with_a_hint(query, words):
    hints = parse_query(query).hints
    assert [hint.rsplit(" ", 1)[1] for hint in hints] == words


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("a | b", "a OR b"), ("a|b", "a OR b"), ("a || b", "a OR b"), ("a & b", "a AND b"), ("a && b", "a AND b"),
        ("a !b", "a NOT b"), ("a –b", "a NOT b"), ("港 －橋", "港 NOT 橋"), ("港 ＯＲ 橋", "港 OR 橋"),
        ("Headline: a -TITLE:b", "headline:a NOT headline:b"), ("body:a", "article_body:a"), ("๒๐๒๖ ۲۰۲۶", "2026 2026"),
    ],
)  # fmt: skip
def test_operators_and_fields_of_other_tools_mean_the_same(query, plain):
    assert parse_query(query).fts == parse_query(plain).fts


@pytest.mark.parametrize(
    ("query", "position", "sentence"),
    [
        ("", 0, "empty"),
        ("ferry (harbour", 6, "not closed"),
        ("ferry) harbour", 5, "not opened"),
        ('ferry "night', 6, "quotation mark"),
        ("ferry OR", 8, "at the end"),
        ("AND ferry", 0, "before AND"),
        ("OR", 0, "before OR"),
        ("()", 1, r"before \)"),
        ("NOT ferry", 0, "beside it"),
        ("ferry OR NOT dog", 9, "beside it"),
        ("fer*ry", 3, "only end"),
        ("f*", 0, "letters before"),
        ("ferry &&", 6, "no letter"),
        ("site:a.example ferry", 0, "use --site"),
        ("intitle:ferry", 0, "use headline:"),
        ("NEAR(ferry harbour)", 0, "between two words"),
        ("a NEAR/5 (b c)", 2, "both sides"),
        ("a headline:b NEAR c", 13, "both sides"),
        ("船 AND (", 7, "at the end"),
        ("a" * (MAX_LENGTH + 1), MAX_LENGTH, "longer"),
        ("a " * (MAX_TERMS + 1), 2 * MAX_TERMS, "words"),
        ("(" * (MAX_DEPTH + 1) + "a", MAX_DEPTH, "parentheses"),
    ],
)
def test_query_error_has_a_caret_under_the_mistake(query, position, sentence):
    with pytest.raises(QueryError, match=sentence) as caught:
        parse_query(query)
    assert caught.value.position == position
    _, shown, caret = str(caught.value).split("\n")
    width = len(shown[: caret.index("^")]) + shown[: caret.index("^")].count("船")
    assert caret.strip() == "^" and width >= min(position, 60)


PIECES = st.sampled_from([*"AND OR NOT NEAR/1 headline: - ab b* ab* 港 重建 é ß".split(), *'()"*ab-:^{', "'", "\x00"])
QUERIES = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES).map("".join))
TEXTS = st.lists(st.lists(PIECES, max_size=8).map(" ".join) | st.text(max_size=30), min_size=1, max_size=3)


@settings(max_examples=20 * settings().max_examples)
@given(QUERIES, TEXTS)
def test_any_query_is_answered_or_refused_in_a_sentence(query, texts):
    try:
        parsed = parse_query(query)
    except QueryError as error:
        assert 0 <= error.position <= len(query)
        return
    assert matches(query, *texts) in (True, False)
    for text in texts:
        spans = parsed.spans(text)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_spans_mark_the_words_as_they_are_written():
    text = "Die WÄRMEPUMPEN der Stadt: eine Wärmepumpe, 重建工程"
    spans = parse_query("warmepump* OR 重建 NOT stadt").spans(text)
    assert [text[start:end] for start, end in spans] == ["WÄRMEPUMPEN", "Wärmepumpe", "重建"]
