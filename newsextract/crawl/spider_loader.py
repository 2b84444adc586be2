"""The spider loader: beside the project's own spiders one for each site of sites.toml, for `scrapy crawl NAME`.

A file that can't be read, or an entry of it that is wrong, costs what is in it and nothing else: it is told, and
`scrapy crawl site` starts as ever.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Any, cast

from scrapy import Spider
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.conf import closest_scrapy_cfg

from newsextract.crawl.config import Site, SitesFile, read_sites
from newsextract.crawl.engine import spiders_by_name
from newsextract.settings import NEWSEXTRACT_SITES

CHECKOUT = Path(__file__).resolve().parents[2]
#: Complaints that are told; a file of another format would give one a line.
MOST_TOLD = 10


def sites_path(written: Any) -> Path | None:
    """The file that NEWSEXTRACT_SITES names, relative to the folder of scrapy.cfg; None for no file.

    An egg has no scrapy.cfg: there it is relative to the folder that scrapyd runs in.
    """
    if not written or written == "None":
        return None
    config = closest_scrapy_cfg()
    place = Path(config).parent if config else CHECKOUT if (CHECKOUT / "scrapy.cfg").is_file() else Path.cwd()
    return place / Path(str(written)).expanduser()


class SiteLoader(SpiderLoader):
    """What SPIDER_LOADER_CLASS names."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        #: The file as it was read; None where there is none.
        self.file: SitesFile | None = None
        path = sites_path(settings.get("NEWSEXTRACT_SITES"))
        if path is None or (settings["NEWSEXTRACT_SITES"] == NEWSEXTRACT_SITES and not path.exists()):
            return
        spiders = spiders_by_name(self)
        self.file = read_sites(path, dict(spiders))
        for site in self.file.sites.values():
            spiders[site.name] = spider_of(site, spiders[site.spider])
        told = self.file.complaints()
        more = [f"{self.file.path}: and {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
        warn_once("\n".join(f"newsextract: {line}" for line in [*told[:MOST_TOLD], *more]))

    def wrong_with(self, name: str) -> str | None:
        """Why the site of that name is no spider, in a sentence; None where the file has no such site."""
        wrong = self.file.wrong.get(name) if self.file else None
        if not self.file or not wrong:
            return None
        many = "its entry is wrong" if len(wrong) == 1 else f"{len(wrong)} things are wrong with its entry"
        return f"There is no spider {name!r}: {many} in {self.file.path}, as said above"


def spider_of(site: Site, base: type[Spider]) -> type[Spider]:
    """The spider class of a site: its spider under its own name, with its values in place."""
    body = {
        "__doc__": f"The site {site.name} of sites.toml.",
        "__module__": base.__module__,
        "name": site.name,
        "preset": dict(site.arguments),
        "custom_settings": {**(base.custom_settings or {}), **site.settings},
        **site.attributes,
    }
    return cast(type[Spider], type(f"{base.__name__}Of{site.name.title()}", (base,), body))


@cache
def warn_once(text: str) -> None:
    """Says it on stderr; a process may make several loaders, and says it once."""
    if text:
        print(text, file=sys.stderr)
