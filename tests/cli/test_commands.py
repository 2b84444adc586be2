"""The words of a command line that are read before it: names of earlier versions, and changes as `--since N`."""

import re

import pytest

from newsextract.cli.commands import COMMANDS, OLD_NAMES, checked_words
from newsextract.errors import WrongCall
from tests.crawling import CHECKOUT
from tests.examples import examples


@pytest.mark.parametrize(("given", "said"), examples(__file__, "old"))
def test_old_name_is_refused_with_what_to_write(given, said):
    with pytest.raises(WrongCall, match=re.escape(said)):
        checked_words(given.split())


@pytest.mark.parametrize(("given", "read"), examples(__file__, "read"))
def test_other_words_stay_as_they_are(given, read):
    assert checked_words(given.split()) == read.split()


@pytest.mark.usefixtures("store")
def test_old_names_end_a_command_and_present_ones_exist(command):
    done = command("export", "--from", "2020-01-01", status=2)
    assert done.stderr == "newsextract: newsextract export has no option --from any more: write --since\n"
    assert command("export", "--since", "cursor: 0").stderr == command("export", "--after", "0").stderr
    documented = (CHECKOUT / "docs" / "SETTINGS.md").read_text("utf-8")
    for row in COMMANDS:
        names = OLD_NAMES["options"].get(row.name, {}) | OLD_NAMES["commands"].get(row.name, {})
        shown = command(row.name, "--help").stdout if names else ""
        assert [name for name in names.values() if name not in shown] == []
        assert [name for name in (*names, *names.values()) if name not in documented] == []
    assert [name for name in OLD_NAMES["settings"] if f"`{name}`" not in documented] == []
