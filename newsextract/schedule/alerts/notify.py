"""Notifies alert services of what is wrong, and of what is well again, all in one message.

Their addresses hold passwords: no message, log or database gets one.
"""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from time import monotonic

from newsextract.errors import WrongSetting
from newsextract.store import Store
from newsextract.store.alerts import Alert, load_alerts, mark_notified

logger = logging.getLogger(__name__)

#: Seconds for all services together, with the start of a process for each, which takes some on a busy machine; one that
#: takes longer is ended, and told again next time.
SEND_TIMEOUT = 60.0
#: Lines of a message.
MAX_LINES = 40
#: Kinds of states in words.
LABELS = {
    "silent": "dried up",
    "blocked": "blocked",
    "closed": "behind a wall",
    "needs_javascript": "needs JavaScript",
    "redesigned": "redesigned",
    "no_dates": "without dates",
    "failed": "failed",
    "disk": "disk nearly full",
    "overdue": "overdue",
    "burst": "written about far more than usual",
}
#: An address that stands in an environment variable.
ENVIRONMENT = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
SCHEME = re.compile(r"([a-z][a-z0-9]{0,31})://", re.I)
RIGHT = 'an address of a service, such as "mailto://USER:PASSWORD@example.org", or "env:NAME" for one in a variable'


def tell(store: Store, services: Sequence[str], timeout: float = SEND_TIMEOUT) -> bool:
    """Sends what was not told yet; True if a service took it, or nothing was to be told.

    Where all services fail it stays untold. Each failure is logged with the service's scheme, never its address.
    Raises DatabaseError.
    """
    news = [alert for alert in store.read(load_alerts) if alert.notified_at is None or alert.ended_at is not None]
    if not news or not services:
        return True
    taken = send(services, *message_of(news), timeout)
    for service, was_taken in zip(services, taken, strict=True):
        if not was_taken:
            logger.warning("The alert service %s:// rejected a message", name_service(service))
    if any(taken):
        store.write(mark_notified, news)
    return any(taken)


def message_of(news: Sequence[Alert]) -> tuple[str, str]:
    """Title and text of a message about states that begin or end."""
    begun, ended = (
        [alert for alert in news if alert.ended_at is None],
        [alert for alert in news if alert.ended_at is not None],
    )
    if len(news) == 1:
        title = f"{news[0].subject}: {'well again' if ended else LABELS.get(news[0].kind, news[0].kind)}"
    else:
        counts = ((len(begun), "to look at"), (len(ended), "well again"))
        title = ", ".join(f"{number} {what}" for number, what in counts if number)
    lines = [describe(alert) for alert in (*begun, *ended)]
    more = len(lines) - MAX_LINES
    lines = [*lines[:MAX_LINES], *([f"and {more} more: newsextract watch"] if more > 0 else [])]
    return f"newsextract: {title}", "\n".join(lines)


def describe(alert: Alert) -> str:
    """A state as one line."""
    label = LABELS.get(alert.kind, alert.kind)
    if alert.ended_at is not None:
        again = "as usual again" if alert.kind == "burst" else "well again"
        return f"{alert.subject}: {again}, was {label} since {alert.since:%Y-%m-%d %H:%M} UTC"
    return f"{alert.subject}: {label}: {alert.sentence}"


def send(services: Sequence[str], title: str, body: str, timeout: float) -> list[bool]:
    """Sends a message by all services at once; whether each took it in time."""
    deadline = monotonic() + timeout
    processes = [_start(service, title, body) for service in services]
    taken = []
    for process in processes:
        try:
            taken.append(process.wait(max(0.0, deadline - monotonic())) == 0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            taken.append(False)
    return taken


def _start(service: str, title: str, body: str) -> "subprocess.Popen[bytes]":
    """Apprise's command for one service: a process can be ended, and nothing that it logs comes into a log."""
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-P", "-c", "from apprise.cli import main; main()", "--title", title]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "APPRISE_URLS": service}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=environment)
    assert process.stdin is not None
    with suppress(OSError), process.stdin:  # it may have ended already
        process.stdin.write(body.encode())
    return process


def parse_services(value: object, *, thoroughly: bool = False) -> list[str]:
    """The addresses of services in a list or in a text with commas. WrongSetting for what is none.

    Messages name addresses by their position and scheme. `thoroughly`: also what apprise does not know, which takes
    half a second to see.
    """
    if isinstance(value, str):
        value = [part for part in re.split(r"[,\s]+(?=[a-z][a-z0-9]*:)", value.strip(), flags=re.I) if part]
    if not isinstance(value, Sequence) or not all(isinstance(address, str) for address in value):
        raise WrongSetting(f"alerts must be a list; each {RIGHT}")
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
