"""Turns what a spider yields into a `FetchedPage`: a response, a page, or any item with `url` and `html`."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import itemadapter
from itemadapter import ItemAdapter
from scrapy.http import Response

from newsextract import item_adapter
from newsextract.crawl.cut_answers import CUT_OFF
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.item_classes import OF_ARTICLE, has_fields, new_item, with_article
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.found import found_in
from newsextract.items import Article, DictAccess, FetchedPage
from newsextract.settings import DOWNLOAD_MAXSIZE
from newsextract.urls import split_url, strip_tracking

item_adapter.register(itemadapter, DictAccess)  # before a pipeline of another project gets a page

#: The fields of an item that make a page; the article gets the others.
PAGE_FIELDS = frozenset({"url", "html", "body", "encoding", "anchor_text", "fetched_at", "discovered_from"})


def page_of_item(item: object) -> FetchedPage | None:
    """The page of a FetchedPage, a response, or an item (of any class that ItemAdapter supports) with the fields `url`
    and `html` (text or bytes) or a response in any field; None for other items.

    Optional fields: `encoding` (of bytes), `anchor_text`, `fetched_at` (an aware datetime), `discovered_from`; the page
    keeps any others for its article. Raises PageDropped for anything other than HTML, or without an http or https URL.
    """
    if isinstance(item, Response):
        item = fetched_page(item)
    page = item if isinstance(item, FetchedPage) else _page_of_fields(item)
    if page is not None and len(page.body) > DOWNLOAD_MAXSIZE:  # by default, other projects' own is 1 GiB
        raise PageDropped("too_large", f"{page.url} has {len(page.body):,} bytes; the limit is {DOWNLOAD_MAXSIZE:,}")
    return page


def _page_of_fields(item: object) -> FetchedPage | None:
    if isinstance(item, Article) or not ItemAdapter.is_item(item):
        return None
    fields = ItemAdapter(item)
    html = fields.get("html")
    if "url" not in fields:
        return None
    if not isinstance(html, str | bytes):
        response = next((value for value in fields.values() if isinstance(value, Response)), None)
        if response is None:
            return None
        extra = {name: value for name, value in fields.items() if name not in PAGE_FIELDS}
        return replace(fetched_page(response), extra=extra)
    url, body = fields["url"], html.encode("utf-8", "replace") if isinstance(html, str) else html
    if not isinstance(url, str) or split_url(url) is None:
        raise PageDropped("wrong_item", f"an item's url {url!r:.200} isn't an http or https URL")
    if not body.strip():
        raise PageDropped("empty")
    fetched_at = fields.get("fetched_at")
    if not isinstance(fetched_at, datetime) or fetched_at.tzinfo is None:
        fetched_at = datetime.now(UTC)
    return FetchedPage(
        url=url,
        body=body,
        fetched_at=fetched_at,
        encoding="utf-8" if isinstance(html, str) else _text(fields.get("encoding")),
        anchor_text=_text(fields.get("anchor_text")),
        discovered_from=_text(fields.get("discovered_from")),
        extra={name: value for name, value in fields.items() if name not in PAGE_FIELDS},
    )


def fetched_page(
    response: Response, drop: tuple[str, ...] = (), selectors: Mapping[str, tuple[str, ...]] | None = None
) -> FetchedPage:
    """The response as a page, with what its request's meta says about the link. Raises PageDropped if not HTML."""
    content_type = header(response, "Content-Type")
    meta = {} if response.request is None else response.meta  # a response without a request, as tests create them
    found = found_in(meta)  # other projects' requests may have the other keys, CrawlSpider's `link_text`
    if reason := non_html_reason(response.body, content_type):
        raise PageDropped(reason)
    return FetchedPage(
        url=strip_tracking(response.url),  # a redirect may have added some
        body=response.body,
        fetched_at=datetime.now(UTC),
        encoding=declared_charset(content_type),
        anchor_text=_text(found.anchor_text or meta.get("anchor_text") or meta.get("link_text")),
        discovered_from=_text(found.found_on or meta.get("discovered_from")),
        status=response.status,
        etag=header(response, "ETag"),
        last_modified=header(response, "Last-Modified"),
        drop=drop,
        selectors=selectors or {},
        listing=found.listing,
        is_cut_off=CUT_OFF in response.flags,
    )


