"""A small saved site, written for these tests: lists, articles, a static page, a feed, a page that nothing links to."""

import json
from pathlib import Path

PARAGRAPH = "The harbour council of {} voted on Tuesday to rebuild the old pier before the winter storms come again. "
#: Path of the page -> headline, place, date.
ARTICLES = {
    "2026/pier/index.html": ("Council rebuilds the old pier", "Norden", "2026-03-02T10:00:00+00:00"),
    "2026/ferry.html": ("Ferry runs an hour later", "Langeoog", "2026-03-04T23:30:00+00:00"),
    "2026/only-in-feed/index.html": ("Lighthouse lamp is replaced", "Borkum", "2026-03-06T08:00:00+00:00"),
    "2026/unlinked/index.html": ("A page that nothing leads to", "Juist", "2026-03-07T08:00:00+00:00"),
}


def text_of(place: str) -> str:
    """Five paragraphs, no two alike."""
    times = ("first", "second", "third", "fourth", "fifth")
    return "\n".join(PARAGRAPH.format(place) * 2 + f"It was the {time} vote on it." for time in times)


def write_site(folder: Path) -> Path:
    public = folder / "public"
    addresses = [path.removesuffix("index.html") for path in list(ARTICLES)[:2]]
    links = "".join(f'<li><a href="/{path}">Article at {path}</a></li>' for path in addresses)
    head = "<link rel=alternate type=application/rss+xml href=/feed.xml>"
    menu = "<p><a href=/>Home</a> <a href=/archive/>Archive</a> <a href=/about/>About us</a></p>"
    pages = {
        "index.html": f"<title>The Gazette</title>{head}{menu}<ul>{links}</ul>",
        "archive/index.html": f"<title>Archive</title>{menu}<ul>{links}</ul>",
        "about/index.html": f"<title>About us</title>{menu}<h1>About us</h1><p>We are the paper of the coast.</p>",
    }
    for path, (title, place, date) in ARTICLES.items():
        body = "".join(f"<p>{line}</p>" for line in text_of(place).split("\n"))
        time = f'<time datetime="{date}">{date[:10]}</time>'
        pages[path] = f"<title>{title}</title>{menu}<article><h1>{title}</h1>{time}{body}</article>"
    link = "<link>http://SITE.invalid/2026/only-in-feed/</link>"
    pages["feed.xml"] = f"<rss version='2.0'><channel><title>Gazette</title><item>{link}</item></channel></rss>"
    for path, html in pages.items():
        (public / path).parent.mkdir(parents=True, exist_ok=True)
        (public / path).write_text(html)
    rows = [
        {"path": path, "url": f"/{path}", "title": title, "date": date, "text": text_of(place)}
        for path, (title, place, date) in ARTICLES.items()
    ]
    kinds = {"index.html": "list", "archive/index.html": "list", "about/index.html": "page"}
    others = [{"path": path, "url": f"/{path}", "kind": kind} for path, kind in kinds.items()]
    for name, lines in (("gold.jsonl", rows), ("pages.jsonl", others)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder
