"""Pages written for these tests: two of an English template, two of a Chinese one cut by `br`, and hostile ones."""

import tomllib
from hashlib import sha256
from pathlib import Path

from newsextract import EXTRACTORS, Page

NAVIGATION = "".join(f'<li><a href="/{name}">{name.title()}</a></li>' for name in "home politics sport weather".split())
FOOTER = '<div class="footer"><p><a href="/about">About us</a> <a href="/terms">Terms of use</a></p></div>'
MARKER = "NEVERSHOWN"
HIDDEN = (
    f"<script>var a = '{MARKER}, one.';</script><style>p {{ content: '{MARKER}' }}</style>"
    f"<div hidden><p>{MARKER}, two.</p></div><p style='display:none'>{MARKER}, three.</p><noscript>{MARKER}</noscript>"
)

#: Paragraphs of articles.
BRIDGE, HARVEST, WATER, LIBRARY, WALL = (
    tuple(lines) for lines in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).values()
)


def broadsheet(title: str, paragraphs: tuple[str, ...]) -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f"<html><head><title>{title} - The Valley Post</title></head><body><ul>{NAVIGATION}</ul>"
        f"{HIDDEN}<div class='story'><h1>{title}</h1>{body}</div><ul>{NAVIGATION}</ul>{FOOTER}</body></html>"
    )


def portal(title: str, paragraphs: tuple[str, ...]) -> str:
    body = "<br><br>".join("\u3000\u3000" + text for text in paragraphs)
    links = "".join(f'<td><a href="/{i}">频道{i}</a></td>' for i in range(12))
    return (
        f"<html><head><title>{title}</title></head><body><table><tr>{links}</tr></table>"
        f'<table><tr><td><h1>{title}</h1></td></tr><tr><td><div id="content">{body}</div></td></tr></table>'
        f"<table><tr>{links}</tr></table></body></html>"
    )


ENGLISH = broadsheet("Old bridge to close on Monday", BRIDGE)
ENGLISH_PEER = broadsheet("Best harvest for twenty years", HARVEST)
CHINESE = portal("三座水厂明年投入使用", WATER)
CHINESE_PEER = portal("市图书馆新馆开放", LIBRARY)
PIECES = "".join(
    f"<p>{text.replace(' the ', ' <a href=x>the</a> ').replace(' and ', ' <font>and</font> ')}</p>" for text in BRIDGE
)

#: A menu of links, paragraphs of different lengths, and both as a page.
MENU = "<ul>" + "".join(f"<li><a href=/{n}>Menu item {n}</a></li>" for n in range(15)) + "</ul>"
TEXTS = [f"Paragraph {n}, of the story, {'goes on, ' * n}and ends." for n in (3, 8, 5, 12, 4)]


def story(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts or TEXTS)


def between_menus(html: str) -> str:
    return f"<body>{MENU}<div>{html}</div>{MENU}</body>"


def digest() -> str:
    """A hash of what all extractors make of two pages, for other processes to compare."""
    outputs = [
        f"{name}\n{extraction.text}\n{[round(score, 9) for score in extraction.scores.tolist()]}"
        for name, extractor in EXTRACTORS.items()
        for html in (ENGLISH, PIECES)
        for extraction in [extractor()(Page(html), Page(ENGLISH_PEER))]
    ]
    return sha256("\n".join(outputs).encode()).hexdigest()


#: Name -> page; each makes one kind of quadratic or recursive implementation take far longer than the rest.
HOSTILE = {
    "siblings": "<div>" + "<p>One of very many, all alike.</p>" * 5000 + "</div>",
    "links": "<div>" + "<a href=x>One of many</a> " * 5000 + "</div>",
    "lines": "<div>" + "one, two<br>" * 5000 + "</div>",
    "one text": "<p>" + "word, " * 50_000 + "</p>",
    "blanks": "<p>" + "word, " * 50_000 + "<b> </b>" * 5000 + "</p>",
    "one word": "<p>" + "x" * 250_000 + "</p>",
    "one chinese text": "<p>" + WATER[0] * 1500 + "</p>",
    "topics": "".join(f"<p>alpha{i} beta{i} gamma{i}, delta{i}.</p>" * 4 for i in range(750)),
    "paths": "".join(f"<t{i}><p>In a tag of its own, number {i}.</p></t{i}>" for i in range(750)),
    "depth": "<div>" * 900 + "".join(f"<p>At depth, {i}.</p></div>" for i in range(900)),
    "tables": "<table>" + "<tr><td>1</td><td>two, three</td></tr>" * 2000 + "</table>",
}
