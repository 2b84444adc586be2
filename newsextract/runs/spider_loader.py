"""The spider loader: the spiders of SPIDER_MODULES, and one for each site of sites.toml, for `scrapy crawl NAME`.

A file that can't be read and entries that are wrong are reported on stderr; `scrapy crawl site` still works.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from scrapy import Spider
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader, SpiderLoaderProtocol
from scrapy.utils.conf import closest_scrapy_cfg

from newsextract.errors import WrongCall, WrongSetting
from newsextract.runs.config import WHOLE_FILE, Site, SitesFile, read_sites
from newsextract.settings import NEWSEXTRACT_SITES
from newsextract.spiders.arguments import arguments_as_text
from newsextract.spiders.base import NewsSpider
from newsextract.text import MAX_LISTED, warn_once


def sites_path(setting: str | None) -> Path | None:
    """The file that NEWSEXTRACT_SITES names, or None; relative to the nearest scrapy.cfg, or the current folder."""
    if not setting or setting == "None":
        return None
    config = closest_scrapy_cfg()
    folder = Path(config).parent if config else Path.cwd()
    return folder / Path(setting).expanduser()


class SitesSpiderLoader(SpiderLoader):
    """Scrapy's spider loader with the sites of sites.toml; SPIDER_LOADER_CLASS names it."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        #: The contents of the file, or None if it doesn't exist, and the spiders of its sites by name.
        self.file: SitesFile | None = None
        self.sites: dict[str, type[Spider]] = {}
        self._setting: str | None = settings["NEWSEXTRACT_SITES"]
        path = sites_path(self._setting)
        if path is None or (self._setting == NEWSEXTRACT_SITES and not path.exists()):
            return
        project = {name: self.load(name) for name in self.list()}
        spiders = {name: spider for name, spider in project.items() if issubclass(spider, NewsSpider)}
        self.file = read_sites(path, spiders, project, settings["NEWSEXTRACT_RENDER_BROWSER"])
        for site in self.file.sites.values():
            self.sites[site.name] = site_spider(site, spiders[site.spider])
        complaints = self.file.complaints()
        more = len(complaints) - MAX_LISTED
        shown = [*complaints[:MAX_LISTED], *([f"{self.file.path}: and {more} more"] if more > 0 else [])]
        for line in shown:
            warn_once(f"newsextract: {line}")

    def load(self, spider_name: str) -> type[Spider]:
        """The spider of that name. Raises KeyError."""
        return self.sites.get(spider_name) or super().load(spider_name)

    def list(self) -> list[str]:
        """The names of all spiders."""
        return [*super().list(), *self.sites]

    def usable_file(self) -> SitesFile:
        """The file. Raises WrongSetting if there is none, or none that can be used."""
        if self.file is None:
            raise WrongSetting(
                f"there is no {self._setting}: name a file of sites (docs/SCHEDULE.md), or a site, as in "
                "`newsextract crawl https://example.org/`"
            )
        if WHOLE_FILE in self.file.wrong:
            raise WrongSetting(f"{self.file.path} can't be used; see above")
        return self.file


def site_spider(site: Site, base: type[NewsSpider]) -> type[NewsSpider]:
    """The spider class of a site: a subclass of its spider with the site's name and values."""
    body = {
        "__doc__": f"The site {site.name} of sites.toml.",
        "__module__": base.__module__,
        "name": site.name,
        "metadata": {"title": site.name, "description": f"The site {site.name} of sites.toml."},
        "preset": dict(site.arguments),
        "custom_settings": {**(base.custom_settings or {}), **site.settings},
        **site.attributes,
    }
    return cast(type[NewsSpider], type(f"{base.__name__}Of{site.name.title()}", (base,), body))


def site_run_arguments(loader: SpiderLoaderProtocol, name: str) -> dict[str, str]:
    """The arguments that identify the runs of a site of sites.toml in the database."""
    spider = loader.load(name)
    assert issubclass(spider, NewsSpider)
    return arguments_as_text(spider.parse_arguments({}))


def check_spider(loader: SpiderLoaderProtocol, name: str, arguments: Mapping[str, str]) -> None:
    """Raises WrongCall for an unknown spider, or for arguments that it doesn't take."""
    try:
        spider: type[Spider] = loader.load(name)
    except KeyError:
        file = loader.file if isinstance(loader, SitesSpiderLoader) else None
        if file and (number := len(file.wrong.get(name, ()))):
            what = "its entry is wrong" if number == 1 else f"{number} things are wrong with its entry"
            raise WrongSetting(f"there is no spider {name!r}: {what} in {file.path}; see above") from None
        raise WrongCall(f"there is no spider {name!r}; there are {', '.join(sorted(loader.list()))}") from None
    if issubclass(spider, NewsSpider):
        spider.parse_arguments(arguments)
