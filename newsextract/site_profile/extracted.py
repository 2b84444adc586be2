"""What is extracted from a page: its article, with what the site and the store get to know about it."""

from dataclasses import dataclass, field

from newsextract.items import Article
from newsextract.near_duplicates import Signature
from newsextract.site_profile.decision import Decision
from newsextract.site_profile.placeholders import PLACEHOLDER
from newsextract.site_profile.summary import PageSummary


@dataclass(slots=True)
class ExtractedArticle(Article):
    """An article, or a page that isn't one, from the worker that reads it to the transaction that stores it.

    `summary`: of the page, None if it was read without its site; `decision`: on it, by a profile of `known` pages;
    `text_confidence`: the extractor's; `compared_with`: URL of the peer; `shared`: letters and digits of the lines that
    the page has in common with the peer, if asked for; `signature`: of the text, for near-duplicates; `body_rows`: the
    numbers of the blocks of the body, not sent to the crawl.
    """

    summary: PageSummary | None = field(default=None, repr=False, compare=False)
    decision: Decision | None = field(default=None, repr=False, compare=False)
    known: int = field(default=0, compare=False)
    text_confidence: float | None = field(default=None, compare=False)
    compared_with: str | None = field(default=None, compare=False)
    shared: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    signature: Signature | None = field(default=None, repr=False, compare=False)
    body_rows: list[int] = field(default_factory=list, repr=False, compare=False)

    @property
    def retracts(self) -> bool:
        """Whether what was stored of the page before isn't an article either: the page was one only by itself."""
        was_article = self.summary is not None and self.summary.reason is None
        return was_article and not self.is_article and self.not_article_because != PLACEHOLDER
