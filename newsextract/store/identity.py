"""Which article a page is, and whether that is new, changed or unchanged.

URL keys, canonical URLs, redirects, texts and removals say which, by the rules of docs/ARCHITECTURE.md, "Identity".
Commits, imports and reviews of sites ask here.

Everything here decides in memory; `commit` writes. An unchanged page (equal `page_hash`) never makes a new version,
whatever extractor and peer read it. For different pages, headline and body are compared by letters and digits, without
the lines that the page shares with its peer: those belong to the template, and one of the two extractions may have kept
them.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain

from sqlalchemy import Connection, select

from newsextract.items import Article
from newsextract.limits import MOST
from newsextract.reasons import FORGOTTEN, GONE_KINDS, REMOVED_TEXT, UrlState
from newsextract.store import duplicates
from newsextract.store.articles import ArticleRecord, key_hash, key_of, read_records, storable
from newsextract.store.engine import rows_in
from newsextract.store.links import READ, redirected
from newsextract.store.manual import manual_fields, with_manual_fields
from newsextract.store.names import RemovedNames
from newsextract.store.outcome import ChangeKind, PageOutcome, PageResponse
from newsextract.store.removals import Text, find_removals, has_texts
from newsextract.store.schema import LONGEST_SITE, LONGEST_URL, article_versions, articles, changes, fingerprint, urls
from newsextract.text import letters_and_digits, words_of
from newsextract.urls import is_home, site_of, split_url
from newsextract.urls.shapes import folder_of, has_number_of, is_same_story, original_of_copy, page_of_entry

#: Paths of home pages other than "/".
HOME_PATH = re.compile(r"/(?:index|default|home)\.\w{2,5}", re.IGNORECASE)
#: Share of the phrases of a text that are in one which has grown from it.
CONTAINED = 0.9
#: How much longer than another text one is that has grown from it.
GROWN = 1.1
#: Tokens of a phrase that two stories of one kind seldom share.
PHRASE = 6
#: What is known about URLs, and about articles with a similar text.
OF_URLS = select(urls.c.fingerprint, urls.c.state, urls.c.article, urls.c.meta)
HEADLINES = select(articles.c.id, articles.c.site, articles.c.headline)


@dataclass(slots=True)
class Resolution:
    """What an outcome means for the stored articles. `change`: its number, if it is one. `united`: the article that
    its URL had of its own, and the one that it leads to now, which are one. `readdressed`: what it means for an article
    whose URL shows another one now, if it has been seen elsewhere. `former_url`: that of the version before.
    """

    outcome: PageOutcome
    stored: ArticleRecord | None = None
    article: Article | None = None
    kind: ChangeKind = "none"
    canonical_refused: bool = False
    change: int | None = None
    united: tuple[ArticleRecord, ArticleRecord] | None = None
    readdressed: "Resolution | None" = None
    former_url: str = ""


def text_of(article: Article) -> tuple[str, str]:
    """What two pages of one article have in common: its site, and the hash of its headline and body."""
    return article.site, article.content_hash


def headline_of(article: Article) -> tuple[str, str]:
    """The site of an article, and the letters and digits of its headline."""
    return article.site[:LONGEST_SITE], letters_and_digits(article.headline or "")


def _former_key(outcome: PageOutcome) -> str:
    """The key that the article of a URL had at the site that has moved to that of the URL."""
    parts = split_url(outcome.url)
    return key_of(parts._replace(netloc=outcome.former_site).geturl()) if parts is not None else ""


def _has_new_path(old: str, new: str) -> bool:
    """Whether a URL has another path than one that redirects to it, and isn't an AMP or print copy."""
    paths = {key_of(url).partition("/")[2].partition("?")[0] for url in (old, new)}
    return len(paths) == 2 and original_of_copy(new) is None


