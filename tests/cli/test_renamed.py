"""Deprecated spellings of options and commands."""

import pytest

from newsextract.cli.renamed import RENAMED, present_words
from newsextract.text import warn_once


@pytest.mark.parametrize(
    ("given", "present", "warned"),
    [
        ("export --since 273 --database x", "export --after 273 --database x", "--since of newsextract export"),
        ("export --since=273", "export --after=273", "--since of newsextract export is deprecated: use --after"),
        ("export --since 2026-03-01", "export --since 2026-03-01", ""),
        ("export --from 20260301 --to=x", "export --since 20260301 --until=x", "--to of newsextract export"),
        ("export --from-here -- --from", "export --from-here -- --from", ""),
        ("cluster a.warc --from 2026-03-01", "cluster a.warc --since 2026-03-01", "--from of newsextract cluster"),
        ("search --all-copies bell", "search --duplicates bell", "use --duplicates"),
        ("db forget forget", "db remove forget", "forget of newsextract db is deprecated: use remove"),
        ("site forget a.example", "site forget a.example", ""),
        ("watch x.toml --forget a", "watch x.toml --clear-alerts a", "use --clear-alerts"),
        ("extract x -fjson -o a=1", "extract x --format=json --option a=1", "-o of newsextract extract"),
        ("export -o a --follow", "export -o a --follow", ""),
        ("browse --follow 60", "browse --every 60", "use --every"),
        ("", "", ""),
    ],
)
def test_deprecated_spellings_are_replaced_with_a_warning(capsys, given, present, warned):
    warn_once.cache_clear()
    assert present_words(given.split()) == present.split()
    printed = capsys.readouterr().err
    assert warned in printed if warned else printed == ""


@pytest.mark.usefixtures("store")
def test_deprecated_options_work_as_the_present_ones_which_help_shows(command):
    warn_once.cache_clear()
    old = command("export", "--since", "cursor: 0", "--from", "2020-01-01")
    new = command("export", "--after", "0", "--since", "2020-01-01")
    assert (old.stdout, old.stderr.splitlines()[-1:]) == (new.stdout, new.stderr.splitlines())
    assert "newsextract: --from of newsextract export is deprecated: use --since" in old.stderr
    for name in ("export", "db"):
        shown = command(name, "--help").stdout
        assert [new for of, _, new, _ in RENAMED if of == name and new not in shown] == []
