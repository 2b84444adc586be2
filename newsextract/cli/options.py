"""Options that are pairs."""

import json
from collections.abc import Iterable
from typing import Any

from newsextract.errors import WrongCall


def pair(text: str, option: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE; WrongCall, which names the option, where it is none."""
    name, sign, value = text.partition("=")
    if not (sign and name.isidentifier()):
        raise WrongCall(f"{option} {text!r} is not of the form NAME=VALUE")
    return name, value


def extractor_options(texts: Iterable[str] | None) -> dict[str, Any]:
    """What `--option NAME=VALUE`, given any number of times, says."""
    return {name: _value(value) for name, value in (pair(text, "--option") for text in texts or ())}


def _value(text: str) -> Any:
    """A number, true, false, null or other JSON as that, everything else as the text it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
