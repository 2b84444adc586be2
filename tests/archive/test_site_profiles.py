"""Profiles of the sites of an archive: what a whole site says of a page, in `newsextract cluster`."""

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from newsextract.archive import sites
from newsextract.archive.run import run, run_locally
from newsextract.archive.run_folder import ExtractionJob, RunFolder
from newsextract.archive.sites import MOST_PAGES, RANKS, KnownSite, choose_samples
from newsextract.site_profile.snapshot import MIN_PAGES
from tests.archive.test_cluster import record
from tests.crawl.test_settle import TOWNS, address, digest, story

SITE = "gazette.example"
#: Stories with two others on their page, and the lists of stories.
MANY = 4
LISTS = 5


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """Stories of one site, and lists of them that look like articles by themselves; a few pages of another."""
    pages = {}
    for number, town in enumerate(TOWNS):
        pages[f"http://{SITE}{address(town)}"] = story(town, *(TOWNS[number + 1 : number + 3] if number < MANY else ()))
    for number in range(LISTS):
        pages[f"http://{SITE}/bridges/all-of-them-{number}"] = digest(number, (TOWNS + TOWNS)[4 * number :][:8])
    for town in TOWNS[:3]:
        pages[f"http://small.example{address(town)}"] = story(f"Old {town}")
    path = tmp_path_factory.mktemp("archive") / "pages.warc.gz"
    path.write_bytes(b"".join(record(url, html.encode()) for url, html in pages.items()))
    return path


def extract(archive: Path, output: Path, uses_sites: bool = True, slice_bytes: int = 1 << 20) -> dict[str, str]:
    """The text of each article of the site by its path."""
    options = {"extractor": "fusion", "options": {}, "slice_bytes": slice_bytes, "uses_sites": uses_sites}
    _, failed = run([archive], output, run_locally, **options)
    assert failed == {}
    rows = pq.read_table(output / "articles").to_pylist()
    return {row["url"].partition(SITE)[2]: row["article_body"] for row in rows if row["site"] == SITE}


def test_pages_are_read_with_what_a_sample_of_their_site_says(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(sites, "SHARE", 1.0)
    stories = {address(town) for town in TOWNS}
    alone = extract(archive, tmp_path / "alone", uses_sites=False)
    assert stories < alone.keys(), "lists are taken for articles"
    together = extract(archive, tmp_path / "together")
    assert together.keys() == stories
    for number in range(MANY):
        below = TOWNS[number + 1]
        assert f"council of {below}" in alone[address(TOWNS[number])]
        assert f"council of {below}" not in together[address(TOWNS[number])]
    assert extract(archive, tmp_path / "cut", slice_bytes=4000) == together
    folder = RunFolder(tmp_path / "together")
    known = KnownSite.load(folder, SITE)
    assert known.snapshot is not None and known.snapshot.pages == len(stories) + LISTS
    assert 0 < len(known.articles) < len(stories) + LISTS, "samples whose text is another are read again"
    assert not folder.site_file("small.example").exists()


def test_small_site_is_read_page_by_page(archive, tmp_path):
    assert extract(archive, tmp_path / "a") == extract(archive, tmp_path / "b", uses_sites=False)


def test_samples_are_chosen_by_hash_and_bounded(monkeypatch):
    job = ExtractionJob("fusion", {}, uses_profiles=True)
    ranks = [number * (RANKS // 1024) for number in range(1024)]
    rows = [(SITE, f"{SITE}/news/*", rank, rank) for rank in ranks]
    rows += [("few.example", "few.example/*", rank, rank) for rank in ranks[: MIN_PAGES - 1]]
    samples = choose_samples([rows[::2], rows[1::2]], job)
    assert Counter(sample.site for sample in samples) == {SITE: MOST_PAGES}
    assert sorted(sample.offset for sample in samples) == ranks[:MOST_PAGES]
    assert samples == choose_samples([rows[::2][::-1], rows[1::2][::-1]], job)
