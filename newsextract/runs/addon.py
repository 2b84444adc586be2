"""The Scrapy add-on: `ADDONS = {"newsextract.Addon": 500}` turns the pages that any spider yields into articles.

Everything is set at priority "addon": the project's own settings win, and pipelines that it has moved stay there.
"""

from importlib.util import find_spec
from itertools import pairwise

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from newsextract import settings as our_settings
from newsextract.crawl.abort import WRONG, RefusedCrawl
from newsextract.crawl.checks import OURS, check_own_settings, check_storage
from newsextract.crawl.extensions import IdleScraperCheck
from newsextract.crawl.metrics import MetricsExtension
from newsextract.crawl.security import REACTOR
from newsextract.errors import NewsextractError, WrongSetting
from newsextract.pipelines.extraction import ExtractionPipeline
from newsextract.pipelines.page_items import ArticleFilterPipeline, ArticleOutputPipeline, PageItemPipeline
from newsextract.pipelines.pairing import PairingPipeline
from newsextract.pipelines.storage import StoragePipeline

#: Behind the pipelines of any project; their places are customarily below 1000.
LAST = 1_000_000


class Addon:
    """Adds the pipelines (pages from items, pairing, extraction, storage) and scrapy-poet's provider."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Called by Scrapy for each crawler."""
        for name in OURS:
            settings.set(name, getattr(our_settings, name), priority="addon")
        settings.set("NEWSEXTRACT_DATABASE_URL", None, priority="addon")  # stored only if the project says where
        settings.set("ITEM_PROCESSOR", our_settings.ITEM_PROCESSOR, priority="addon")
        settings.set("SCRAPER_SLOT_MAX_ACTIVE_SIZE", our_settings.SCRAPER_SLOT_MAX_ACTIVE_SIZE, priority="addon")
        try:
            check_addon_settings(settings)
            check_places(settings)
        except NewsextractError as error:
            settings.set(WRONG, str(error), priority="addon")
            settings.set("ITEM_PIPELINES", {}, priority="cmdline")  # one of them may not exist
            settings.setdefault_in_component_priority_dict("EXTENSIONS", RefusedCrawl, 0)
            return
        for pipeline, place in pipelines_of(settings).items():
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", pipeline, place)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", IdleScraperCheck, 500)
        if settings["NEWSEXTRACT_METRICS"]:
            settings.setdefault_in_component_priority_dict("EXTENSIONS", MetricsExtension, 500)
        if find_spec("scrapy_poet") and find_spec("zyte_common_items"):
            from newsextract.crawl.poet_provider import AnyResponseProvider, ArticleProvider

            settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", ArticleProvider, 900)
            settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", AnyResponseProvider, 1200)


def pipelines_of(settings: BaseSettings) -> dict[type, int]:
    """The pipelines for these settings, with their places among those of the project."""
    pipelines: dict[type, int] = {PageItemPipeline: 190, PairingPipeline: 200, ExtractionPipeline: 300}
    pipelines[StoragePipeline if settings["NEWSEXTRACT_DATABASE_URL"] else ArticleFilterPipeline] = 700
    pipelines[ArticleOutputPipeline] = LAST
    return pipelines


def check_places(settings: BaseSettings) -> None:
    """Raises WrongSetting if the project has moved our pipelines so that no article comes out."""
    given = {load_object(path): place for path, place in settings.getdict("ITEM_PIPELINES").items()}
    ours = sorted(pipelines_of(settings).items(), key=lambda pair: pair[1])
    places = [(kind.__name__, given.get(kind, place)) for kind, place in ours]
    if dict(places)[ExtractionPipeline.__name__] is None:
        raise WrongSetting("ITEM_PIPELINES switches ExtractionPipeline off, without which there are no articles")
    numbered = [(name, place) for name, place in places if place is not None]
    for (first, place), (second, next_place) in pairwise(numbered):
        if place >= next_place:
            raise WrongSetting(
                f"ITEM_PIPELINES has {first} at {place} and {second} at {next_place}: {first} must come before {second}"
            )


def check_addon_settings(settings: BaseSettings) -> None:
    """Raises NewsextractError for the first setting that rules out a crawl."""
    check_own_settings(settings)
    if settings.getbool("TWISTED_REACTOR_ENABLED") and settings["TWISTED_REACTOR"] not in (None, REACTOR):
        raise WrongSetting(f"TWISTED_REACTOR is {settings['TWISTED_REACTOR']}; newsextract needs {REACTOR}")
    if settings["NEWSEXTRACT_DATABASE_URL"]:
        check_storage(settings)
    elif settings["NEWSEXTRACT_JSONL"]:
        raise WrongSetting(
            "NEWSEXTRACT_JSONL needs NEWSEXTRACT_DATABASE_URL, because it is written from the database; "
            "without one, use Scrapy's FEEDS or -o"
        )