class ArticleResolver:
    """The stored articles that a group of outcomes may affect, before and after the group."""

    def __init__(
        self,
        connection: Connection,
        outcomes: Iterable[PageOutcome],
        now: datetime,
        names: RemovedNames,
        outdated: Collection[int] = (),
    ) -> None:
        """Reads them, in a few statements for the whole group; `outdated`: as `read_captures` returns them."""
        self._connection, self._now, self._outdated = connection, now, outdated
        #: The article of each outcome that has one, by the outcome's identity.
        self._articles = {
            id(one): names.without(storable(one.article, one.when)) for one in outcomes if one.article is not None
        }
        with_article = [(outcome, self._articles[id(outcome)]) for outcome in outcomes if outcome.article is not None]
        addresses = {url for outcome, article in with_article for url in (outcome.url, article.canonical_url) if url}
        addresses.update(url for one in outcomes if one.target for url in (one.url, one.target))
        # a text that is too short to have a signature, as a caption or a notice, may stand on many pages
        texts = {article.content_hash for outcome, article in with_article if outcome.signature is not None}
        self.url_states: dict[str, tuple[str, int | None]] = {}
        #: By fingerprint, the URLs of pages with an article, and when they were fetched.
        self._fetched = {fingerprint(outcome.url): (outcome.url, outcome.when) for outcome, _ in with_article}
        #: By fingerprint, those of the URLs that redirected to a URL.
        self.origins: dict[str, list[str]] = {}
        self._read_urls(map(fingerprint, addresses))
        ids = {article for _, article in self.url_states.values() if article is not None}
        #: The articles that have each key of the outcomes' signatures.
        self.keys: Mapping[int, list[int]] = {}
        ids |= self._similar(outcome for outcome, _ in with_article)
        former = {_former_key(outcome) for outcome, _ in with_article if outcome.former_site}
        keys = {*map(key_of, addresses), *filter(None, former)}
        #: The text of each outcome's article, by the outcome's identity, and what was removed.
        self._texts = self._read_texts(with_article)
        self.removed = find_removals(connection, map(key_hash, keys), self._texts.values())
        self.by_id = {stored.id: stored for stored in read_records(connection, keys, ids, texts)}
        self.by_key = {stored.key: stored for stored in self.by_id.values()}
        #: What the pages of articles with corrections say, with those as stored.
        self.extracted: dict[int, tuple[ArticleRecord, Article]] = {}
        #: Articles with another key, although no outcome is theirs.
        self.moved: list[ArticleRecord] = []
        self.by_text = {text_of(stored.article): stored for stored in self.by_id.values()}
        self.by_headline: defaultdict[tuple[str, str], list[ArticleRecord]] = defaultdict(list)
        for stored in self.by_id.values():
            self.by_headline[headline_of(stored.article)].append(stored)
        self.by_fingerprint = {
            key: self.by_id[article] for key, (_, article) in self.url_states.items() if article in self.by_id
        }

    def _read_texts(self, pages: Iterable[tuple[PageOutcome, Article]]) -> dict[int, Text]:
        """The texts of these pages; with signatures, also where the crawl marks no copies, if texts were removed."""
        is_asked = has_texts(self._connection)
        texts = {}
        for outcome, article in pages:
            signature = outcome.signature
            if signature is None and is_asked:
                from newsextract.near_duplicates import signature_of  # loads numpy

                signature = signature_of(article.article_body)
            texts[id(outcome)] = Text(article.site, article.content_hash, signature)
        return texts

    def _read_urls(self, fingerprints: Iterable[str]) -> None:
        """Reads the states of URLs, and of those that redirected to them."""
        for key, state, article, meta in rows_in(self._connection, OF_URLS, urls.c.fingerprint, fingerprints):
            self.url_states[key] = state, article
            self.origins[key] = [*map(fingerprint, redirected(meta))]
        before = {*chain.from_iterable(self.origins.values())} - self.url_states.keys()
        for key, state, article, _ in rows_in(self._connection, OF_URLS, urls.c.fingerprint, before):
            self.url_states[key] = state, article

    def _similar(self, outcomes: Iterable[PageOutcome]) -> set[int]:
        """The articles with a text like one of these: of its site with its headline, or of that site's former one."""
        signed = [one for one in outcomes if one.signature is not None and one.article is not None]
        texts = [one.signature for one in signed if one.signature]
        self.keys = duplicates.read_keys(self._connection, texts)
        similar = duplicates.find_similar(self.keys, texts)
        own = {headline_of(self._articles[id(one)]) for one in signed}
        former = {one.former_site[:LONGEST_SITE] for one in signed} - {""}
        found = rows_in(self._connection, HEADLINES, articles.c.id, similar)
        return {
            number
            for number, site, headline in found
            if site in former or (site, letters_and_digits(headline or "")) in own
        }

    def resolve(self, outcome: PageOutcome) -> Resolution:
        """Finds the stored article of an outcome, and updates it in memory."""
        article = self._articles.get(id(outcome))
        if article is None:
            return self._resolve_redirect(outcome)
        former = self.by_fingerprint.get(fingerprint(outcome.url))
        article.url = article.url or outcome.url
        own, canonical = key_of(outcome.url), self._plausible_canonical(article, outcome.url)
        if removal := self._find_removal(own, canonical, article, outcome):
            outcome.state, outcome.reason = UrlState.refused, removal
            return Resolution(outcome)
        while self._is_taken(own, article, outcome.url) and self._move(self.by_key[own]):
            pass  # in a ring of wrong canonical URLs, the next article has the key then
        refused = bool(article.canonical_url) and canonical is None
        if canonical is not None and self._is_taken(canonical, article, outcome.url):
            canonical, refused = None, True
        if refused:
            article.canonical_url = None
            article.sources = {**article.sources, "canonical_url": "refused"}
        stored = self._find(own, canonical, article, outcome.url) or self._find_moved(
            canonical or own, article, outcome
        )
        if stored is None and outcome.signature is not None:
            stored = self.by_text.get(text_of(article)) or self._find_copy(article, outcome.url)
        elif stored is not None:
            stored = self._find_elsewhere(stored, article, outcome) or stored
        resolution = Resolution(outcome, canonical_refused=refused)
        twin = self.by_text.get(text_of(article)) if outcome.signature is not None else None
        if former is not None and twin is not None and is_renamed(former, twin, outcome.url):
            is_one = has_number_of(former.article.url, twin.article.url) or canonical == twin.key
            stored = twin if stored is former and is_one else stored
            if stored is twin and (is_one or not is_another(former.article, twin.article)):
                resolution.united = former, twin
        return self._update(resolution, stored, canonical or own, article)

    def _resolve_redirect(self, outcome: PageOutcome) -> Resolution:
        """If the URL of an article redirects to that of another one, by way of others or not, the two may be one.

        If it redirects to one that leads to the same article already, the article has that from then on.
        """
        resolution = Resolution(outcome)
        if not outcome.target:
            return resolution
        present = self.by_fingerprint.get(fingerprint(outcome.target)) or self.by_key.get(key_of(outcome.target))
        own = fingerprint(outcome.url)
        for key in (own, *self.origins.get(own, ())):
            former = self.by_fingerprint.get(key)
            is_own = former is not None and fingerprint(former.article.url) == key
            if former and is_own and present is not None and is_renamed(former, present, former.article.url):
                resolution.united = former, present
            elif former and is_own and present is former and _has_new_path(former.article.url, outcome.target):
                resolution.readdressed = self._follow(former, outcome)
        return resolution

    def _follow(self, stored: ArticleRecord, outcome: PageOutcome) -> Resolution | None:
        """Gives an article the URL to which its own one redirects, if that has been fetched, as a new version."""
        key = fingerprint(outcome.target)
        if stored.change_kind in GONE_KINDS or self.by_fingerprint.get(key) is not stored:
            return None
        query = select(urls.c.url, urls.c.last_fetched).where(urls.c.fingerprint == key, urls.c.state.in_(READ))
        if (fetched := self._fetched.get(key)) is None and (row := self._connection.execute(query).first()) is not None:
            fetched = row.url, row.last_fetched
        return self._at_url(stored, *fetched, outcome) if fetched is not None else None

    def _update(self, resolution: Resolution, stored: ArticleRecord | None, key: str, article: Article) -> Resolution:
        outcome = resolution.outcome
        if stored is None:
            article.first_seen_at, article.version = article.first_seen_at or outcome.when, 1
            stored = ArticleRecord(0, key, article, outcome.when, last_version=1)
            self.by_text.setdefault(text_of(article), stored)
            self.by_headline[headline_of(article)].append(stored)
            resolution.kind = "new"
        else:
            present, is_gone = stored.article, stored.change_kind in GONE_KINDS
            corrected = manual_fields(present)
            page, article = article, with_manual_fields(present, article)
            page_hash = outcome.response.page_hash
            is_same_page = page_hash is not None and page_hash == stored.page_hash
            is_same_page |= outcome.captured and (article.url, article.fetched_at) == (present.url, present.fetched_at)
            differs = is_gone or not (is_same_page or has_same_text(present, article, outcome.shared))
            has_lost_url = not outcome.captured and self._has_lost_url(stored, article)
            differs |= has_lost_url or self._has_moved(stored, article)
            fetched, last = article.fetched_at, present.fetched_at
            if last is not None and last > self._now:  # a clock was ahead, so the order of recent fetches is unknown
                last = self._now - timedelta(days=1)
            if is_gone:
                last = self._ended_at(stored) if outcome.captured else None
            is_older = id(outcome) in self._outdated or bool(fetched and last and fetched < last)  # of an archive
            if corrected and stored.id and not is_older:
                self.extracted[stored.id] = stored, page
            if "is_article" in corrected and not present.is_article:
                differs = False
            article = page if is_older else article
            if differs and (not is_older or article.content_hash not in self._content_hashes(stored)):
                stored.last_version += 1
                article.first_seen_at, article.version = present.first_seen_at, stored.last_version
                if is_older:
                    stored.older.append(article)
                else:
                    stored.article, stored.page_hash = article, page_hash
                    resolution.former_url = present.url
                    if has_lost_url:
                        self._set_key(stored, key)
            resolution.kind = "changed" if differs and not is_older else "unchanged"
            if not is_older and not outcome.captured and resolution.united is None:
                resolution.readdressed = self._readdress(stored, outcome)
        stored.last_seen_at = max(stored.last_seen_at, outcome.when)
        self.by_key[stored.key] = self.by_fingerprint[fingerprint(outcome.url)] = stored
        resolution.stored, resolution.article = stored, stored.article
        return resolution

    def _find_removal(self, own: str, canonical: str | None, article: Article, outcome: PageOutcome) -> str:
        """The reason for which a page isn't stored if its article was removed, "" if it wasn't: under these keys, or
        with this text, also at the site that has moved here."""
        former = outcome.former_site[:LONGEST_SITE]
        keys = [own, canonical, _former_key(outcome) if former else None]
        if self.removed.has_key(map(key_hash, filter(None, keys))):
            return FORGOTTEN
        text = self._texts[id(outcome)]
        texts = [text, replace(text, site=former)] if former else [text]
        if any(map(self.removed.has_text, texts)):
            return REMOVED_TEXT
        stored = self.by_fingerprint.get(fingerprint(outcome.url)) or self.by_key.get(canonical or own)
        if stored is not None and not is_other_story(stored.article, article):
            return ""  # an article of its own, part of whose text was removed elsewhere
        return REMOVED_TEXT if any(map(self.removed.has_like, texts)) else ""

    def _find_moved(self, key: str, article: Article, outcome: PageOutcome) -> ArticleRecord | None:
        """The article whose own URL redirects to this one. It gets the new key."""
        for origin in self.origins.get(fingerprint(outcome.url), ()):
            stored = self.by_fingerprint.get(origin)
            if stored is None or stored.key == key or is_other_story(stored.article, article):
                continue
            if fingerprint(stored.article.url) == origin:  # not one that only has another URL
                self.by_key.pop(stored.key)
                stored.key = key
            return stored
        stored = self._find_former(article, outcome) if outcome.former_site else None
        if stored is None or is_other_story(stored.article, article):
            return None
        self.by_key.pop(stored.key)
        stored.key = key
        return stored

    def _find_former(self, article: Article, outcome: PageOutcome) -> ArticleRecord | None:
        """The article at the site that has moved here: at the same path, or with this text, or headline and date."""
        if stored := self.by_key.get(_former_key(outcome)):
            return stored
        own = letters_and_digits(article.article_body), headline_of(article)[1], article.date_published
        for stored in self.by_id.values() if own[0] else ():
            one = stored.article
            if one.site == outcome.former_site and (
                letters_and_digits(one.article_body) == own[0] or (headline_of(one)[1], one.date_published) == own[1:]
            ):
                return stored
        return None

    def _has_moved(self, stored: ArticleRecord, article: Article) -> bool:
        """Whether an article's own URL redirects to the page, at another path: https alone makes no new version."""
        old, new = stored.article.url, article.url
        state, _ = self.url_states.get(fingerprint(old), (None, None))
        is_redirected = state == UrlState.redirected and fingerprint(old) in self.origins.get(fingerprint(new), ())
        return is_redirected and _has_new_path(old, new)

    def _find_elsewhere(self, stored: ArticleRecord, article: Article, outcome: PageOutcome) -> ArticleRecord | None:
        """If a page shows another story than its URL had so far: the article of that story, known from another URL."""
        led_to = self.by_fingerprint.get(fingerprint(outcome.url))
        if outcome.signature is None or not is_another(stored.article, article):
            return None
        if led_to is not None and led_to is not stored and not is_other_story(led_to.article, article):
            return led_to
        candidates = filter(None, [self.by_text.get(text_of(article)), *self.by_headline[headline_of(article)]])
        for other in candidates:
            is_dated_alike = len({one.date_published for one in (other.article, article)} - {None}) < 2
            if (
                other is not stored
                and other.change_kind != "retracted"
                and is_dated_alike
                and not is_other_story(other.article, article)
            ):
                return other
        return None

    def _has_lost_url(self, stored: ArticleRecord, article: Article) -> bool:
        """Whether the URL of an article leads to another one now, and the page has another URL."""
        key = fingerprint(stored.article.url)
        if key == fingerprint(article.url):
            return False
        if key in self.by_fingerprint:
            return self.by_fingerprint[key] is not stored
        led_to = self._connection.execute(select(urls.c.article).where(urls.c.fingerprint == key)).scalar()
        return led_to is not None and led_to != stored.id

    def _readdress(self, taking: ArticleRecord, outcome: PageOutcome) -> Resolution | None:
        """Gives an article whose URL shows another one now the URL at which it was seen last, as a new version."""
        own = fingerprint(outcome.url)
        stored = self.by_fingerprint.get(own)
        if stored is None or stored is taking or fingerprint(stored.article.url) != own:
            return None
        seen = [
            self._fetched[key] for key, one in self.by_fingerprint.items() if one is stored and key in self._fetched
        ]
        query = select(urls.c.url, urls.c.last_fetched, urls.c.fingerprint).order_by(urls.c.last_fetched.desc())
        rows = self._connection.execute(query.where(urls.c.article == stored.id, urls.c.state.in_(READ)))
        seen += [(row.url, row.last_fetched) for row in rows if row.fingerprint not in self.by_fingerprint]
        url, at = next(((url, at) for url, at in seen if fingerprint(url) != own), ("", None))
        return self._at_url(stored, url, at, outcome) if url else None

    def _at_url(self, stored: ArticleRecord, url: str, at: datetime | None, outcome: PageOutcome) -> Resolution:
        """A new version of an article under another URL."""
        former_url = stored.article.url
        article = replace(stored.article, url=url, fetched_at=at, version=stored.last_version + 1)
        if article.canonical_url and key_of(article.canonical_url) == key_of(former_url):
            article.canonical_url = None
        stored.article, stored.last_version = article, article.version
        self._set_key(stored, key_of(article.canonical_url or url))
        page = PageOutcome(
            url, UrlState.stored, run=outcome.run, at=outcome.at, response=PageResponse(page_hash=stored.page_hash)
        )
        return Resolution(page, stored, article, "changed", former_url=former_url)

    def _find_copy(self, article: Article, url: str) -> ArticleRecord | None:
        """The article with this headline and date that stands at such a URL, or beside it, with nearly this text."""
        for stored in self.by_headline[headline_of(article)]:
            one = stored.article
            dates = {one.date_published, article.date_published} - {None}
            is_near = len(dates) < 2 and (is_same_story(one.url, url) or _is_beside(one, article, url))
            if is_near and not is_other_story(one, article):
                return stored
        return None

    def _ended_at(self, stored: ArticleRecord) -> datetime | None:
        query = select(changes.c.at).join(articles, articles.c.change == changes.c.change)
        return self._connection.execute(query.where(articles.c.id == stored.id)).scalar()

    def _content_hashes(self, stored: ArticleRecord) -> set[str]:
        hashes = {version.content_hash for version in (stored.article, *stored.older)}
        if stored.id:
            query = select(article_versions.c.content_hash).where(article_versions.c.article == stored.id)
            hashes.update(self._connection.execute(query).scalars())
        return hashes

    def _plausible_canonical(self, article: Article, url: str) -> str | None:
        """The key of the declared canonical URL if it can be that of an article of this site, else None."""
        declared = article.canonical_url
        parts = split_url(declared) if declared and len(declared) <= LONGEST_URL else None
        if declared is None or parts is None or site_of(declared) != site_of(url):
            return None
        if is_home(declared) or HOME_PATH.fullmatch(parts.path):
            return None
        state, _ = self.url_states.get(fingerprint(declared), (None, None))
        return key_of(declared) if state != UrlState.not_article or key_of(declared) == key_of(url) else None

    def _is_taken(self, key: str, article: Article, url: str) -> bool:
        stored = self.by_key.get(key)
        if stored is None or stored.article.content_hash == article.content_hash:
            return False
        if key_of(stored.article.url) == key_of(url) or self.by_fingerprint.get(fingerprint(url)) is stored:
            return False
        return is_other_story(stored.article, article)

    def _move(self, stored: ArticleRecord) -> bool:
        """Gives an article that had another page's URL as its canonical one the key of its own URL, unless that is
        another one's own. Returns whether it has it."""
        key = key_of(stored.article.url)
        holder = self._holder(key)
        if holder is not None and key_of(holder.article.url) == key:
            return False
        self._set_key(stored, key)
        return True

    def _holder(self, key: str) -> ArticleRecord | None:
        """The article that has a key now."""
        if key in self.by_key:
            return self.by_key[key]
        for stored in read_records(self._connection, [key], ()):
            if stored.id not in self.by_id:  # else it had the key before
                self.by_id[stored.id] = self.by_key[key] = stored
                return stored
        return None

    def _set_key(self, stored: ArticleRecord, key: str) -> None:
        """Gives an article a key; another one that has it gets the one that is free then."""
        if stored.key == key:
            return
        holder, before = self._holder(key), stored.key
        del self.by_key[before]
        if holder is not None:
            holder.key, self.by_key[before] = before, holder
            self.moved.append(holder)
        stored.key, self.by_key[key] = key, stored
        self.moved.append(stored)

    def _find(self, own: str, canonical: str | None, article: Article, url: str) -> ArticleRecord | None:
        """The stored article of this extraction. If it had no canonical URL so far, it gets the new key."""
        if canonical is not None and canonical in self.by_key:
            return self.by_key[canonical]
        for stored in (self.by_key.get(own), self.by_fingerprint.get(fingerprint(url))):
            if stored is None or (canonical is not None and stored.key != own):
                continue
            if canonical is None and stored.key == own:
                return stored
            if not is_other_story(stored.article, article):
                if canonical is not None:
                    self.by_key.pop(own)
                    stored.key = canonical
                return stored
        return None


