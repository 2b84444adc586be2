"""Pages as frameworks serve them that render the article in the browser: an empty frame, and the article as data."""

import json
from html import escape
from itertools import pairwise

HEADLINE = "Ferry to the islands runs again after the storm"
PARAGRAPHS = (
    "The ferry between the harbour and the islands runs again from Monday, the shipping company said on Friday.",
    "It had been out of service for three weeks because the storm had torn away the landing stage in the north.",
    "About 400 people live on the islands all year round; supplies had been brought by a fishing boat meanwhile.",
    "“We are glad that the children can go to school again,” said the mayor, who had asked the state for help.",
    "The new landing stage cost 1.2 million and is to last thirty years, according to the engineers who built it.",
)
OTHER = (
    "The old lighthouse keeper has told his story in a book that will be presented in the town hall next week.",
    "Visitors may climb the tower on Sundays from ten to four, as long as the weather allows it, the society says.",
    "For many years nobody had cared for the building, and the paint had come off its walls in the salty wind.",
)
TEXT = "\n".join(PARAGRAPHS)
HTML = "".join(f"<p>{escape(one, quote=False)}</p>" for one in PARAGRAPHS)
URL = "https://example.org/news/ferry-runs-again"


def frame(scripts: str, *, shown: str = "", head: str = "") -> str:
    """A page with these scripts, and with what it shows."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{HEADLINE} | Island Post</title>'
        f'<meta property="og:title" content="{HEADLINE}"><meta property="og:type" content="article">{head}</head>'
        f'<body><div id="root">{shown}</div>{scripts}</body></html>'
    )


def script(code: str, **attributes: str) -> str:
    return f"<script{''.join(f' {name}={value!r}' for name, value in attributes.items())}>{code}</script>"


def json_script(value: object, **attributes: str) -> str:
    return script(json.dumps(value), type="application/json", **attributes)


def next_data(value: object) -> str:
    return json_script(value, id="__NEXT_DATA__")


def json_ld(value: object) -> str:
    return script(json.dumps(value), type="application/ld+json")


def works() -> dict[str, object]:
    """The article and another one, as most systems keep them."""
    return {
        "article": {
            "title": HEADLINE,
            "slug": "ferry-runs-again",
            "publishedAt": "2026-03-04T08:30:00Z",
            "author": {"name": "Ada Martin"},
            "section": {"name": "Islands"},
            "image": {"url": "https://example.org/ferry.jpg"},
            "content": [{"type": "paragraph", "text": one} for one in PARAGRAPHS],
        },
        "related": [{"title": "The lighthouse keeper's book", "slug": "keeper", "content": " ".join(OTHER)}],
    }


def flight_page() -> str:
    """Rows of React Flight: the layout, a text row of HTML, elements that refer to it; pushed in pieces."""

    def element(tag: str, **props: object) -> list[object]:
        return ["$", tag, None, props]

    other = element("$L7", items=[{"title": "Keeper", "href": "/keeper", "text": OTHER[0]}])
    body = element("article", className="body", dangerouslySetInnerHTML={"__html": "$5"})
    main = element("main", children=[element("h1", children=HEADLINE), body, other])
    text = f"5:T{len(HTML.encode()):x},{HTML}"
    layout = json.dumps(element("html", children="$L2"))
    rows = f'0:{layout}\n{text}2:{json.dumps(main)}\n7:I[12,["a.js"],"List"]\n'
    pieces = (rows[start:end] for start, end in pairwise((0, 70, 400, len(rows))))
    pushes = (json.dumps([1, piece]).replace("</", "<\\/") for piece in pieces)
    boot = script("(self.__next_f=self.__next_f||[]).push([0])")
    return frame(boot + "".join(script(f"self.__next_f.push({push})") for push in pushes))


def indexed(value: object, *before: object) -> list[object]:
    """A value as devalue writes it: every member an index into one list, after `before`."""
    values: list[object] = list(before)

    def add(one: object) -> int:
        place = len(values)
        values.append(None)
        if isinstance(one, dict):
            values[place] = {name: add(member) for name, member in one.items()}
        elif isinstance(one, list):
            values[place] = [add(member) for member in one]
        else:
            values[place] = one
        return place

    add(value)
    return values


_STATE = json.dumps(works()).replace("</", "<\\/")
_NUXT = (
    'window.__NUXT__=(function(a,b,c){b.title=a;b.body=c;return {layout:"default",data:[{article:b}],error:void 0}}'
    f'({json.dumps(HEADLINE)},{{slug:"ferry-runs-again"}},{json.dumps(HTML).replace("</", chr(92) + "u003C/")}));'
)
_SVELTE = (
    "{ __sveltekit_1 = {base: new URL('.', location).pathname};\n"
    "import('./app.js').then(([kit, app]) => { kit.start(app, element, {node_ids: [0, 2], data: [null, "
    f"{{type:'data',data:{{post:{{title:{HEADLINE!r},html:{HTML!r}}}}},uses:{{}}}}]}}) }}) }}"
)

_ARC = {
    "headlines": {"basic": HEADLINE},
    "canonical_url": "/news/ferry-runs-again",
    "content_elements": [{"type": "text", "content": one} for one in PARAGRAPHS],
}
_FETCHED = json.dumps({"status": 200, "body": json.dumps(works())})
#: Source -> a page whose article is only in data of that source.
PAGES: dict[str, str] = {
    "json-ld": frame(json_ld({"@type": "NewsArticle", "headline": HEADLINE, "articleBody": TEXT})),
    "next-data": frame(next_data({"props": {"pageProps": works()}})),
    "next-flight": flight_page(),
    "nuxt": frame(script(_NUXT)),
    "sveltekit": frame(script(_SVELTE)),
    "remix": frame(script(f'window.__remixContext = {{"state":{{"loaderData":{{"routes/$slug":{_STATE}}}}}}};')),
    "redux": frame(script(f"window.__PRELOADED_STATE__ = JSON.parse({json.dumps(json.dumps(works()))});")),
    "arc": frame(script(f"window.Fusion=window.Fusion||{{}};Fusion.globalContent={json.dumps(_ARC)};Fusion.id='1';")),
    "script": frame(script(f"window.appData = {_STATE};")),
    "angular": frame(json_script({"G.json": {"b": works()}}, id="ng-state")),
}
#: Source and page: also of Nuxt 3, and of what SvelteKit fetched.
FORMATS = [
    *PAGES.items(),
    ("nuxt", frame(json_script(indexed(works(), ["ShallowReactive", 1]), id="__NUXT_DATA__"))),
    ("sveltekit", frame(f'<script type="application/json" data-sveltekit-fetched data-url="/a">{_FETCHED}</script>')),
]
