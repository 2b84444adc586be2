"""Deprecated spellings of options and commands: they work as before, and a warning on stderr names the new one."""

import re
from collections.abc import Iterator, Sequence

from newsextract.text import warn_deprecated

#: Command, its old option or (in a group) command, the present name; only with values of a form, if there is one.
RENAMED = (
    ("browse", "--follow", "--every", ""),
    ("cluster", "--from", "--since", ""),
    ("cluster", "--to", "--until", ""),
    ("db", "forget", "remove", ""),
    ("export", "--from", "--since", ""),
    ("export", "--since", "--after", r"\s*(cursor:)?\s*\d+\s*"),
    ("export", "--to", "--until", ""),
    ("extract", "-f", "--format", ""),
    ("extract", "-o", "--option", ""),
    ("search", "--all-copies", "--duplicates", ""),
    ("watch", "--forget", "--clear-alerts", ""),
)


def present_words(words: Sequence[str]) -> list[str]:
    """The words of a command line in present spelling."""
    return [*words[:1], *_present(words[0], words[1:])] if words else []


def _present(command: str, words: Sequence[str]) -> Iterator[str]:
    rows = [row for of_command, *row in RENAMED if of_command == command]
    for number, (word, following) in enumerate(zip(words, [*words[1:], ""], strict=False)):
        if word == "--":
            yield from words[number:]
            return
        for old, new, values in rows:
            name, sign, value = word.partition("=")
            if len(old) == 2 and word.startswith(old) and word != old:
                name, sign, value = old, "=", word[2:]  # -fjson
            is_meant = name == old and (name.startswith("-") or number == 0)
            if is_meant and re.fullmatch(values or ".*", value if sign else following, re.DOTALL):
                warn_deprecated(f"{old} of newsextract {command}", f"use {new}")
                yield f"{new}{sign}{value}"
                break
        else:
            yield word
