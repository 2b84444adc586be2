"""The Scrapy settings module: every setting of a crawl, with its default. `-s NAME=VALUE` overrides any of them."""

from newsextract.version import VERSION as _VERSION

# ---- settings of newsextract -----------------------------------------------------------------------------------------

#: Which extractor chooses the article's text: `newsextract algorithms` lists them.
NEWSEXTRACT_EXTRACTOR = "fusion"
#: Options of that extractor, as a dictionary (on the command line: JSON, such as '{"threshold": 0.5}').
NEWSEXTRACT_EXTRACTOR_OPTIONS: dict[str, object] = {}
#: Where articles are kept: sqlite:///FILE (relative to the current directory) or postgresql://USER@HOST/NAME.
NEWSEXTRACT_DATABASE_URL = "sqlite:///newsextract.db"
#: A file with one JSON line for each change of an article, whole lines even after a kill; None: no file. `newsextract
#: crawl` and `newsextract demo` write articles.jsonl by default.
NEWSEXTRACT_JSONL = None
#: Worker processes that parse and extract pages; 0: the crawl's own process does it; None: one a core.
NEWSEXTRACT_WORKERS = None
#: Seconds that a page waits at most for a peer, if the extractor needs one (tsrec). It waits in the database.
NEWSEXTRACT_PEER_WAIT = 600.0
#: Whether near-duplicates are marked in the database.
NEWSEXTRACT_DUPLICATES = True
#: Whether to judge a page by other pages of its site, too: page type and text. Only for the extractor "fusion".
NEWSEXTRACT_SITE_EVIDENCE = True
#: A folder for WARC files of all fetched pages, for `newsextract reextract` and reports; None: no pages.
NEWSEXTRACT_KEEP_PAGES = None
#: Where `newsextract cluster cc-news:2026-10` finds the archives of Common Crawl.
NEWSEXTRACT_COMMON_CRAWL = "https://data.commoncrawl.org/"
#: Whether a browser renders pages that scripts fill: False, True (every page), or "auto": those that are empty frames.
#: Needs the extra `render` and a Chromium.
NEWSEXTRACT_RENDER: bool | str = False
#: The browser's program; None: the first Chromium or Chrome found.
NEWSEXTRACT_RENDER_BROWSER = None
#: Limits for rendering a page: seconds, requests of its scripts, bytes that they load and bytes of its HTML.
NEWSEXTRACT_RENDER_TIMEOUT = 15.0
NEWSEXTRACT_RENDER_MAX_REQUESTS = 100
NEWSEXTRACT_RENDER_MAXSIZE = 16 * 1024 * 1024
#: Further hosts (with subdomains) that a page's scripts may load from, besides its own domain.
NEWSEXTRACT_RENDER_HOSTS: list[str] = []
#: Where Prometheus metrics go: a file that ends in .prom, for the node exporter's textfile collector, or a port of this
#: machine; None: nowhere. Needs the extra `metrics`.
NEWSEXTRACT_METRICS = None
#: The file of sites, each a spider with that name; relative to the folder of scrapy.cfg, or to the current folder.
NEWSEXTRACT_SITES = "sites.toml"
#: Services that get alerts, in addition to `alerts` in sites.toml. Needs the extra `alerts`.
NEWSEXTRACT_ALERTS: list[str] = []
#: Which stories are alerts: those reported by so many sites, or with so many articles in the last hour; None: none.
NEWSEXTRACT_STORY_SITES = None
NEWSEXTRACT_STORY_ARTICLES_PER_HOUR = None
#: Whether addresses that are not on the public Internet (loopback, private …) may be fetched. Applies to the whole
#: process, so a spider's custom_settings can't set it, and disables only the address check.
NEWSEXTRACT_ALLOW_PRIVATE = False

# ---- components ------------------------------------------------------------------------------------------------------

