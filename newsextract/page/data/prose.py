"""Strings in a page's data: how much prose they have, their plain text, and their paragraphs as HTML."""

import re
from html import escape
from html import unescape as unescape_html
from typing import Any

import turbohtml

from newsextract.language.sentences import CLOSING_MARKS, END_MARKS, ends_sentence
from newsextract.text import EAST_ASIAN, SHORT_LINE, TAG

#: Longest text that is read as Markdown.
MAX_MARKDOWN = 200_000
KNOWN_TAG = re.compile(
    r"</?(?:p|br|div|span|a|b|strong|em|i|u|h[1-6]|ul|ol|li|blockquote|figure|img|table|section|sup|sub)\b[^<>]*>", re.I
)
ESCAPED_TAG = re.compile(r"&(?:amp;)?lt;/?(?:p|br|div|span|a|b|strong|em|i|h[1-6]|ul|li)\b", re.I)
ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|[a-z]\w{1,20});", re.I)
MARKDOWN = re.compile(r"^#{1,6} \S|\]\(https?://|\*\*\w[^*\n]{0,80}\*\*|^[*-] \S.*\n[*-] \S", re.M)
#: Signs that a parser of Markdown takes one by one, and their greatest share of a text that is still read as Markdown.
MARKS = "*_`[]<!"
MAX_MARKS = 1 / 8
#: What code and keys have, other than prose: words separated by spaces, and sentences that end.
CODE = (*"{}=;|\\", "://")
MIN_EAST_ASIAN_PROSE = 20


def prose_size(text: str) -> int:
    """Characters of prose in a string of a page's data; 0 for URLs, code, styles and short texts."""
    if len(text) < MIN_EAST_ASIAN_PROSE or (text.isascii() and (len(text) < SHORT_LINE or " " not in text)):
        return 0
    if "<" in text and KNOWN_TAG.search(text):
        plain = TAG.sub(" ", text)
    elif "&" in text and ESCAPED_TAG.search(text):
        plain = TAG.sub(" ", unescape_html(unescape_html(text)))
    else:
        plain = text
    head = plain.strip()
    size = len(head)
    if size < SHORT_LINE and not (size >= MIN_EAST_ASIAN_PROSE and EAST_ASIAN.search(head)):
        return 0
    sample = " ".join(unescape_html(unescape_html(head[:4_000])).split())[:2_000]
    if not sample:
        return 0
    code = sum(map(sample.count, CODE))
    if not sample.isascii() and EAST_ASIAN.search(sample):
        return 3 * size if code < len(sample) / 20 else 0
    words = sample.count(" ") + 1
    if not 3 <= len(sample) / words <= 14 or code > len(sample) / 40:
        return 0
    is_prose = sample[-1] in CLOSING_MARKS or ends_sentence(sample) or any(f"{mark} " in sample for mark in END_MARKS)
    return size if is_prose else 0


def plain_text(text: str) -> str:
    """The text of a string of HTML or plain text, on one line."""
    if "&" in text and ENTITY.search(text):
        text = unescape_html(text)
    return " ".join(TAG.sub(" ", text).split())


def text_to_html(text: str) -> str:
    """A string of HTML (escaped or not), Markdown or plain text as HTML paragraphs."""
    for _ in range(2):
        if ESCAPED_TAG.search(text) and not KNOWN_TAG.search(text):
            text = unescape_html(text)
    if "<" in text and KNOWN_TAG.search(text):
        html = balanced(text)
        return html if re.search(r"<(?:p|div|h[1-6]|li|section)\b", html) else paragraph(html)
    if len(text) <= MAX_MARKDOWN and MARKDOWN.search(text) and sum(map(text.count, MARKS)) <= MAX_MARKS * len(text):
        return _markdown(text)
    for _ in range(3):
        text = unescape_html(text) if "&" in text and ENTITY.search(text) else text
    return "".join(map(paragraph, map(str.strip, escape(text, quote=False).split("\n"))))


def balanced(html: str) -> str:
    """HTML with every element closed, so that what follows it stays outside."""
    root: Any = turbohtml.parse_fragment(html, "div", positions=False)
    inner: str = root.inner_html
    return inner


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt

    return balanced(str(MarkdownIt("commonmark").render(text)))


def paragraph(html: str) -> str:
    return f"<p>{html}</p>" if html.strip() else ""
