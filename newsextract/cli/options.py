"""Options that are pairs."""

from newsextract.errors import WrongCall


def pair(text: str, option: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE; WrongCall, which names the option, where it is none."""
    name, sign, value = text.partition("=")
    if not (sign and name.isidentifier()):
        raise WrongCall(f"{option} {text!r} is not of the form NAME=VALUE")
    return name, value
