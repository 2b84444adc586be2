"""Lease owners: names that identify one process of one machine, even after its process id is reused.

The leases of a dead process of this machine are recovered at once, without waiting for them to expire.
"""

import os
import platform
from pathlib import Path
from uuid import uuid4


def owner_name(process: int | None = None) -> str:
    """A new owner name for a process, by default this one: machine, process id, its start time, a random number."""
    process = os.getpid() if process is None else process
    return f"{_machine()}|{process}|{_started(process)}|{uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine that has ended; False where that is not known."""
    parts = owner.split("|")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    return _started(int(parts[1])) != parts[2]


def _machine() -> str:
    """Identifies this machine since its last boot, and this container's process id namespace."""
    return "/".join((platform.node(), _read("/proc/sys/kernel/random/boot_id"), _link("/proc/self/ns/pid")))


def _started(pid: int) -> str:
    """The start time of a process in clock ticks since boot; "" if there is no such process."""
    stat = _read(f"/proc/{pid}/stat")
    if stat:
        fields = stat.rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return ""
    except OSError:
        pass
    return "running"


def _read(path: str) -> str:
    try:
        return Path(path).read_text("ascii", "replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
