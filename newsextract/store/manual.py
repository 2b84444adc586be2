"""The fields of an article that were corrected by hand, and the article of a page with them kept."""

from dataclasses import replace

from newsextract.items import Article
from newsextract.urls import content_hash

#: The source of a field that was corrected by hand.
MANUAL = "manual"


def manual_fields(article: Article) -> tuple[str, ...]:
    """The fields that were corrected by hand."""
    return tuple(name for name, source in article.sources.items() if source == MANUAL)


def with_manual_fields(stored: Article, extracted: Article) -> Article:
    """What was extracted, with the fields that were corrected by hand in the stored article."""
    names = manual_fields(stored)
    if not names:
        return extracted
    kept = {name: getattr(stored, name) for name in names}
    if "is_article" in names:
        kept["not_article_because"] = stored.not_article_because
    sources = {**extracted.sources, **dict.fromkeys(names, MANUAL)}
    return recounted(replace(extracted, **kept, sources=sources))


def recounted(article: Article) -> Article:
    """The article with the content hash of its present headline and text."""
    return replace(article, content_hash=content_hash(article.headline, article.article_body))