def is_renamed(former: ArticleRecord, present: ArticleRecord, url: str) -> bool:
    """Whether the article that a URL had of its own may be the one that it leads to now, under another URL."""
    if former is present or fingerprint(former.article.url) != fingerprint(url):
        return False
    if former.change_kind == "retracted" or present.change_kind in GONE_KINDS:
        return False
    one, other = former.article, present.article
    is_one = is_same_story(one.url, other.url) or not is_other_story(one, other)
    return is_one and one.site == other.site


def is_another(one: Article, other: Article) -> bool:
    """Whether two pages of one URL are surely of two stories, not of one that was rewritten: neither headline nor text
    is the same."""
    return headline_of(one) != headline_of(other) and is_other_story(one, other)


def has_same_text(first: Article, second: Article, shared: frozenset[str] = frozenset()) -> bool:
    """Whether two fetches of an article have equal headlines and bodies without the `shared` lines of a template."""
    if first.content_hash == second.content_hash:
        return True
    if not shared or letters_and_digits(first.headline or "") != letters_and_digits(second.headline or ""):
        return False
    own, other = (
        "".join(line for line in map(letters_and_digits, article.article_body.splitlines()) if line not in shared)
        for article in (first, second)
    )
    return bool(own) and own == other


def is_other_body(first: str, second: str) -> bool:
    """Whether these are the bodies of two different articles: the share of the shorter one's pairs of neighbouring
    tokens that the other has, too, is low. A missing body proves nothing.

    Pairs, because two articles in one language share most frequent words but hardly a tenth of the pairs; of the
    shorter, because a story that grows through the day stays the same article.
    """
    return _share_little(_token_runs(first, 2), _token_runs(second, 2))


