"""The table [project] of sites.toml: what every command of a project needs, so that no command line repeats it."""

import os
from pathlib import Path

from newsextract.days import VARIABLE
from newsextract.errors import WrongSetting, suggest
from newsextract.files import file_exists, read_toml
from newsextract.settings import NEWSEXTRACT_SITES

#: Keys of the table, and the settings that they set; `timezone` sets the environment variable, unless it is set.
KEYS = {
    "database": "NEWSEXTRACT_DATABASE_URL",
    "pages": "NEWSEXTRACT_KEEP_PAGES",
    "jsonl": "NEWSEXTRACT_JSONL",
    "metrics": "NEWSEXTRACT_METRICS",
    "timezone": VARIABLE,
}
SQLITE = "sqlite:///"


def project_settings(path: Path = Path(NEWSEXTRACT_SITES)) -> dict[str, str]:
    """The settings of the project of a file of sites; {} if there is no such file. Raises WrongSetting."""
    table = read_toml(path).get("project", {}) if file_exists(path) else {}
    if not isinstance(table, dict):
        raise WrongSetting(f"{path}: project: must be a table, such as [project]")
    settings = {}
    for key, value in table.items():
        if key not in KEYS:
            hint = suggest(key, KEYS, f"allowed are {', '.join(KEYS)}")
            raise WrongSetting(f"{path}: project.{key}: is unknown; {hint}")
        if not isinstance(value, str) or not value.strip():
            raise WrongSetting(f"{path}: project.{key}: {value!r} must be a text")
        settings[KEYS[key]] = _beside(path, key, value.strip())
    if zone := settings.pop(VARIABLE, ""):
        os.environ.setdefault(VARIABLE, zone)
    return settings


def _beside(path: Path, key: str, value: str) -> str:
    """The value; if it is a file or a folder, relative to the folder of the file of sites."""
    name = value.removeprefix(SQLITE)
    is_file = "://" not in name and (key in ("database", "pages", "jsonl") or name.endswith(".prom"))
    return f"{value[: len(value) - len(name)]}{path.absolute().parent / Path(name).expanduser()}" if is_file else value
