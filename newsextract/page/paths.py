"""Absolute XPaths of many elements at once: lxml's own call counts an element's siblings anew each time."""

from collections import Counter
from typing import Any


def xpaths(root: Any, elements: list[Any]) -> list[str]:
    """The absolute XPath of each element, in one pass over the tree; `name[n]` only where it has namesakes."""
    if root is None:
        return []
    wanted = dict.fromkeys(elements)
    found: dict[Any, str] = {}
    stack = [(root, f"/{root.tag}")]
    while stack:
        element, path = stack.pop()
        if element in wanted:
            found[element] = path
        names = Counter(child.tag for child in element)
        seen: Counter[str] = Counter()
        for child in element:
            seen[child.tag] += 1
            step = f"{child.tag}[{seen[child.tag]}]" if names[child.tag] > 1 else child.tag
            stack.append((child, f"{path}/{step}"))
    return [found[element] for element in elements]
