"""Results as files: saved, loaded, merged."""

import pytest

from evaluation.results import Result, merged
from evaluation.runs import run
from newsextract.errors import WrongCall
from tests.evaluation.extractors import Says


def test_result_reads_what_it_saved_and_refuses_other_files(village, tmp_path):
    result, path = run([village], [Says(), Says("short", cut=8)]), tmp_path / "scores.json"
    result.save(path)
    again = Result.load(path)
    assert again.made == result.made
    assert again.runs[1].by_page["id"] == ["p0", "p1", "p2"]
    assert again.run("village", "short").scores == pytest.approx(result.runs[1].scores, abs=1e-6)
    result.save(path, by_page=False)
    assert Result.load(path).runs[0].by_page == {} and "p0" not in path.read_text()
    for content in ("", "[]", "{}", '{"format": 99}', '{"format": 1, "made": {}, "runs": [3]}'):
        path.write_text(content)
        with pytest.raises(WrongCall, match=r"scores\.json"):
            Result.load(path)


def test_merged_keeps_the_later_of_equal_runs(village):
    first, second = run([village], [Says(), Says("b")]), run([village], [Says("b", cut=8)])
    both = merged([first, second])
    assert both.labels == ["says", "b"]
    assert both.run("village", "b").scores["f"] < 1.0
