"""Who holds a lease: one process of one machine, told apart from every other, also from one that had its number before.

A process of this machine that has ended needs no lease to run out.
"""

import os
import platform
from pathlib import Path
from uuid import uuid4


def this_worker() -> str:
    """A name for one crawl of this process: machine, process, its start, and a number no other has."""
    return f"{_machine()}|{os.getpid()}|{_started(os.getpid())}|{uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine that is gone; False where that can't be told."""
    parts = owner.split("|")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    return _started(int(parts[1])) != parts[2]


def _machine() -> str:
    """This machine since its last start, as seen by this container."""
    return "/".join((platform.node(), _read("/proc/sys/kernel/random/boot_id"), _link("/proc/self/ns/pid")))


def _started(pid: int) -> str:
    """When a process began, in the kernel's ticks; "" where there is no such process."""
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
