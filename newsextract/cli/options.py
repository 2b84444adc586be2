"""Options of the form NAME=VALUE."""

import json
from collections.abc import Iterable
from typing import Any

from newsextract.errors import WrongCall


def pair(text: str, option: str) -> tuple[str, str]:
    """Name and value of NAME=VALUE; raises WrongCall, with the name of the option, for anything else."""
    name, sign, value = text.partition("=")
    if not (sign and name.isidentifier()):
        raise WrongCall(f"{option} {text!r} is not of the form NAME=VALUE")
    return name, value


def extractor_options(texts: Iterable[str] | None) -> dict[str, Any]:
    """The options of an extractor from any number of `--option NAME=VALUE`."""
    return {name: _value(value) for name, value in (pair(text, "--option") for text in texts or ())}


def _value(text: str) -> Any:
    """The value as JSON (a number, true, false, null …) where it is that, else as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
