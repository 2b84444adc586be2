"""Empty frames: pages without their own text, which scripts fill in a browser."""

from typing import Any

from newsextract.page import Page

#: Below this many characters of visible text, a page with scripts is a frame; below the second limit, a page with an
#: empty element for scripts to fill is one: navigation and footer may be there.
MAX_TEXT, MAX_TEXT_AROUND = 80, 1_000
#: Ids and tags of the element that the common frameworks fill.
MOUNT_IDS = frozenset("root app __next __nuxt ___gatsby svelte react-root application app-root q-app main-app".split())
MOUNT_TAGS = frozenset({"app-root", "main-app"})
#: Found in the types of scripts that are data.
DATA_TYPES = ("json", "template", "text/plain")


def may_be_empty_frame(page: Page) -> bool:
    """Whether a page has so little text that it may be a frame, or may ask for JavaScript."""
    return int(page.blocks.lengths.sum()) < MAX_TEXT_AROUND


def is_empty_frame(page: Page) -> bool:
    """Whether a page has next to no text, and scripts that are to bring it."""
    if not may_be_empty_frame(page):
        return False
    blocks = page.blocks
    if int(blocks.lengths.sum()) >= MAX_TEXT:
        elements = zip(blocks.element_ids, blocks.element_tags, blocks.spans.tolist(), strict=True)
        mounts = (span for name, tag, span in elements if name in MOUNT_IDS or tag in MOUNT_TAGS)
        if all(first != end for first, end in mounts):
            return False
    return any(_runs(script) for script in page.tree.iter("script"))


def _runs(script: Any) -> bool:
    """Whether a script element is code, not data."""
    kind = (script.get("type") or "").lower()
    return not any(name in kind for name in DATA_TYPES) and bool(script.get("src") or (script.text or "").strip())
