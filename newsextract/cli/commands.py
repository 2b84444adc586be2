"""The table of commands (commands.json)."""

from collections.abc import Sequence
from typing import NamedTuple

from newsextract.files import package_data


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
