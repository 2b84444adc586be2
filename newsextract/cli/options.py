"""Options shared by several commands, and options of the form NAME=VALUE."""

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from newsextract.days import beginning_of
from newsextract.errors import WrongCall
from newsextract.project import project_settings
from newsextract.settings import NEWSEXTRACT_DATABASE_URL

if TYPE_CHECKING:
    from newsextract.store import Store


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """An option with a value, which `metavar` stands for in its help; without names, its name is the parameter's."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help)


def _database(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """The database that the project's file names, if the command line names none."""
    source = context.get_parameter_source(parameter.name or "")
    is_given = source is not None and source.name != "DEFAULT"
    return value if is_given else project_settings().get("NEWSEXTRACT_DATABASE_URL", value)


DATABASE_HELP = "The database: a file, or postgresql://USER@HOST/NAME."
Database = Annotated[str, option("URL|FILE", DATABASE_HELP, callback=_database)]
#: The database option of commands that read all settings of a crawl.
DatabaseSetting = Annotated[str | None, option("URL|FILE", DATABASE_HELP, show_default=NEWSEXTRACT_DATABASE_URL)]
Index = Annotated[Path | None, option("FILE", "The index of the articles. [default: a file beside the database]")]
TopicsFile = Annotated[Path | None, option("FILE", "The file of topics. [default: topics.toml]", "--topics")]
Setting = Annotated[list[str] | None, option("NAME=VALUE", "A setting, ours or one of Scrapy's.", "--set", "-s")]
Extractor = Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")]
Options = Annotated[list[str] | None, option("NAME=VALUE", "An option of the extractor.", "--option")]
Alone = Annotated[bool, flag("--no-site-profile", "Judge each page by itself, without the rest of its site.")]
Sites = Annotated[list[str] | None, option("SITE", "Only this site; may be repeated.", "--site")]
Languages = Annotated[list[str] | None, option("CODE", "Only this language; may be repeated.", "--language")]
#: For commands that include copies by default, and for those that don't.
Duplicates = Annotated[
    bool, flag("--duplicates/--no-duplicates", "Near-duplicates of another article that passes the filters.")
]


def day_option(help: str, *names: str) -> Any:
    """An option with a day, which is its beginning. `--until` can't be before `--since`."""
    return typer.Option(*names, metavar="DATE", parser=parse_day, callback=_in_order, help=help)


def _in_order(context: typer.Context, option: typer.CallbackParam, day: datetime | None) -> datetime | None:
    days = context.meta.setdefault("days", {})
    days[option.opts[0]] = day
    if (since := days.get("--since")) and (until := days.get("--until")) and until < since:
        raise typer.BadParameter("--until is before --since")
    return day


def parse_day(text: str) -> datetime:
    """The beginning of a day."""
    try:
        return beginning_of(datetime.strptime(text.strip(), "%Y-%m-%d"))
    except ValueError:
        raise typer.BadParameter(f"{text!r} must be a date, such as 2026-05-01") from None


def open_store(database: str, *, read_only: bool = True) -> "Store":
    """Opens the database, which must exist. Imports SQLAlchemy here, because that takes long."""
    from newsextract.store import Store

    return Store.open(database, must_exist=True, read_only=read_only)


def pairs(texts: Iterable[str] | None, option: str = "--set") -> dict[str, str]:
    """The pairs of repeated `OPTION NAME=VALUE`. Raises WrongCall, naming the option, for any other form."""
    values = {}
    for text in texts or ():
        name, sign, values[name] = text.partition("=")
        if not (sign and name.isidentifier()):
            raise WrongCall(f"{option} {text!r} must have the form NAME=VALUE")
    return values


def extractor_options(texts: Iterable[str] | None, option: str = "--option") -> dict[str, object]:
    """An extractor's options from repeated `OPTION NAME=VALUE`."""
    return {name: _value(value) for name, value in pairs(texts, option).items()}


def _value(text: str) -> object:
    """The value as JSON (a number, true, false, null …) if it is valid JSON, otherwise as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
