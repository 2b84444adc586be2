"""Exports as of an earlier change: the bytes of the export made then; and exports checked by their manifests."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from newsextract.export.manifest import checksums
from newsextract.items import Article
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Selection, Store, UrlState
from newsextract.store.admin import prune, remove_articles
from newsextract.store.articles import read_records
from newsextract.store.corrections import Correction, correct
from newsextract.store.engine import count_rows
from newsextract.store.names import take_name_out
from newsextract.store.past import select_past
from newsextract.store.renames import unite
from newsextract.store.revisions import NewVersion, revise
from newsextract.store.schema import changes, united_changes
from tests.conftest import on_both_databases
from tests.store.samples import NOON, delete, later, outcome, signed, text

SITES = ("a.example", "b.example")
LANGUAGES = ("en", "en-GB", "de")


def page(number, version, rng):
    """A page of an article, perhaps with the text of another one, in a version of its own."""
    body = text(rng.randrange(4) if rng.random() < 0.8 else (number, version), 80)
    url = f"https://{SITES[number % 2]}/story-{number}"
    date = NOON + timedelta(days=rng.randrange(9)) if rng.random() < 0.7 else None
    article = Article(url, headline=f"Story {number}", article_body=body, language=rng.choice(LANGUAGES))
    article.date_published = date
    return signed(PageOutcome(url, UrlState.stored, article=article, at=later(version)))


def change_something(store, step, rng):
    """One of the things that happen to a corpus."""
    kind = rng.choice(["pages", "pages", "pages", "retract", "delete", "correct", "revise", "unite"])
    urls = [row.article.url for row in store.articles()]
    if kind == "pages" or not urls:
        store.commit([page(rng.randrange(12), step, rng) for _ in range(rng.randrange(1, 4))])
    elif kind == "retract":
        store.commit([PageOutcome(rng.choice(urls), UrlState.not_article, "section", retract=True, at=later(step))])
    elif kind == "delete":
        delete(store, rng.choice(urls), at=later(step + 72))
    elif kind == "unite":
        store.write(unite, [tuple(rng.sample(range(1, 13), 2))], later(step), None)
    elif kind == "correct":
        store.write(correct, [Correction(rng.choice(urls), {"headline": f"Corrected {step}"})])
    else:
        record = rng.choice([*store.read(read_records, (), range(1, 13))])
        body = text(rng.randrange(4), 80)
        article = Article.from_dict({**record.article.to_dict(), "article_body": body})
        store.write(revise, [NewVersion.of(record, article, signature_of(body))])


SELECTIONS = (
    Selection(),
    Selection(sites=("a.example",), languages=("en",), copies=False),
    Selection(copies=False, by_time=True),
    Selection(since=3, retracted=False, published_from=later(24), published_before=later(24 * 6)),
)


def selected(store, selection):
    """The selected articles as an export has them, now or as of then."""
    with store.snapshot() as snapshot:
        read = snapshot.select(selection) if selection.as_of is None else snapshot.read(select_past, selection)
        return [row.to_json() for row in read]


@on_both_databases
def test_articles_as_of_each_change_are_those_of_then_whatever_happened_since(store):
    rng = random.Random(67)
    then = {}
    for step in range(12):
        change_something(store, step, rng)
        then[store.cursor()] = [selected(store, one) for one in SELECTIONS]
    for change, rows in then.items():
        assert [selected(store, replace(one, as_of=change)) for one in SELECTIONS] == rows
    assert any('"duplicate_of": "http' in row for rows in then.values() for row in rows[0])
    assert store.read(count_rows, united_changes), "articles became one with others"


def commit(store, *names, hours=0):
    """Stores a version of each story; returns the last change."""
    urls = {name: f"https://a.example/{name}" for name in names}
    store.commit([signed(outcome(url, text((name, hours)), at=later(hours))) for name, url in urls.items()])
    return store.cursor()


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "news.csv", "news.wet.gz", "news.parquet", "folder"])
def test_file_as_of_then_has_its_bytes_in_every_format(export, store, tmp_path, name):
    form = ["--format", "parquet"] if name == "folder" else []
    change = commit(store, *"abcd")
    export(*form, "-o", name)
    commit(store, "b", "e", hours=24)
    export(*form, "-o", f"again.{name}", "--as-of-change", change)
    assert checksums(tmp_path / name) == checksums(tmp_path / f"again.{name}")
    assert export("--verify", f"{name}.manifest.json") == ""
    assert export("--verify", f"again.{name}.manifest.json") == ""


def test_export_as_of_a_day_ends_with_the_last_change_of_the_day(command, complaint, store):
    commit(store, "a")
    commit(store, "b", hours=20)  # of the next day
    store.write(lambda connection: connection.execute(update(changes).values(at=NOON).where(changes.c.change == 1)))
    store.write(lambda c: c.execute(update(changes).values(at=later(20)).where(changes.c.change == 2)))
    for moment, number in {
        "2025-03-01": 1,
        "2025-03-02": 2,
        "2025-03-02T07:59": 1,
        "2025-03-02T10:00+02:00": 2,
    }.items():
        assert f"cursor: {number}\n" in command("export", "--as-of", moment).stderr
    assert "had no article yet at 2025-02-28" in complaint(2, "export", "--as-of", "2025-02-28")
    assert "'yesterday' must be a day or a time" in complaint(2, "export", "--as-of", "yesterday")
    assert "has no change 3 yet; the last is 2" in complaint(2, "export", "--as-of-change", 3)
    assert "is as of change 1, before the change 2" in complaint(2, "export", "--as-of-change", 1, "--after", 2)
    assert "can't be combined with --as-of" in complaint(2, "export", "--as-of-change", 1, "--cursor-file", "read")
    assert "not both" in complaint(2, "export", "--as-of-change", 1, "--as-of", "2025-03-01")


def test_what_was_pruned_or_removed_is_missing_from_an_export_of_then_and_counted(command, store):
    then = commit(store, *"abc")
    commit(store, "a", hours=24)
    assert "no longer" not in command("export", "--as-of-change", then).stderr
    prune(store.database, later(12))
    done = command("export", "--as-of-change", then)
    assert "1 of the 3 changes up to then is no longer there" in done.stderr
    assert [json.loads(line)["url"][-1] for line in done.stdout.splitlines()] == ["b", "c"]
    store.write(remove_articles, "https://a.example/b")
    assert "2 of the 3 changes" in command("export", "--as-of-change", then).stderr


def test_names_that_were_taken_out_stay_out_of_an_export_of_then_which_says_of_how_many_articles(command, store):
    url = "https://a.example/{}"
    store.commit([outcome(url.format(n), text(n), authors=["Ada Roth"]) for n in range(3)])
    store.commit([outcome(url.format(n), text(n)) for n in range(3, 5)])
    then = store.cursor()
    store.write(take_name_out, "Ada Roth")
    store.write(take_name_out, "Bo Lind")
    done = command("export", "--as-of-change", then)
    assert "1 name taken out of 3 articles since (db remove --author)" in done.stderr
    assert "Roth" not in done.stdout and len(done.stdout.splitlines()) == then
    assert "taken out" not in command("export", "--as-of-change", store.cursor()).stderr


def test_cursor_of_an_article_that_became_one_with_another_since_is_still_that_of_the_database(command, store):
    commit(store, *"ab")
    command("export", "--cursor-file", "read")
    store.write(unite, [(1, 2)], datetime.now(UTC), None)
    done = command("export", "--cursor-file", "read")
    assert "not as it was" not in done.stderr
    assert [json.loads(line)["change_kind"] for line in done.stdout.splitlines()] == ["renamed", "changed"]


def test_verify_says_what_differs_in_the_file_and_the_database(command, export, store, tmp_path):
    def verify(status=1):
        return command("export", "--verify", "news.jsonl.manifest.json", status=status).stdout

    commit(store, *"abc")
    export("--cursor-file", "read", "-o", "news.jsonl")
    commit(store, "a", "d", hours=24)
    export("--cursor-file", "read", "-o", "news.jsonl")
    commit(store, "b", hours=48)
    assert verify(0) == ""
    manifest = json.loads((tmp_path / "news.jsonl.manifest.json").read_text())
    parts = [(part["since"], part["change"], part["rows"]) for part in manifest["exports"]]
    assert parts == [(0, 3, 3), (3, 5, 2)] and manifest["rows"] == 5
    file = tmp_path / "news.jsonl"
    content = file.read_text()
    file.write_text(content.replace('"Headline"', '"Another"', 1))
    told = verify()
    assert "isn't the file that the manifest describes: its SHA-256 is" in told
    assert "1 line only in the file, 1 line only in the database, such as https://a.example/a" in told
    file.write_text("".join(reversed(content.splitlines(keepends=True))))
    assert "in another order" in verify()
    file.unlink()
    assert "doesn't exist; only its manifest does" in verify()
    file.write_text(content)
    store.write(remove_articles, "https://a.example/c")
    told = verify()
    assert "the manifest describes" not in told and "1 line only in the file, 0 lines only in the database" in told
    assert "1 of the 3 changes up to then is no longer there" in told


def test_verify_knows_another_database_and_refuses_what_is_no_manifest(command, complaint, export, store, tmp_path):
    commit(store, *"abc")
    export("-o", "news.jsonl")
    other = f"sqlite:///{tmp_path / 'other.db'}"
    with Store.open(other) as another:
        commit(another, *"ab")
        words = ("export", "--verify", "news.jsonl.manifest.json", "--database", other)
        assert "has only 2 changes, the export covers 3" in command(*words, status=1).stdout
        commit(another, "c", "d", hours=1)
        told = command(*words, status=1).stdout
        assert "change 3 of" in told and "it is another database" in told
    (tmp_path / "x.manifest.json").write_text('{"rows": 3, "query": {"format": "pdf", "fields": ["nothing"]}}')
    (tmp_path / "y.manifest.json").write_text("[" * 10_000)
    for name in ("news.jsonl", "missing", "x.manifest.json", "y.manifest.json"):
        assert "isn't the manifest of an export" in complaint(2, "export", "--verify", name)
    assert "can't be combined with --verify" in complaint(2, "export", "--verify", "x", "-o", "y")


def test_manifest_of_an_earlier_version_is_verified_as_one_export(command, export, store, tmp_path):
    commit(store, *"abc")
    export("-o", "news.jsonl", "--fields", "url,change")
    path = tmp_path / "news.jsonl.manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["exports"]
    manifest["newsextract"] = "1.1.0"
    manifest["query"] |= {"since": 0, "until": None, "by_time": False, "retracted": True}
    path.write_text(json.dumps(manifest))
    export("--verify", path.name)
    (tmp_path / "news.jsonl").write_text("")
    assert "it was written by newsextract 1.1.0, this is" in command("export", "--verify", path.name, status=1).stdout


def test_manifest_of_a_folder_covers_all_its_exports(export, store, tmp_path):
    words = ("--format", "parquet", "-o", "folder", "--cursor-file", "read")
    commit(store, *"abc")
    export(*words)
    commit(store, "a", "d", hours=24)
    export(*words)
    manifest = json.loads((tmp_path / "folder.manifest.json").read_text())
    assert (manifest["since"], manifest["cursor"], manifest["rows"], len(manifest["exports"])) == (0, 5, 5, 2)
    export("--verify", "folder.manifest.json")