def is_other_story(one: Article, other: Article) -> bool:
    """Whether these are two stories: their bodies are others, or their headlines are and few phrases are in both.

    Reports of one kind (games, weather, courts) share most pairs of words, but not their headlines and sentences.
    """
    if is_other_body(one.article_body, other.article_body):
        return True
    if not one.headline or not other.headline or headline_of(one)[1] == headline_of(other)[1]:
        return False
    return _share_little(_token_runs(one.article_body, PHRASE), _token_runs(other.article_body, PHRASE))


def _is_beside(one: Article, other: Article, url: str) -> bool:
    """Whether texts with one headline, the second one at this URL, stand beside each other as those of a live blog do.

    The page of an entry may show the last entries only. Texts of one length right in the folder of a section are two
    articles: a story and its print.
    """
    is_entry, folder = page_of_entry(one.url) == page_of_entry(url), folder_of(url)
    if not is_entry and folder_of(one.url) != folder:
        return False
    runs, others = (_token_runs(each.article_body, PHRASE) for each in (one, other))
    shared = _share(runs, others)
    if is_entry:
        return shared >= MOST
    shorter, longer = sorted((len(runs), len(others)))
    return shared >= CONTAINED and ("/" in folder or longer >= GROWN * shorter)


def _share_little(runs: set[tuple[str, ...]], others: set[tuple[str, ...]]) -> bool:
    return bool(runs) and bool(others) and _share(runs, others) < MOST


def _share(runs: set[tuple[str, ...]], others: set[tuple[str, ...]]) -> float:
    """The share of the smaller set that the other one has."""
    return len(runs & others) / max(1, min(len(runs), len(others)))


def _token_runs(text: str, length: int) -> set[tuple[str, ...]]:
    """The runs of tokens of a text; of a shorter one all of it."""
    tokens = words_of(text)
    return {tuple(tokens[at : at + length]) for at in range(max(1, len(tokens) - length + 1))} - {()}