class ItemMemory:
    """Pages and articles in the pipelines, by URL. A project's pipelines get the items of its spider instead.

    So before the extraction they see what their spider yields. Afterwards it has the article's fields, too, as JSON
    values (`with_article`). They may pass on other items with the URL. The other items of a spider stay what they are,
    also with the URL of a page (a price beside it).
    """

    def __init__(self) -> None:
        self._items: dict[str, FetchedPage | Article] = {}
        self._others: dict[int, object] = {}
        #: What was handed on for a project's item, by identity, with the URL that it had.
        self._handed: dict[int, tuple[object, str]] = {}
        #: The URLs of pages that left the pipelines at the extraction, until they are decided.
        self._waiting: set[str] = set()
        #: The class of the items of which the last page was made, if the fields of an article can be added to it.
        self._kind: type | None = None

    def handed_on(self, given: object, made: FetchedPage | Article) -> object:
        """What a pipeline of ours returns that was given an item and has made a page or article of it."""
        key = self._key(given)
        before = self._items.pop(key, None)
        for name, value in before.extra.items() if before is not None and isinstance(made, Article) else ():
            made.setdefault(name, value)
        if isinstance(given, FetchedPage | Article | Response):
            self._items[made.url] = made  # an article that is stored already may have another URL than its page
            return made
        self._items[key] = made
        if before is None:
            self._kind = type(given) if has_fields(given) else None
        handed = given if isinstance(made, FetchedPage) else with_article(given, made) if has_fields(given) else made
        self._handed[id(handed)] = handed, key
        return handed

    def keep_waiting(self, page: FetchedPage) -> None:
        """Remembers that the item of a page has passed the pipelines up to the extraction."""
        self._waiting.add(page.url)

    def going_on(self, article: Article) -> object | None:
        """What an article that is decided now is in the pipelines behind the extraction; None if it wasn't there."""
        if article.url not in self._waiting:
            return None
        self._waiting.remove(article.url)
        return self.decided_late(article)

    def decided_late(self, article: Article) -> object:
        """What an article that comes again, once it is decided, is in the pipelines."""
        if self._kind is None:
            return self.handed_on(article, article)
        handed = (item for item, key in self._handed.values() if key == article.url and has_fields(item))
        return self.handed_on(next(handed, None) or new_item(self._kind, article), article)

    def last(self, item: object) -> object:
        """The article that a project's item stands for which has passed all pipelines; any other item as it is."""
        is_copy = type(item) is self._kind or hasattr(item, OF_ARTICLE)  # one that a pipeline has made of it
        if not has_fields(item) or not (id(item) in self._handed or (is_copy and not isinstance(item, dict))):
            return item
        article = self.restored(item)
        self._forget(self._key(item))
        return article

    def keep_other(self, item: object) -> None:
        """Remembers an item that is no page, so that it is not taken for one with its URL."""
        if ItemAdapter.is_item(item) and ItemAdapter(item).get("url"):
            self._others[id(item)] = item

    def restored(self, item: object) -> object:
        """The page or article of which a project's pipeline has made this item, with the fields that it has."""
        if isinstance(item, FetchedPage | Article) or not ItemAdapter.is_item(item):
            return item
        if (other := self._other_of(item)) is not None:
            del self._others[other]
            self._others[id(item)] = item
            return item
        key, fields = self._key(item), ItemAdapter(item)
        known = self._items.get(key)
        if known is None:
            return item
        if isinstance(known, FetchedPage):
            known = self._items[key] = _with_fields(known, fields, key)
            own, before = PAGE_FIELDS, dict[str, Any]()
        else:
            own, before = PAGE_FIELDS | known.own_names().keys(), known.to_dict()
        for name, value in fields.items():
            if name not in own or (value != before.get(name) and _fits(value, known.get(name))):
                known[name] = value
        return known

    def forget(self, item: object) -> None:
        """Forgets an item that has left the pipelines."""
        if not (isinstance(item, FetchedPage | Article) or ItemAdapter.is_item(item)):
            return
        if (other := self._other_of(item)) is not None:
            del self._others[other]
        else:
            self._forget(self._key(item))

    def _forget(self, key: str) -> None:
        self._items.pop(key, None)
        if self._handed:
            self._handed = {number: pair for number, pair in self._handed.items() if pair[1] != key}

    def _key(self, item: object) -> str:
        """The URL that the page of an item has in this memory."""
        handed = self._handed.get(id(item))
        if handed is not None:
            return handed[1]
        if isinstance(item, FetchedPage | Article | Response):
            return strip_tracking(item.url) if isinstance(item, Response) else item.url  # as of its page
        return str(ItemAdapter(item).get("url"))

    def _other_of(self, item: object) -> int | None:
        """Which of the other items this is, or was made from: one that shares more values with it than its page."""
        if id(item) in self._others:
            return id(item)
        if not self._others or isinstance(item, FetchedPage | Article) or id(item) in self._handed:
            return None
        values = dict(ItemAdapter(item).items())
        page = self._items.get(str(values.get("url")))
        best, most = None, 0 if page is None else _shared(values, page)
        for key, other in self._others.items():
            fields = ItemAdapter(other)
            if fields.get("url") == values.get("url") and (shared := _shared(values, fields)) > most:
                best, most = key, shared
        return best


def _with_fields(page: FetchedPage, fields: ItemAdapter, before: str) -> FetchedPage:
    """The page with the URL and the HTML that pipelines have changed in its item. `before`: the URL of the item."""
    url, html = fields.get("url"), fields.get("html")
    changed: dict[str, Any] = {}
    if url != before and isinstance(url, str) and split_url(url) is not None:
        changed["url"] = url
    body = html.encode("utf-8", "replace") if isinstance(html, str) else html
    if isinstance(body, bytes) and body.strip() and body != page.body:
        changed |= {"body": body, "encoding": "utf-8" if isinstance(html, str) else page.encoding}
    return FetchedPage(**page.page_values() | changed) if changed else page  # to be read again


def _fits(value: object, known: object) -> bool:
    """Whether a project's value can be that of a field of the article."""
    is_of_kind = type(value) is type(known)
    return is_of_kind and (not isinstance(value, list) or all(isinstance(one, str) for one in value))


def _shared(values: Mapping[str, object], fields: ItemAdapter | DictAccess) -> int:
    """How many values are the same objects as those of other fields, whatever `==` means to them."""
    missing = object()
    return sum(fields.get(name, missing) is value for name, value in values.items())


def header(response: Response, name: str) -> str | None:
    """A header of the response, cut after 1,000 characters; the values of one that is sent twice, with a comma."""
    value = b", ".join(response.headers.getlist(name))
    return value.decode("latin-1").strip()[:1000] if value else None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
