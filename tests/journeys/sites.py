"""Three small sites as real ones are built: a blog of WordPress, a newsroom with sections and feeds, and an app whose
pages are empty frames with the article as data, which a script renders."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tests.crawling import STORY, Answer, Web, article

PLACES = ("Alnes", "Borg", "Dale", "Eide", "Fana", "Grue")
TAGS = ("harbour", "council", "ferry", "county")
FIRST_DAY = datetime(2026, 3, 2, 8, tzinfo=UTC)
XML = "application/rss+xml; charset=utf-8"


@dataclass
class JourneySite:
    """A site whose stories can be edited, deleted and added; `publish` puts all of its pages on the server."""

    web: Web
    kind: str
    #: Headline and text by place.
    stories: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place in PLACES:
            self.add(place)

    def add(self, place: str) -> None:
        self.stories[place] = (f"The old pier of {place} will be rebuilt", STORY.format(place=place))
        self.publish()

    def edit(self, place: str, line: str) -> None:
        headline, text = self.stories[place]
        self.stories[place] = (headline, f"{text}\n{line}")
        self.publish()

    def delete(self, place: str) -> None:
        del self.stories[place]
        del self.web.pages[self.path(place)]
        self.publish()

    def path(self, place: str) -> str:
        slug = f"the-old-pier-of-{place.lower()}-will-be-rebuilt"
        return f"/2026/03/{slug}/" if self.kind == "blog" else f"/news/{slug}-{1000 + len(place)}.html"

    def url(self, place: str) -> str:
        return f"{self.web.url}{self.path(place)}"

    def publish(self) -> None:
        """The pages, lists and feeds for the stories as they are."""
        links = "".join(
            f"<article><h2><a href='{self.path(place)}'>{headline}</a></h2><p>{text[:90]} …</p></article>"
            for place, (headline, text) in reversed(self.stories.items())
        )
        tags = "".join(f"<a rel=tag href='/tag/{tag}/'>{tag.title()}</a> " for tag in TAGS)
        lists = {f"/tag/{tag}/": f"/tag/{tag}/feed/" for tag in TAGS}
        lists |= {f"/category/{name}/": f"/category/{name}/feed/" for name in ("news", "people")}
        for path, feed in lists.items():
            self.web[path] = self.page(path.strip("/"), f"<main>{links}</main>{tags}", feed)
            self.web[feed] = self.feed(path)
        self.web["/"] = self.page("The Gazette", f"<main>{links}</main>{tags}", "/feed/")
        self.web["/feed/"] = self.feed("The Gazette")
        self.web["/about/"] = self.page("About", "<main><p>Who we are and how to reach us.</p></main>", "/feed/")
        for place, (headline, text) in self.stories.items():
            self.web[self.path(place)] = self.story(place, headline, text, tags)

    def page(self, title: str, body: str, feed: str, article: dict[str, object] | None = None) -> str:
        """A page with its head and menu; the app's has only data."""
        head = f"<title>{title}</title><link rel=alternate type='application/rss+xml' href='{feed}'>"
        if self.kind == "app":
            props = {"article": article} if article else {"html": body}
            data = json.dumps({"props": {"pageProps": props}}).replace("</", "<\\/")
            script = f"<script id=__NEXT_DATA__ type='application/json'>{data}</script>"
            return f"<!doctype html><html lang=en><head>{head}</head><body><div id=__next></div>{script}</body></html>"
        menu = "".join(f"<li><a href='/category/{name}/'>{name.title()}</a></li>" for name in ("news", "people"))
        return (
            f"<!doctype html><html lang=en><head>{head}</head><body><nav><ul><li><a href='/'>Home</a></li>{menu}"
            f"<li><a href='/about/'>About us</a></li></ul></nav>{body}<footer>The Gazette</footer></body></html>"
        )

    def story(self, place: str, headline: str, text: str, tags: str) -> str:
        """The blog's pages show no date: only its feed has it. Each has an address for printing."""
        paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines())
        canonical = f"<link rel=canonical href='{self.url(place)}'>"
        if self.kind == "newsroom":
            at = (FIRST_DAY + timedelta(days=PLACES.index(place) if place in PLACES else 9)).isoformat()
            page = article(headline, place, date=at, head=canonical)
            start = page.index("<p>")
            return page[:start] + paragraphs + page[page.index("</article>") :].replace("</body>", f"{tags}</body>")
        if self.kind == "app":
            body = [{"type": "paragraph", "text": line} for line in text.splitlines()]
            return self.page(headline, "", "/feed/", {"headline": headline, "body": body})
        copy = f"<a href='{self.path(place)}?print=1'>Print</a>"
        body = f"<article><h1>{headline}</h1>{paragraphs}</article><p>{copy}</p><p>{tags}</p>"
        feed = f"{self.path(place)}feed/"
        self.web[feed] = Answer("<rss version='2.0'><channel/></rss>", content_type=XML)
        page = self.page(headline, body, feed).replace("</head>", f"{canonical}</head>")
        self.web[f"{self.path(place)}?print=1"] = page
        return page

    def feed(self, title: str) -> Answer:
        items = "".join(
            f"<item><title>{headline}</title><link>{self.url(place)}</link><description>What the council of {place} "
            f"decided.</description><pubDate>{format_datetime(FIRST_DAY + timedelta(days=number))}</pubDate></item>"
            for number, (place, (headline, _)) in enumerate(self.stories.items())
        )
        return Answer(f"<rss version='2.0'><channel><title>{title}</title>{items}</channel></rss>", content_type=XML)
