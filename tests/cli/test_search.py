"""`newsextract search`: its forms, and what hostile articles and wrong queries give."""

import json
from pathlib import Path
from typing import Any

from newsextract.store import Store
from tests.store.samples import outcome

PIER = "https://example.org/pier"


def test_search_prints_json_csv_and_one_sentence_for_a_wrong_query(command: Any, tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db") as store:
        store.commit([outcome(PIER, "A pier\x1b[2J and 港口 text", headline='=A "hostile", one\x1b]0;x\x07')])
    [row] = map(json.loads, command("search", "pier").stdout.splitlines())
    assert (row["url"], row["day"]) == (PIER, "2025-03-01")
    assert json.loads(command("search", "港", "--format", "json").stdout)[0]["url"] == PIER
    csv = command("search", "pier", "--format", "csv").stdout.splitlines()
    assert csv[0].startswith("url,headline,site,day")
    assert "\x1b" not in command("search", "pier", "--format", "table").stdout
    assert json.loads(command("search", "pier", "--count-by", "site").stdout)["share"] == 1.0
    wrong = command("search", "pier AND (港 OR")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.splitlines()[1:] == ["  pier AND (港 OR", " " * 17 + "^"]
    assert command("search", "pier", "--count-by", "month").returncode == 2
