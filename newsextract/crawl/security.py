"""The address guard: a crawl connects to public addresses only, whatever a page, a redirect or a name server says.

Names are resolved here and nowhere else, and the connection goes to the address that was checked, so a name that
changes its address between two look-ups gains nothing. Literal addresses in any spelling take the same way. A name with
one address that is refused is refused whole.
"""

import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, CloseSpider
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from newsextract.crawl.addresses import refused_because
from newsextract.crawl.failures import RequestRefused

logger = logging.getLogger(__name__)

#: The only reactor whose resolver Scrapy lets us choose and whose crawls are coroutines.
REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
#: Hosts whose refusal is remembered, so that the reason can be told.
REMEMBERED = 10_000


@implementer(IResolutionReceiver)
class _Checked:
    """Collects all addresses of a name and hands them on only if every one is public."""

    def __init__(self, receiver: Any, resolver: "GuardedResolver", host: str) -> None:
        self.receiver = receiver
        self.resolver = resolver
        self.host = host
        self.addresses: list[Any] = []

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        self.addresses.append(address)

    def resolutionComplete(self) -> None:
        if not self.resolver.refuses(self.host, [str(address.host) for address in self.addresses]):
            for address in self.addresses:
                self.receiver.addressResolved(address)
        self.receiver.resolutionComplete()


@implementer(IHostnameResolver)
class GuardedResolver:
    """The reactor's name resolver, with the check. TWISTED_DNS_RESOLVER names it."""

    def __init__(self, reactor: Any, allow_private: bool = False) -> None:
        inner: Any = reactor.nameResolver
        self.reactor = reactor
        self.inner: Any = inner.inner if isinstance(inner, GuardedResolver) else inner
        self.allow_private = allow_private
        self.refused: OrderedDict[str, str] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "GuardedResolver":
        """Scrapy calls this once a process, with the process's settings."""
        return cls(reactor, crawler.settings.getbool("NEWSEXTRACT_ALLOW_PRIVATE"))

    def install_on_reactor(self) -> None:
        self.reactor.installNameResolver(self)

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[Any] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        receiver = _Checked(resolutionReceiver, self, hostName)
        return self.inner.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)

    def refuses(self, host: str, addresses: list[str]) -> bool:
        """Whether a host with these addresses is refused; the reason is kept for `Guard` to tell."""
        host = host.lower()
        self.refused.pop(host, None)
        if self.allow_private:
            return False
        for address in addresses:
            if reason := refused_because(address):
                self.refused[host] = f"its address {address} {reason}" if address != host else f"its address {reason}"
                while len(self.refused) > REMEMBERED:
                    self.refused.popitem(last=False)
                return True
        return False


def guard_of_process() -> GuardedResolver | None:
    """The guard on this process's reactor; None where it is not in force."""
    if not is_reactor_installed():
        return None
    from twisted.internet import reactor  # only now: importing it installs one

    resolver = getattr(reactor, "nameResolver", None)
    return resolver if isinstance(resolver, GuardedResolver) else None


class Guard:
    """Downloader middleware: refuses what the resolver can't see (proxies, other schemes), and tells its refusals."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Guard":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises RequestRefused for a request that must not leave."""
        if urlsplit(request.url).scheme not in ("http", "https"):
            raise RequestRefused("scheme_refused", "only http and https are fetched")
        if request.meta.get("proxy"):
            raise RequestRefused("proxy_refused", "a proxy resolves names where the address guard can't see it")
        if reason := not_in_force(self.crawler):
            raise RequestRefused("address_refused", reason)

    def process_response(self, request: Request, response: Response) -> Response:
        """Checks once more where the page came from, for handlers that say it."""
        guard = guard_of_process()
        address = response.ip_address
        if guard is not None and address is not None and guard.refuses(_host(request), [str(address)]):
            raise RequestRefused("address_refused", guard.refused[_host(request)])
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Turns a name that seems to have no address into the refusal that it is, so that it is not tried again."""
        guard = guard_of_process()
        if guard is not None and isinstance(exception, CannotResolveHostError):
            reason = guard.refused.get(_host(request))
            if reason:
                raise RequestRefused("address_refused", reason) from exception


class GuardCheck:
    """Extension: a crawl does not start where the guard is not in force."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "GuardCheck":
        return cls(crawler)

    def spider_opened(self, spider: Spider) -> None:
        """Closes the spider before its first request."""
        if reason := not_in_force(self.crawler):
            logger.error("This crawl does not start: %s", reason)
            self.crawler.stats.set_value("newsextract/fatal", f"this crawl does not start: {reason}")
            raise CloseSpider("guard")


def not_in_force(crawler: Crawler) -> str | None:
    """Why the guard can't hold in this crawl, as a clause; None where it does."""
    guard = guard_of_process()
    if guard is None:
        return "the guard is not on this process's reactor; start crawls by `scrapy crawl` or a CrawlerProcess"
    if crawler.get_downloader_middleware(Guard) is None:
        return "newsextract.crawl.security.Guard is missing from DOWNLOADER_MIDDLEWARES"
    return settings_around_it(crawler.settings, guard.allow_private)


def settings_around_it(settings: BaseSettings, allow_private: bool) -> str | None:
    """Which setting leads around the guard, as a clause; None where none does."""
    if not settings.getbool("TWISTED_REACTOR_ENABLED") or settings["TWISTED_REACTOR"] != REACTOR:
        return "TWISTED_REACTOR and TWISTED_REACTOR_ENABLED must stay as they are: the address guard needs that reactor"
    if settings.getbool("HTTPPROXY_ENABLED"):
        return "HTTPPROXY_ENABLED must be False: a proxy resolves names where the address guard can't see it"
    for scheme, handler in settings.getwithbase("DOWNLOAD_HANDLERS").items():
        if handler is None:
            continue
        if scheme not in ("http", "https"):
            return f"DOWNLOAD_HANDLERS must not serve {scheme}: only http and https are fetched"
        if not allow_private and not issubclass(load_object(handler), HTTP11DownloadHandler):
            return (
                f"the handler for {scheme} connects by itself, where the address guard can't see it; "
                "NEWSEXTRACT_ALLOW_PRIVATE=True crawls without the guard's address check"
            )
    return None


def _host(request: Request) -> str:
    return (urlsplit(request.url).hostname or "").strip("[]")
