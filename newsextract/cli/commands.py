"""The table of commands (commands.json), and the words of a command line that have to be read before it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from newsextract.errors import WrongCall
from newsextract.files import package_data

#: Options and commands that no longer exist, each with the present one.
OLD_NAMES: dict[str, Any] = package_data("newsextract", "old_names.toml")


class Command(NamedTuple):
    """A command: its name, its function (MODULE:FUNCTION in its package) and the example for its help.

    `kind`: its class, if it parses its arguments itself. A group has `commands` and its help instead.
    """

    name: str
    target: str = ""
    example: str = ""
    kind: str = ""
    help: str = ""
    commands: Sequence["Command"] = ()


COMMANDS = [
    Command(**row | {"commands": [Command(**each) for each in row.get("commands", ())]})
    for row in package_data("newsextract.cli", "commands.json")["commands"]
]


def checked_words(words: Sequence[str]) -> list[str]:
    """The words of a command line; of `export --since N` those of --after N. Raises WrongCall for an old name."""
    command, options = next(iter(words), ""), [*words[1:]]
    if options and (present := OLD_NAMES["commands"].get(command, {}).get(options[0])):
        raise WrongCall(f"newsextract {command} {options[0]} is now newsextract {command} {present}")
    end = options.index("--") if "--" in options else len(options)
    old = OLD_NAMES["options"].get(command, {})
    for number, word in enumerate(options[:end]):
        name, sign, value = word.partition("=")
        for given in (name, word[:2]):  # -fjson
            if given in old:
                raise WrongCall(f"newsextract {command} has no option {given} any more: write {old[given]}")
        following = value if sign else next(iter(options[number + 1 :]), "")
        if (command, name) == ("export", "--since") and _is_change(following):
            options[number] = f"--after{sign}{value}"
    return [*words[:1], *options]


def _is_change(value: str) -> bool:
    """Whether a value of `export --since` is a change number, so that it means --after."""
    return value.strip().removeprefix("cursor:").strip().isdecimal()
