"""Addresses of alert services, which hold passwords: no message, log or database gets one."""

import os
import re
from collections.abc import Sequence
from importlib.util import find_spec

from newsextract.errors import WrongSetting

#: An address that stands in an environment variable.
ENVIRONMENT = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
SCHEME = re.compile(r"([a-z][a-z0-9]{0,31})://", re.I)
RIGHT = 'an address of a service, such as "mailto://USER:PASSWORD@example.org", or "env:NAME" for one in a variable'


def parse_services(value: object, *, thoroughly: bool = False) -> list[str]:
    """The addresses of services in a list or in a text with commas. WrongSetting for what is none.

    Messages name addresses by their position and scheme. `thoroughly`: also what apprise does not know, which takes
    half a second to see.
    """
    if isinstance(value, str):
        value = [part for part in re.split(r"[,\s]+(?=[a-z][a-z0-9]*:)", value.strip(), flags=re.I) if part]
    if not isinstance(value, Sequence) or not all(isinstance(address, str) for address in value):
        raise WrongSetting(f"alerts must be a list; each of it {RIGHT}")
    services = [_address(address.strip(), number) for number, address in enumerate(value, 1)]
    if services and find_spec("apprise") is None:
        raise WrongSetting("alerts need apprise: pip install 'newsextract[alerts]'")
    for number, address in enumerate(services, 1):
        if not SCHEME.match(address):
            raise WrongSetting(f"alerts, number {number}: must be {RIGHT}")
        if thoroughly:
            _check(address, number)
    return services


def name_service(address: str) -> str:
    """The scheme of an address: all of it that may be shown."""
    match = SCHEME.match(address)
    return match[1].lower() if match else "unknown"


def _address(text: str, number: int) -> str:
    if match := ENVIRONMENT.fullmatch(text):
        if not os.environ.get(match[1]):
            raise WrongSetting(f"alerts, number {number}: the environment variable {match[1]} is not set")
        return os.environ[match[1]].strip()
    return text


def _check(address: str, number: int) -> None:
    """Raises WrongSetting for an address that apprise can't use."""
    import apprise  # only here: it is an extra, and takes long to import

    if apprise.Apprise.instantiate(address, suppress_exceptions=True) is None:
        raise WrongSetting(
            f"alerts, number {number}: apprise can't use this {name_service(address)}:// address; "
            "https://appriseit.com/services/ lists what each service needs"
        )
