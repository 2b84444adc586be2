"""Deprecated spellings of options and commands: they work as before, and a warning on stderr names the new one."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from newsextract.text import warn_deprecated


class Renamed(NamedTuple):
    """An option of a command, or a group's command, and its present name; `values`: only with a value of this form."""

    command: str
    old: str
    new: str
    values: str = ""


RENAMED = (
    Renamed("browse", "--follow", "--every"),
    Renamed("cluster", "--from", "--since"),
    Renamed("cluster", "--to", "--until"),
    Renamed("db", "forget", "remove"),
    Renamed("export", "--from", "--since"),
    Renamed("export", "--since", "--after", r"\s*(cursor:)?\s*\d+\s*"),
    Renamed("export", "--to", "--until"),
    Renamed("extract", "-f", "--format"),
    Renamed("extract", "-o", "--option"),
    Renamed("search", "--all-copies", "--duplicates"),
    Renamed("watch", "--forget", "--clear-alerts"),
)


def present_words(words: Sequence[str]) -> list[str]:
    """The words of a command line in present spelling."""
    return [*words[:1], *_present(words[0], words[1:])] if words else []


def _present(command: str, words: Sequence[str]) -> Iterator[str]:
    rows = [row for row in RENAMED if row.command == command]
    for number, (word, following) in enumerate(zip(words, [*words[1:], ""], strict=False)):
        if word == "--":
            yield from words[number:]
            return
        for row in rows:
            name, sign, value = word.partition("=")
            if len(row.old) == 2 and word.startswith(row.old) and word != row.old:
                name, sign, value = row.old, "=", word[2:]  # -fjson
            is_meant = name == row.old and (name.startswith("-") or number == 0)
            if is_meant and re.fullmatch(row.values or ".*", value if sign else following, re.DOTALL):
                warn_deprecated(f"{row.old} of newsextract {command}", f"use {row.new}")
                yield f"{row.new}{sign}{value}"
                break
        else:
            yield word
