"""Lines taken out of a stored article, when its site shows that they are furniture."""

from collections.abc import Container
from dataclasses import replace
from typing import Any

import turbohtml
from turbohtml import Element

from newsextract.items import Article
from newsextract.site_profile.summary import hash_of
from newsextract.text import letters_and_digits
from newsextract.urls import content_hash

#: Elements that may be a line by themselves, and those that are nothing without their lines.
LINES = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "div", "dd", "dt", "blockquote", "pre")
HOLDERS = ("ul", "ol", "dl", "blockquote", "div", "figure")


def without_lines(article: Article, keys: Container[int]) -> Article | None:
    """The article without the lines that have one of these hashes (`summary.hash_of`), in its text and its HTML.

    None if it has none of them, or no other line.
    """
    lines = article.article_body.split("\n")
    kept = [line for line in lines if hash_of(letters_and_digits(line)) not in keys]
    if len(kept) == len(lines) or not any(map(letters_and_digits, kept)):
        return None
    body, html = "\n".join(kept), article.article_body_html
    return replace(
        article,
        article_body=body,
        article_body_html=html and _html_without({*lines} - {*kept}, html),
        content_hash=content_hash(article.headline, body),
    )


def _html_without(lines: set[str], html: str) -> str:
    root: Any = turbohtml.parse_fragment(html, "div", positions=False)
    folded = {*map(letters_and_digits, lines)}
    for element in [*root.iter_elements(LINES)]:
        if letters_and_digits(element.text) in folded:
            holder = element.parent
            element.decompose()
            while isinstance(holder, Element) and holder.tag in HOLDERS and not holder.text.strip():
                element, holder = holder, holder.parent
                element.decompose()
    inner: str = root.inner_html
    return inner
