"""The site spider in a Scrapy that has renamed the attributes in RENAMED: SPIDER_MODULES names this file.

The modules below are executed again from their sources, with other names, and take the place of those in use.
"""

import os
import re
import sys
from pathlib import Path
from types import ModuleType

import scrapy.extensions.throttle
from scrapy.core import downloader, engine, scraper
from scrapy.core.downloader import contextfactory
from scrapy.core.downloader.handlers import http11
from scrapy.downloadermiddlewares import cookies
from scrapy.utils import reactor

#: Those with public names of engine, scraper and download slot, and those with private names alone.
CORE = (reactor, downloader, scraper, engine, scrapy.extensions.throttle)
MODULES = (*CORE, contextfactory, http11, cookies)


def rename(module: ModuleType, names: list[str]) -> None:
    old = dict(vars(module))
    source = Path(str(module.__file__)).read_text("utf-8")
    for name in names:
        if name.startswith("_"):
            source = re.sub(rf"\b{name}\b", f"{name}_renamed", source)
            vars(module).pop(name, None)
        elif module in CORE:  # used as an attribute, defined as a method, or declared in a class
            places = rf"(?<=\.){name}\b|(?<=def ){name}\b|(?<=\n    ){name}(?=:)"
            source = re.sub(places, f"{name}_renamed", source)
    exec(compile(source, str(module.__file__), "exec"), vars(module))
    new = {id(value): vars(module).get(name) for name, value in old.items() if isinstance(value, type)}
    for user in [user for name, user in sys.modules.items() if name.startswith(("scrapy.", "newsextract."))]:
        for name, value in [*vars(user).items()]:
            if new.get(id(value)) is not None:
                setattr(user, name, new[id(value)])


for each in MODULES:
    rename(each, os.environ["RENAMED"].split())
engine.ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 0.2  # the pause of an engine that is not woken up

from newsextract.spiders import site  # noqa: E402  # which imports what was renamed


class SiteSpider(site.SiteSpider):
    name = "site"
