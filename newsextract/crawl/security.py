"""The address guard: a crawl connects only to public IP addresses (protection against SSRF).

The reactor's name resolver checks every address that a name resolves to, and the connection goes to the checked
address, so a name that changes its address between two look-ups (DNS rebinding) gains nothing. Literal addresses in any
spelling take the same path. A name is refused if any of its addresses is.

In order: the resolver; the downloader middleware; the checks that the guard is active.
"""

import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, CloseSpider
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from newsextract.addresses import refusal_of
from newsextract.crawl.component import Component
from newsextract.crawl.failures import RequestRefused
from newsextract.limits import MAX_REMEMBERED

logger = logging.getLogger(__name__)

#: The only reactor whose resolver Scrapy lets us choose and whose crawls are coroutines.
REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
#: What disables the guard, and what that means.
HOW_TO_ALLOW = (
    "--set NEWSEXTRACT_ALLOW_PRIVATE=1 allows such addresses; use it only for your own sites, because then any page "
    "or redirect can lead the crawl to any service on this machine and its network"
)
#: Why requests through a proxy are refused, and what allows them.
PROXIES_UNSEEN = "a proxy resolves names where the address guard can't see it"
HOW_TO_ALLOW_PROXIES = (
    "HTTPPROXY_ENABLED=True together with NEWSEXTRACT_ALLOW_PRIVATE=True crawls through proxies without the guard's "
    "address check"
)

# ---- the resolver ----------------------------------------------------------------------------------------------------


@implementer(IResolutionReceiver)
class CheckedReceiver:
    """Collects the addresses of one resolution; passes them to the receiver only if all are public."""

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
    """The reactor's name resolver with the address check; TWISTED_DNS_RESOLVER names it."""

    def __init__(self, reactor: Any, allow_private: bool = False) -> None:
        inner: Any = reactor.nameResolver
        self.reactor = reactor
        self.inner: Any = inner.inner if isinstance(inner, GuardedResolver) else inner
        self.allow_private = allow_private
        self.refused: OrderedDict[str, str] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "GuardedResolver":
        """Called by Scrapy once a process, with the settings of the process."""
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
        receiver = CheckedReceiver(resolutionReceiver, self, hostName)
        return self.inner.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)

    def refuses(self, host: str, addresses: list[str]) -> bool:
        """Whether a host with these addresses is refused; `refused` keeps the reason for AddressGuardMiddleware."""
        host = host.lower()
        self.refused.pop(host, None)
        if self.allow_private:
            return False
        for address in addresses:
            if reason := refusal_of(address):
                self.refused[host] = f"its address {address} {reason}" if address != host else f"its address {reason}"
                while len(self.refused) > MAX_REMEMBERED:
                    self.refused.popitem(last=False)
                return True
        return False


def installed_resolver() -> GuardedResolver | None:
    """The guarded resolver of this process's reactor; None if another one is installed."""
    if not is_reactor_installed():
        return None
    from twisted.internet import reactor  # imported here, because the import installs a reactor

    resolver = getattr(reactor, "nameResolver", None)
    return resolver if isinstance(resolver, GuardedResolver) else None


# ---- the middleware --------------------------------------------------------------------------------------------------


class AddressGuardMiddleware(Component):
    """Downloader middleware: refuses what the resolver can't see (proxies, other schemes), and reports its refusals."""

    #: The resolver with which the guard was found active: a crawl's settings are frozen, so it stays so.
    _checked: GuardedResolver | None = None

    def process_request(self, request: Request) -> None:
        """Raises RequestRefused for a request that must not be sent."""
        if urlsplit(request.url).scheme not in ("http", "https"):
            raise RequestRefused("scheme_refused", "only http and https are fetched")
        resolver = installed_resolver()
        is_unguarded = resolver is not None and resolver.allow_private
        if request.meta.get("proxy") and not (is_unguarded and self.crawler.settings.getbool("HTTPPROXY_ENABLED")):
            raise RequestRefused("proxy_refused", f"{PROXIES_UNSEEN}; {HOW_TO_ALLOW_PROXIES}")
        if resolver is None or resolver is not self._checked:
            if reason := why_not_in_force(self.crawler):
                raise RequestRefused("address_refused", reason)
            self._checked = resolver

    def process_response(self, request: Request, response: Response) -> Response:
        """Checks the address that the response came from, if the download handler provides it."""
        resolver = installed_resolver()
        address = response.ip_address
        if resolver is not None and address is not None and resolver.refuses(_host(request), [str(address)]):
            raise RequestRefused("address_refused", resolver.refused[_host(request)])
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Turns a refused resolution into RequestRefused, so that it isn't retried."""
        resolver = installed_resolver()
        if resolver is not None and isinstance(exception, CannotResolveHostError):
            reason = resolver.refused.get(_host(request))
            if reason:
                raise RequestRefused("address_refused", reason) from exception


# ---- is the guard in force? ------------------------------------------------------------------------------------------


class AddressGuardCheck(Component):
    """Extension: closes a crawl before its first request if the guard is not active."""

    SIGNALS = ("spider_opened",)

    def spider_opened(self) -> None:
        if reason := why_not_in_force(self.crawler):
            logger.error("The crawl does not start: %s", reason)
            self.counts.fatal = f"the crawl does not start: {reason}"
            raise CloseSpider("guard")


def why_not_in_force(crawler: Crawler) -> str | None:
    """Why the guard is not active in this crawl, as a clause; None if it is."""
    resolver = installed_resolver()
    if resolver is None:
        return "the guard is not on this process's reactor; start crawls by `scrapy crawl` or a CrawlerProcess"
    if crawler.get_downloader_middleware(AddressGuardMiddleware) is None:
        return "newsextract.crawl.security.AddressGuardMiddleware is missing from DOWNLOADER_MIDDLEWARES"
    return setting_around_guard(crawler.settings, resolver.allow_private)


def setting_around_guard(settings: BaseSettings, allow_private: bool) -> str | None:
    """What is wrong with a setting that bypasses the guard, as a clause; None if nothing is."""
    if not settings.getbool("TWISTED_REACTOR_ENABLED") or settings["TWISTED_REACTOR"] != REACTOR:
        return "TWISTED_REACTOR and TWISTED_REACTOR_ENABLED must stay as they are: the address guard needs that reactor"
    if settings.getbool("HTTPPROXY_ENABLED") and not allow_private:
        return f"HTTPPROXY_ENABLED must be False: {PROXIES_UNSEEN}; {HOW_TO_ALLOW_PROXIES}"
    for scheme, handler in settings.getwithbase("DOWNLOAD_HANDLERS").items():
        if handler is None:
            continue
        if scheme not in ("http", "https"):
            return f"DOWNLOAD_HANDLERS must not serve {scheme}: only http and https are fetched"
        try:
            handler_class = load_object(handler)
        except (ImportError, NameError, ValueError) as error:
            return f"the handler for {scheme} of DOWNLOAD_HANDLERS can't be imported: {error}"
        if not allow_private and handler_class is not HTTP11DownloadHandler:  # a subclass may be a browser
            return (
                f"the handler for {scheme} connects by itself, where the address guard can't see it; "
                "NEWSEXTRACT_ALLOW_PRIVATE=True crawls without the guard's address check"
            )
    return None


def _host(request: Request) -> str:
    return (urlsplit(request.url).hostname or "").strip("[]")
