"""The table of commands (commands.json), with their deprecated spellings.

These work as before, and a warning on stderr names the new one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from newsextract.files import package_data
from newsextract.text import warn_deprecated


class Command(NamedTuple):
    """A command: its name, its function (MODULE:FUNCTION in its package) and the example for its help.

    `kind`: its class, if it parses its arguments itself. `renamed`: deprecated spellings of its options, each with the
    present one, and perhaps the form of the values for which that holds. A group has `commands` and its help instead.
    """

    name: str
    target: str = ""
    example: str = ""
    kind: str = ""
    renamed: Sequence[Sequence[str]] = ()
    help: str = ""
    commands: Sequence["Command"] = ()


COMMANDS = [
    Command(**row | {"commands": [Command(**each) for each in row.get("commands", ())]})
    for row in package_data("newsextract.cli", "commands.json")["commands"]
]


def present_words(words: Sequence[str]) -> list[str]:
    """The words of a command line in present spelling."""
    return [*words[:1], *_present(words[0], words[1:])] if words else []


def _present(command: str, words: Sequence[str]) -> Iterator[str]:
    rows = next((row.renamed for row in COMMANDS if row.name == command), ())
    for number, (word, following) in enumerate(zip(words, [*words[1:], ""], strict=False)):
        if word == "--":
            yield from words[number:]
            return
        for old, new, *form in rows:
            name, sign, value = word.partition("=")
            if len(old) == 2 and word.startswith(old) and word != old:
                name, sign, value = old, "=", word[2:]  # -fjson
            is_meant = name == old and (name.startswith("-") or number == 0)
            if is_meant and re.fullmatch(form[0] if form else ".*", value if sign else following, re.DOTALL):
                warn_deprecated(f"{old} of newsextract {command}", f"use {new}")
                yield f"{new}{sign}{value}"
                break
        else:
            yield word
