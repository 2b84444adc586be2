"""Sizes of hostile inputs: a quarter in the inner loop, the full size under CI=1."""

import os

FULL = bool(os.environ.get("CI"))


def size(full: int) -> int:
    """That many, or a quarter of it outside CI."""
    return full if FULL else full // 4
