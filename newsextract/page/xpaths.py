"""Absolute XPaths of many elements at once: a call for each would count its siblings anew each time."""

from collections import Counter
from collections.abc import Sequence

from turbohtml import Element


def xpaths(elements: Sequence[Element]) -> list[str]:
    """The absolute XPath of each element of a page, in one pass; `name[n]` only where it has namesakes."""
    if not elements:
        return []
    wanted = dict.fromkeys(elements)
    found: dict[Element, str] = {}
    *_, root = elements[0], *(above for above in elements[0].ancestors if isinstance(above, Element))
    stack = [(root, f"/{root.tag}")]
    while stack:
        element, path = stack.pop()
        if element in wanted:
            found[element] = path
        children = [child for child in element if isinstance(child, Element)]
        names = Counter(child.tag for child in children)
        seen: Counter[str] = Counter()
        for child in children:
            seen[child.tag] += 1
            step = f"{child.tag}[{seen[child.tag]}]" if names[child.tag] > 1 else child.tag
            stack.append((child, f"{path}/{step}"))
    return [found[element] for element in elements]
