"""Disks that are nearly full."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from newsextract.store.alerts import Problem

#: A disk is nearly full with less than MIN_FREE bytes free, or with less than MIN_SHARE of it unless that is PLENTY.
MIN_FREE, MIN_SHARE, PLENTY = 2**30, 0.05, 20 * 2**30


def find_full_disks(folders: Iterable[Path], min_free: int = MIN_FREE) -> list[Problem]:
    """A problem for each of the folders whose disk is nearly full; one for each disk."""
    problems: dict[int, Problem] = {}
    for folder in folders:
        try:
            usage, device = shutil.disk_usage(folder), folder.stat().st_dev
        except OSError:  # it is not there yet
            continue
        if usage.free < min_free or usage.free < min(PLENTY, MIN_SHARE * usage.total):
            free = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.0f} GB are free"
            problems.setdefault(device, Problem(str(folder), "disk", f"{free} on the disk of {folder}"))
    return list(problems.values())
