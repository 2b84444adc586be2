"""Deprecated spellings of options and commands."""

import pytest

from newsextract.cli.commands import COMMANDS, present_words
from newsextract.text import warn_once
from tests.examples import examples


@pytest.mark.parametrize(("given", "present", "warned"), examples(__file__, "spellings"))
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
    for row in COMMANDS:
        if row.name in ("export", "db"):
            shown = command(row.name, "--help").stdout
            assert [new for _, new, *_ in row.renamed if new not in shown] == []