BOT_NAME = "newsextract"
SPIDER_MODULES = ["newsextract.spiders"]
NEWSPIDER_MODULE = "newsextract.spiders"
COMMANDS_MODULE = "newsextract.runs.commands"
#: The spiders of SPIDER_MODULES, and one for each site of NEWSEXTRACT_SITES.
SPIDER_LOADER_CLASS = "newsextract.runs.spider_loader.SitesSpiderLoader"
#: The frontier is in the database, and survives the end of the crawl.
SCHEDULER = "newsextract.crawl.scheduler.FrontierScheduler"
SPIDER_MIDDLEWARES = {
    "newsextract.crawl.middlewares.WarcWriterMiddleware": 5,
    "newsextract.crawl.middlewares.LeaseMiddleware": 10,
    "newsextract.crawl.middlewares.PageReadingMiddleware": 950,  # next to the spider: its requests pass the others
    # The frontier knows depths, and doesn't keep referers of requests. Redirects need the referer middleware.
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
}
ITEM_PROCESSOR = "newsextract.pipelines.item_processor.ItemProcessor"
ITEM_PIPELINES = {
    "newsextract.pipelines.pairing.PairingPipeline": 200,
    "newsextract.pipelines.extraction.ExtractionPipeline": 300,
    "newsextract.pipelines.storage.StoragePipeline": 700,
}
EXTENSIONS = {
    "newsextract.crawl.security.AddressGuardCheck": 0,
    "newsextract.crawl.extensions.ProgressExtension": 500,
    "newsextract.crawl.extensions.GracefulShutdown": 500,
    "newsextract.crawl.metrics.MetricsExtension": 500,
}
#: Scrapy's default extensions, without telnet console and remote control (which open ports), LogStats (replaced by
#: ProgressExtension) and AutoThrottle (replaced by Throttle). None in EXTENSIONS would still import them at each start.
EXTENSIONS_BASE = {
    "scrapy.extensions.corestats.CoreStats": 0,
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.memusage.MemoryUsage": 0,
    "scrapy.extensions.memdebug.MemoryDebugger": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "scrapy.extensions.feedexport.FeedExporter": 0,
    "scrapy.extensions.spiderstate.SpiderState": 0,
    "newsextract.crawl.politeness.Throttle": 0,
}
DOWNLOADER_MIDDLEWARES = {
    "newsextract.crawl.scope.ScopeMiddleware": 50,
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,  # ScopeMiddleware knows ports and sites
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "newsextract.crawl.scope.SiteHeadersMiddleware": 350,  # before Scrapy's defaults, which keep existing headers
    "newsextract.crawl.politeness.RobotsMiddleware": 510,  # when the User-Agent is set; after the retries
    "newsextract.crawl.cut_answers.RetryCutAnswers": 545,  # sees what the retries let through
    "newsextract.crawl.middlewares.NoAnswerMiddleware": 555,  # after the retries: counts each attempt
    "newsextract.crawl.politeness.PolitenessMiddleware": 560,  # sees an answer before the retries do
    "newsextract.crawl.refresh.LenientMetaRefresh": 580,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "newsextract.crawl.cut_answers.FlaggingDecompression": 590,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "newsextract.crawl.cookies.BoundedCookies": 700,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "newsextract.crawl.security.AddressGuardMiddleware": 950,  # the last one: nothing changes a request after it
}

# ---- politeness ------------------------------------------------------------------------------------------------------

#: Tells sites who crawls. Put your own contact address here.
USER_AGENT = f"newsextract/{_VERSION} (news crawler; set USER_AGENT to say whose)"
ROBOTSTXT_OBEY = True
#: The user agent whose rules of robots.txt are obeyed; None: the product token of the User-Agent that is sent.
ROBOTSTXT_USER_AGENT = None
ROBOTSTXT_PARSER = "newsextract.crawl.politeness.RobotRules"
#: Seconds between two requests to one site, times 0.5 to 1.5 at random; AutoThrottle only makes it longer.
DOWNLOAD_DELAY = 1.0
#: Requests in the downloader; all of them are still made when a crawl is stopped.
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 4
#: Items of one response in the pipelines at a time. Our responses have one; Scrapy creates this many tasks for each.
CONCURRENT_ITEMS = 1
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = DOWNLOAD_DELAY
AUTOTHROTTLE_MAX_DELAY = 60.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
#: Retries of a request after a temporary error.
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"
#: Some sites redirect until a cookie is set.
COOKIES_ENABLED = True
DEFAULT_REQUEST_HEADERS = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

# ---- limits of a page ------------------------------------------------------------------------------------------------

#: Seconds for a whole response, even if it arrives slowly but steadily.
DOWNLOAD_TIMEOUT = 30
#: Bytes of a body, compressed and decompressed: 16 MiB. The longest live blogs have about 5 MiB.
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
REDIRECT_MAX_TIMES = 5
METAREFRESH_MAXDELAY = 5
URLLENGTH_LIMIT = 2000
REACTOR_THREADPOOL_MAXSIZE = 20
#: Bytes of responses waiting for extraction before the crawl pauses fetching.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 64 * 1024 * 1024

# ---- the address guard (newsextract/crawl/security.py); a crawl refuses to start without it --------------------------

TWISTED_DNS_RESOLVER = "newsextract.crawl.security.GuardedResolver"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
TWISTED_REACTOR_ENABLED = True
DOWNLOAD_HANDLERS_BASE = {
    **dict.fromkeys(("http", "https"), "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"),
    **dict.fromkeys(("file", "data", "ftp", "s3")),
}
#: Proxies resolve names themselves, where the guard can't see it; http_proxy in the environment is ignored. True needs
#: NEWSEXTRACT_ALLOW_PRIVATE.
HTTPPROXY_ENABLED = False
DOWNLOAD_VERIFY_CERTIFICATES = True
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# ---- feeds, log ------------------------------------------------------------------------------------------------------

FEED_EXPORT_ENCODING = "utf-8"
#: Local files of -o and -O: a resumed run continues csv and JSON lines files.
FEED_STORAGES = dict.fromkeys(("", "file"), "newsextract.crawl.feed_files.RunFeedStorage")
FEED_EXPORTERS = {
    "csv": "newsextract.crawl.feed_files.CsvExporter",
    **dict.fromkeys(("jsonlines", "jsonl", "jl"), "newsextract.crawl.feed_files.JsonLinesExporter"),
}
LOG_LEVEL = "INFO"
LOG_FORMATTER = "newsextract.crawl.log.UrlLogFormatter"
LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"
LOG_VERSIONS: list[str] = []
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
#: The summary at the end has the main figures; -s STATS_DUMP=1 prints all of Scrapy's.
STATS_DUMP = False
#: Seconds between two progress lines in the log, if stderr isn't a terminal.
LOGSTATS_INTERVAL = 30.0
#: Whether a terminal shows progress as one live line; False if several sites are crawled at a time.
LOGSTATS_LIVE = True
