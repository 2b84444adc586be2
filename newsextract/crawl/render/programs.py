"""Whether pages can be rendered here: the setting NEWSEXTRACT_RENDER, the extra's packages, and a Chromium.

Imports no package of the extra, so a crawl without a browser never needs one.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract.files import package_data

#: Values of NEWSEXTRACT_RENDER and of `render` in sites.toml -> when the browser renders a page.
RENDER_VALUES: dict[object, str] = {
    **dict.fromkeys((False, None, "", "false", "none", "0", "no", "off"), "never"),
    **dict.fromkeys((True, "true", "1", "yes", "on"), "always"),
    "auto": "auto",
}
#: Packages of the extra, by the modules that are imported.
MODULES = ("scrapy_playwright", "playwright")
#: Chromium's flags, commands and places.
CHROMIUM = package_data("newsextract.crawl.render", "chromium.toml")


def render_mode(value: object) -> str:
    """The mode that a value means: "never", "auto" or "always". ValueError says what would be right."""
    key = value.strip().lower() if isinstance(value, str) else value
    if not isinstance(key, str | int | None) or key not in RENDER_VALUES:
        raise ValueError('must be true, false or "auto"')
    return RENDER_VALUES[key]


def why_not_renderable(settings: Mapping[str, Any]) -> str | None:
    """Why pages can't be rendered with these settings, in one sentence; None if they can be, or needn't."""
    if render_mode(settings.get("NEWSEXTRACT_RENDER")) == "never":
        return None
    missing = [name for name in MODULES if find_spec(name) is None]
    if missing:
        return f"rendering pages needs {missing[0]}, which is not installed: pip install 'newsextract[render]'"
    named = settings.get("NEWSEXTRACT_RENDER_BROWSER")
    if named and shutil.which(str(named)) is None:
        return f"NEWSEXTRACT_RENDER_BROWSER is {named!r}, which isn't a program; give the path of a Chromium"
    if not named and find_browser() is None and not _has_downloaded_browser():
        return (
            "rendering pages needs Chromium, and none was found: install it (apt install chromium, or playwright "
            "install chromium), or name it by NEWSEXTRACT_RENDER_BROWSER"
        )
    return None


def find_browser(named: object = None) -> str | None:
    """The path of the named Chromium, or of the first one installed; None for playwright's."""
    if named:
        return shutil.which(str(named)) or str(named)
    commands: list[str] = CHROMIUM["commands"]
    programs: list[str] = CHROMIUM["programs"].get(sys.platform, [])
    found = (*map(shutil.which, commands), *(path for path in programs if Path(path).is_file()))
    return next((path for path in found if path), None)


def _has_downloaded_browser() -> bool:
    """Whether there is a Chromium downloaded by `playwright install chromium`."""
    downloads = CHROMIUM["downloads"]
    default = Path.home() / downloads.get(sys.platform, downloads["linux"])
    return any(Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or default).glob("chromium*"))
