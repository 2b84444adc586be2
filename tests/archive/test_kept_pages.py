"""Pages that crawls kept: one of them is found without reading the files of other days."""

import os
import sys
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from newsextract.archive.stored_pages import find_stored_page
from newsextract.items import FetchedPage
from newsextract.warc.writer import WarcWriter
from tests.crawling import article
from tests.store.samples import NOON, outcome

STORY = "https://example.org/story"
DAYS = 5


@cache  # a hook can't be removed
def opened_files() -> list[str]:
    """The names of the WARC files that are opened from now on."""
    names: list[str] = []

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[0]).endswith(".warc.gz"):
            names.append(Path(os.fsdecode(arguments[0])).name)

    sys.addaudithook(note)
    return names


def keep(folder: Path, day: datetime) -> str:
    """A file of pages that a crawl of that day kept: its name, with the story as it was on that day."""
    with WarcWriter(folder) as writer:
        for path in ("other", "story"):
            body = article(f"{path} of {day:%d}", f"Place {day:%d}").encode()
            writer.write(FetchedPage(f"https://example.org/{path}", body, day), "GET", (), ())
    [file] = [file for file in folder.iterdir() if file.stat().st_mtime > (NOON + timedelta(days=DAYS)).timestamp()]
    _, _, rest = file.name.split("-", 2)
    file = file.rename(folder / f"newsextract-{day:%Y%m%d%H%M%S}-{rest}")
    written = (day + timedelta(minutes=1)).timestamp()
    os.utime(file, (written, written))
    return file.name


def test_page_of_an_article_is_found_without_reading_files_of_other_days(store, tmp_path):
    folder, days = tmp_path / "pages", [NOON + timedelta(days=n) for n in range(DAYS)]
    files = {day: keep(folder, day) for day in days}
    store.commit([outcome(STORY, at=days[2])])
    opened_files().clear()
    page, _ = find_stored_page(store, STORY, folder)
    assert page.fetched_at == days[2] and f"Place {days[2]:%d}".encode() in page.body
    assert {*opened_files()} == {files[days[2]]}
    newest, _ = find_stored_page(store, "https://example.org/other", folder)
    assert newest.fetched_at == days[-1], "no article says when, so all files are read for the newest"


def test_page_in_a_file_with_another_time_is_found_all_the_same(store, tmp_path):
    folder = tmp_path / "pages"
    name = keep(folder, NOON)
    before = (NOON - timedelta(days=9)).timestamp()
    os.utime(folder / name, (before, before))  # as after a restore that lost the times
    store.commit([outcome(STORY, at=NOON)])
    assert find_stored_page(store, STORY, folder)[0].fetched_at == NOON
