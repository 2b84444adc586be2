"""Options that several commands share, and those of the form NAME=VALUE."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL

if TYPE_CHECKING:
    from newsextract.store import Store

DATABASE_HELP = "The database: a file, or postgresql://USER@HOST/NAME."
Database = Annotated[str, typer.Option(metavar="URL|FILE", help=DATABASE_HELP)]
#: The database of commands that read all settings of a crawl.
DatabaseSetting = Annotated[
    str | None, typer.Option(metavar="URL|FILE", help=DATABASE_HELP, show_default=NEWSEXTRACT_DATABASE_URL)
]
Index = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The index of the articles. [default: a file beside the database]")
]
TopicsFile = Annotated[
    Path | None, typer.Option("--topics", metavar="FILE", help="The file of topics. [default: topics.toml]")
]
Setting = Annotated[
    list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="A setting, ours or one of Scrapy's.")
]
Extractor = Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the extractor.")
]
Alone = Annotated[
    bool, typer.Option("--no-site-profile", help="Judge each page by itself, without the rest of its site.")
]
Sites = Annotated[list[str] | None, typer.Option("--site", metavar="SITE", help="Only this site; may be repeated.")]
Languages = Annotated[
    list[str] | None, typer.Option("--language", metavar="CODE", help="Only this language; may be repeated.")
]


def open_store(database: str, *, read_only: bool = True) -> "Store":
    """The database, which must exist. SQLAlchemy, which takes long to import, is imported here."""
    from newsextract.store import Store

    return Store.open(database, must_exist=True, read_only=read_only)


def pairs(texts: Iterable[str] | None, option: str = "--set") -> dict[str, str]:
    """The values of any number of `OPTION NAME=VALUE`; raises WrongCall, with the name of the option, for others."""
    values = {}
    for text in texts or ():
        name, sign, values[name] = text.partition("=")
        if not (sign and name.isidentifier()):
            raise WrongCall(f"{option} {text!r} is not of the form NAME=VALUE")
    return values


def extractor_options(texts: Iterable[str] | None) -> dict[str, Any]:
    """The options of an extractor from any number of `--option NAME=VALUE`."""
    return {name: _value(value) for name, value in pairs(texts, "--option").items()}


def _value(text: str) -> Any:
    """The value as JSON (a number, true, false, null …) where it is that, else as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
