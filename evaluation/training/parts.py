"""Data augmentation: parts of an article, and of others, between its paragraphs, with labels of their own.

They are made fragments (`evaluation.fragments`) of the kinds and languages that aren't left out, and boxes whose
elements are drawn, so that no list of kinds is learned by heart: prose, which is the article's, and widgets, which
aren't. Most texts are those of other pages. The gold of a page doesn't have them, so each says in an attribute what it
is.
"""

import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import etree
from turbohtml.etree import ElementView

from evaluation.fragments import NAMINGS, RULES, class_names, kinds_to_fit, languages_to_fit, made_fragment
from newsextract.files import package_data
from newsextract.page.blocks import Blocks

#: The attribute that says whether a part is the article's: a rule of `fragments`, then the kind.
LABEL = "data-part"
ELEMENT = re.compile(r"<(\w+)")
#: Parts of a page; probabilities that a part is a made fragment, and that its texts are another page's.
PARTS = (2, 3, 4, 6)
MADE = 0.65
#: Probability of a part behind the last paragraph, and before the first.
AT_END = 0.7
AT_BEGIN = 0.3
#: Probability that a made fragment is one of `grafts.toml`.
BY_HAND = 0.25
OF_PAGES = 0.6
#: Probability that what is drawn among the paragraphs is links to other sites behind a colon.
REFERENCES = 0.05
#: Probability that a list, table or quotation stands in no box; how such a widget begins.
BARE = 0.6
BARE_UNIT = re.compile("<(?:ul|ol|table|dl|blockquote)")
#: Words of a sentence, a heading and an item made of another page's text, at most.
MAX_SENTENCE = 30
MAX_HEADING = 7
MAX_ITEM = 5
#: Classes of drawn boxes: they name nothing.
CLASSES = ("box", "module", "inner", "row", "block", "text", "content", "wrap", "c-1", "panel", "entry", "part", "note")
#: Classes of boxes that hold the article's own paragraphs nevertheless.
MISLEADING = (
    "paywall", "paywall-content", "js-paywall", "premium", "premium-content", "subscriber-only", "subscribers",
    "piano-content", "metered", "locked", "members-only", "ads-free", "promo-text", "article-ad-free", "expandable",
    "teaser-text", "content-gate", "login-required", "related-text", "newsletter-body", "box", "col-2", "text-block",
)  # fmt: skip
#: Elements around some of the article's paragraphs, and those within them.
WRAPPERS = ("div", "div", "div", "section", "table", "table", "ul", "blockquote")
CELLS = {"table": ("tr", "td"), "ul": ("li",)}
HEADINGS = ("h2", "h3", "h4", "h5", "strong", "b", "p", "div", "")
#: Hosts of social networks and stores, where a widget's links lead; paths of the site and of others.
SOCIAL = ("https://t.me/m", "https://x.com/m", "https://www.facebook.com/m", "https://whatsapp.com/channel/m",
          "https://news.google.com/m", "https://apps.apple.com/app/m", "https://www.instagram.com/m")  # fmt: skip
HREFS = ("/a/1", "/plus", "#more", "https://shop.example.org/1", "/news/2026/05/a-story", "mailto:desk@paper.example")

Texts = dict[str, list[str]]


def add_parts(places: Sequence[Any], lines: Sequence[str], chance: random.Random) -> dict[str, str]:
    """Marks some of these elements as places of parts; place -> HTML of its part. `lines`: other pages' text."""
    found = {}
    chosen = [(place, "middle") for place in chance.sample(places, min(len(places), chance.choice(PARTS)))]
    if chance.random() < AT_END:
        chosen.append((places[-1], "end"))
    if chance.random() < AT_BEGIN:
        chosen.append((places[0], "begin"))
    for number, (place, where) in enumerate(chosen):
        mark = etree.Element(f"part-{number}")
        (place.addprevious if where == "begin" else place.addnext)(mark)
        rule, kind, html = _part(lines, where, chance)
        found[f"<{mark.tag}></{mark.tag}>"] = ELEMENT.sub(rf'<\1 {LABEL}="{rule} {kind}"', html)
    return found


def wrap_paragraphs(places: Sequence[Any], chance: random.Random) -> None:
    """Puts some paragraphs of the article that follow each other into a box, whatever its class says."""
    start = chance.randrange(len(places))
    chosen = [place for place in places[start : start + chance.choice((1, 2, 2, 3))] if place.tag == "p"]
    if not chosen or any(place.getparent() is not chosen[0].getparent() for place in chosen):
        return
    name = chance.choice(MISLEADING)
    box = inner = etree.Element(chance.choice(WRAPPERS), {LABEL: "keep wrapped"})
    if box.tag in CELLS:
        for tag in CELLS[box.tag]:
            inner.append(inner := etree.Element(tag))
    if (naming := chance.choice(NAMINGS)) != "none":
        box.set("class", name if naming != "hashed" else f"css-{zlib.crc32(name.encode()):08x}")
    chosen[0].addprevious(box)
    for place in chosen:
        inner.append(place)


def labels_of_parts(blocks: Blocks) -> NDArray[np.float64]:
    """(blocks,) 1 and 0 in parts that are the article's and that aren't, nan elsewhere."""
    found = np.full(len(blocks), np.nan)
    for number, node in enumerate(blocks.nodes):
        if rule := node.attr(LABEL):
            found[slice(*blocks.spans[number].tolist())] = rule.startswith("keep")
    return found


def is_place(element: ElementView) -> bool:
    """Whether a part may stand behind an element: in a flow of paragraphs."""
    return element.getparent() is not None and element.tag in ("p", "div", "h2", "h3", "ul", "blockquote", "figure")


def _part(lines: Sequence[str], where: str, chance: random.Random) -> tuple[str, str, str]:
    """The rule, the kind and the HTML of a part for a place: "begin", "middle" or "end"."""
    texts, rule = _texts(lines, chance), chance.choice(RULES)
    if chance.random() >= MADE:
        if where == "middle" and rule == "keep" and chance.random() < REFERENCES:
            return rule, "drawn", _references(texts, _attributes(chance)[1], chance)
        return rule, "drawn", chance.choice((_prose, _prose, _unit) if rule == "keep" else (_widget,))(texts, chance)
    if where != "begin" and chance.random() < BY_HAND:
        return rule, "by hand", str(chance.choice(package_data("evaluation", "grafts.toml")[rule])["html"])
    kinds = kinds_to_fit(rule)
    if where == "begin":
        kinds = [kind for kind in kinds if where in kind.get("places", ())] or kinds
    kind = chance.choice(kinds)
    own = texts if chance.random() < OF_PAGES else None
    return rule, kind["kind"], made_fragment(rule, kind, chance.choice(languages_to_fit()), chance, texts=own).html


def small_page(lines: Sequence[str], chance: random.Random) -> tuple[str, str]:
    """HTML and text of an article on a small page: other pages' paragraphs in plain markup."""
    paragraphs = [line.strip() for line in chance.sample(lines, min(len(lines), chance.choice((3, 5, 7, 10))))]
    headline, *labels = (" ".join(chance.choice(lines).split()[: chance.choice((3, 6, 9))])[:80] for _ in range(6))
    name = chance.choice(("", "", " class=text", " class=css-1k2j3"))
    tag = chance.choice(("p", "p", "p", "div"))
    begin, end = chance.choice(
        (("", ""),) * 8 + (("<table><tr><td>", "</td></tr></table>"), ("<ul><li>", "</li></ul>"))
    )
    body = "".join(f"{begin}<{tag}{name}>{escape(text, quote=False)}</{tag}>{end}" for text in paragraphs)
    head, *labels = (escape(text, quote=False) for text in (headline, *labels))
    links = "".join(f"<li><a href='/{number}'>{label[:20]}</a></li>" for number, label in enumerate(labels))
    side = "".join(f"<div class=item><a href='/s{number}'>{label}</a></div>" for number, label in enumerate(labels[:3]))
    title = f"<html><head><title>{head}</title></head><body>"
    page = chance.choice(
        (
            f"<header><nav><ul>{links}</ul></nav></header><main><article><h1>{head}</h1>{body}</article></main>"
            f"<footer><p>© {labels[0][:20]}</p></footer>",
            f"<div id=top><ul class=menu>{links}</ul></div><div class=main><h1>{head}</h1>{body}</div>"
            f"<div class=side>{side}</div><div class=foot>© {labels[0][:20]}</div>",
            f"<h1>{head}</h1>{body}",
        )
    )
    return title + page + "</body></html>", "\n".join(paragraphs)


def _texts(lines: Sequence[str], chance: random.Random) -> Texts:
    """Texts of a fragment that are another page's, as in `fragments.toml`."""

    def cut(most: int, count: int, least: int = 2) -> list[str]:
        found = []
        for _ in range(count):
            line = chance.choice(lines)
            words = line.split()
            size = chance.randint(least, most)
            start = chance.randrange(max(1, len(line) - 6 * size))
            found.append(" ".join(words[:size]) if len(words) > 4 else line[start : start + 3 * size])
        return [escape(text[:200], quote=False) for text in found]

    sentences = [f"{text.rstrip('.,;:')}{'' if text[-1:] in '.!?。！？' else '.'}" for text in cut(MAX_SENTENCE, 8, 5)]
    questions = [f"{text.rstrip('.,;:?')}?" for text in cut(MAX_HEADING + 4, 2)]
    names = [" ".join(word.capitalize() for word in text.split()) for text in cut(2, 3)]
    return {
        "sentences": sentences, "questions": questions, "headings": cut(MAX_HEADING, 2), "items": cut(MAX_ITEM, 4),
        "names": names, "labels": cut(4, 6, 1),
    }  # fmt: skip


def _attributes(chance: random.Random) -> tuple[str, str]:
    """The class attributes of a drawn box and of what it repeats."""
    names = class_names(chance.sample(CLASSES, 3), chance.choice(NAMINGS), chance)
    own, inner = (f' class="{names[slot]}"' if names[slot] else "" for slot in "cd")
    return own, inner


def _wrapped(html: str, own: str, chance: random.Random) -> str:
    """A box with this content, perhaps with elements between."""
    for _ in range(chance.choice((0, 0, 1, 2))):
        html = f"<div>{html}</div>"
    outer = chance.choice(("div", "div", "div", "section", "aside"))
    return f"<{outer}{own}>{html}</{outer}>"


def _heading(texts: Texts, chance: random.Random) -> str:
    tag = chance.choice(HEADINGS)
    return f"<{tag}>{chance.choice(texts['headings'])}</{tag}>" if tag else ""


# ---- the article's ---------------------------------------------------------------------------------------------------


def _prose(texts: Texts, chance: random.Random) -> str:
    """HTML of a box of prose: a heading or none, then lines, lists and boxes in elements that are drawn."""
    own, inner = _attributes(chance)
    tag = chance.choice(("p", "p", "div", "li"))
    lines = [*_lines(texts, chance)]
    if tag == "li":
        listed = chance.choice(("ul", "ol"))
        body = f"<{listed}>{''.join(f'<li>{line}</li>' for line in lines)}</{listed}>"
    elif chance.random() < 0.3:
        body = "".join(f"<div{inner}><{tag}>{line}</{tag}></div>" for line in lines)
    elif chance.random() < 0.2:
        body = f"<{tag}>{'<br>'.join(lines)}</{tag}>"
    else:
        body = "".join(f"<{tag}{inner}>{line}</{tag}>" for line in lines)
    if chance.random() < 0.2:
        items = chance.sample(texts["items"], 3)
        body += f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    heading = _heading(texts, chance)
    if heading and chance.random() < 0.15:  # a heading before the box goes with it
        return f"<h3>{chance.choice(texts['headings'])}</h3>" + _wrapped(body, own, chance)
    return _wrapped(heading + body, own, chance)


def _unit(texts: Texts, chance: random.Random) -> str:
    """HTML of a list, a table, definitions, a quotation or questions of the article, bare or in a box."""
    own, inner = _attributes(chance)
    html = chance.choice(UNITS)(texts, inner, chance)
    if html.startswith("<p>"):
        return html
    before = f"<{(tag := chance.choice(('h3', 'h4', 'p')))}>{chance.choice(texts['headings'])}</{tag}>"
    if chance.random() < BARE:
        return (before if chance.random() < 0.2 else "") + html
    return _wrapped((before if chance.random() < 0.5 else "") + html, own, chance)


def _listed(texts: Texts, inner: str, chance: random.Random) -> str:
    """A list of sentences or of things."""
    tag = chance.choice(("ul", "ol"))
    lines = (
        [*_lines(texts, chance)] if chance.random() < 0.5 else chance.sample(texts["items"], chance.choice((2, 3, 4)))
    )
    return f"<{tag}{inner}>{''.join(f'<li>{line}</li>' for line in lines)}</{tag}>"


def _table(texts: Texts, inner: str, chance: random.Random) -> str:
    """Rows of names with numbers or words below a head."""
    number = chance.choice(("{}", "{} %", "{}.4", "1.{}", "{} km"))
    of_numbers = chance.random() < 0.7
    rows = [
        (label, number.format(chance.randrange(100, 999)) if of_numbers else chance.choice(texts["items"]))
        for label in chance.sample(texts["names"] + texts["labels"], chance.choice((2, 3, 4)))
    ]
    head = f"<tr><th>{chance.choice(texts['labels'])}</th><th>{chance.choice(('2024', texts['labels'][0]))}</th></tr>"
    cell = chance.choice(("td", "td", "th"))
    body = "".join(f"<tr><{cell}>{label}</{cell}><td>{value}</td></tr>" for label, value in rows)
    return f"<table{inner}>{head if chance.random() < 0.7 else ''}{body}</table>"


def _definitions(texts: Texts, inner: str, chance: random.Random) -> str:
    """Terms with what they mean."""
    lines = texts[chance.choice(("items", "sentences"))]
    rows = zip(chance.sample(texts["labels"] + texts["headings"], 3), chance.sample(lines, 3), strict=True)
    return f"<dl{inner}>{''.join(f'<dt>{term}</dt><dd>{line}</dd>' for term, line in rows)}</dl>"


def _opened(texts: Texts, inner: str, chance: random.Random) -> str:
    """Questions or headings that open what they are about."""
    heads = chance.sample(texts["questions"] + texts["headings"], chance.choice((1, 2)))
    tag = chance.choice(("p", "div"))
    return "".join(
        f"<details{inner}><summary>{head}</summary><{tag}>{chance.choice(texts['sentences'])}</{tag}></details>"
        for head in heads
    )


def _quotation(texts: Texts, inner: str, chance: random.Random) -> str:
    """A quotation with its source, or a post of a network."""
    said, name = chance.choice(texts["sentences"] + texts["headings"]), chance.choice(texts["names"])
    href = chance.choice(("https://example.org/n", "https://social.example.net/m/1", "/archive/n"))
    source = chance.choice(
        (
            "",
            f"<cite>{name}</cite>",
            f"<footer>{name}</footer>",
            f"<p>— {name}</p>",
            f"— {name} <a href='{href}'>2 May</a>",
            f"<cite><a href='{href}'>{name}</a></cite>",
        )
    )
    if chance.random() < 0.2:  # a post before its script has run
        source, said = "", f"<a href='{href}'>{said}</a>"
        inner = inner and chance.choice((inner, *(f" class={name}" for name in POSTS)))
    return f"<blockquote{inner}>{chance.choice((f'<p>{said}</p>', said))}{source}</blockquote>"


def _documents(texts: Texts, inner: str, chance: random.Random) -> str:
    """A line with a colon, and links to documents."""
    hrefs = [f"{chance.choice(('', 'https://one.example.org'))}/d/{number}.pdf" for number in range(3)]
    return _announced(hrefs, texts, inner, chance)


def _references(texts: Texts, inner: str, chance: random.Random) -> str:
    """A line with a colon, and links to other sites."""
    return _announced(
        ("https://one.example.org/", "https://two.example.org/x", "http://three.example.net/a/b"), texts, inner, chance
    )


def _announced(hrefs: Sequence[str], texts: Texts, inner: str, chance: random.Random) -> str:
    tag, rows = chance.choice(("ul", "ul", "ol")), chance.choice((1, 2, 3))
    titles = chance.sample(texts["items"] + texts["headings"] + texts["labels"], rows)
    links = "".join(f"<li><a href='{href}'>{title}</a></li>" for href, title in zip(hrefs, titles, strict=False))
    return f"<p>{chance.choice(texts['headings'])}:</p><{tag}{inner}>{links}</{tag}>"


#: Classes of posts of networks.
POSTS = ("twitter-tweet", "instagram-media", "bluesky-embed", "tiktok-embed")
UNITS: tuple[Callable[[Texts, str, random.Random], str], ...] = (
    _listed, _listed, _listed, _table, _table, _definitions, _opened, _quotation, _quotation, _documents,
)  # fmt: skip


def _lines(texts: Texts, chance: random.Random) -> Iterator[str]:
    """One to five lines: sentences, some with a label, a number, a time or a name in front, or labels with values."""
    form = chance.choice(("plain", "plain", "label", "number", "time", "speaker", "value", "heading", "italic"))
    minutes = sorted(chance.sample(range(1440), 5), reverse=chance.random() < 0.5)
    for number in range(chance.choice((1, 2, 2, 3, 5))):
        sentence = chance.choice(texts["sentences"])
        name = chance.choice(texts["names"])
        time = f"{minutes[number] // 60}:{minutes[number] % 60:02}"
        yield {
            "plain": sentence,
            "label": f"<b>{name}:</b> {sentence}",
            "number": chance.choice(("<span>{}</span> {}", "<sup>{}</sup> {}", "[{}] {}", "{}. {}")).format(
                number + 1, sentence
            ),
            "time": chance.choice(("<span>{}</span> {}", "{} – {}", "<b>{}</b> {}", "<time>{}</time><p>{}</p>")).format(
                time, sentence
            ),
            "speaker": f"<strong>{name}</strong><div>{sentence}</div>",
            "value": f"<strong>{chance.choice(texts['labels'])}:</strong> {chance.choice(texts['items'])}",
            "heading": f"<h4>{chance.choice(texts['headings'])}</h4><p>{sentence}</p>",
            "italic": f"<em>{sentence}</em>",
        }[form]


# ---- what isn't ------------------------------------------------------------------------------------------------------


def _widget(texts: Texts, chance: random.Random) -> str:
    """HTML of a box that readers press, fill in or follow, or of labels with numbers."""
    own, inner = _attributes(chance)
    html = chance.choice(WIDGETS)(texts, inner, chance)
    if BARE_UNIT.match(html) and html.count(html[:3]) == 1 and chance.random() < BARE:
        return html
    return _wrapped(html, own, chance)


def _button(texts: Texts, chance: random.Random) -> str:
    label = chance.choice(texts["labels"])
    href = chance.choice(HREFS)
    return chance.choice(
        (
            f"<button>{label}</button>",
            f"<button type=button><span>{label}</span></button>",
            f"<a href='{href}' role=button>{label}</a>",
        )
    )


def _appeal(texts: Texts, inner: str, chance: random.Random) -> str:
    """A sentence or two, and what to press or follow."""
    tag = chance.choice(("p", "p", "div", "span"))
    said = "".join(f"<{tag}>{chance.choice(texts['sentences'])}</{tag}>" for _ in range(chance.choice((1, 1, 2))))
    label, href = chance.choice(texts["labels"]), chance.choice(HREFS)
    ends = (
        _button(texts, chance), _button(texts, chance) + _button(texts, chance), f"<a href='{href}'>{label}</a>",
        f"<p><a href='{href}'>{label}</a></p>", f"<form><input type=email>{_button(texts, chance)}</form>",
    )  # fmt: skip
    return _heading(texts, chance) + said + f"<div{inner}>{chance.choice(ends)}</div>"


def _form(texts: Texts, inner: str, chance: random.Random) -> str:
    """A question with answers, or fields to fill in."""
    asked = chance.choice((chance.choice(texts["questions"]), chance.choice(texts["headings"])))
    control = chance.choice(("radio", "checkbox", "text"))
    fields = "".join(f"<label><input type={control}> {label}</label>" for label in chance.sample(texts["labels"], 3))
    if chance.random() < 0.4:
        fields = "".join(
            f"<li><button>{label}</button> {chance.randrange(100)}%</li>" for label in chance.sample(texts["labels"], 2)
        )
        fields = f"<ul>{fields}</ul>"
    html = f"<{(tag := chance.choice(('h3', 'h4', 'p', 'div')))}>{asked}</{tag}><div{inner}>{fields}</div>"
    html += chance.choice(("", _button(texts, chance), f"<small>{chance.randrange(9999)}</small>"))
    return f"<form>{html}</form>" if chance.random() < 0.4 else html


def _links(texts: Texts, inner: str, chance: random.Random) -> str:
    """Links to other pages: a list, numbered lines or cards."""
    titles = chance.sample(texts["sentences"] + texts["headings"], chance.choice((1, 2, 3, 4)))
    date = chance.choice(("", "", "", " <span>2026-03-20</span>", " <time>3.5.</time>", "<p>14:05</p>"))
    links = [f"<a href='{chance.choice(HREFS)}'>{title.rstrip('.')}</a>{date}" for title in titles]
    form = chance.randrange(3)
    if form == 0:
        listed = chance.choice(("ul", "ol"))
        html = f"<{listed}>{''.join(f'<li>{link}</li>' for link in links)}</{listed}>"
    elif form == 1:
        html = "".join(f"<div{inner}><span>{number}</span>{link}</div>" for number, link in enumerate(links, 1))
    else:
        html = "".join(f"<div{inner}><img src=a.jpg alt=''><h4>{link}</h4></div>" for link in links)
    return _heading(texts, chance) + html


def _entries(texts: Texts, inner: str, chance: random.Random) -> str:
    """Labels with numbers: stocks, weather, prices, scores."""
    numbers = chance.sample(
        ("{}°", "{}.20", "{} %", "€ {}.90", "{}", "+{}.4%", "-{}.1%", "{} : 1", "{}:30", "{} °C", "{},5 km/h"), 2
    )
    if chance.random() < 0.6:
        numbers[1] = ""
    row = chance.choice(
        (
            "<span>{}</span> <b>{}</b>",
            "<div>{}</div><div>{}</div>",
            "{} {}",
            "<a href='/q'>{}</a> <span>{}</span>",
            "<span>{}</span><span>{}</span>",
            "<b>{}</b><br>{}",
            "<td>{}</td><td>{}</td>",
        )
    )
    labels = chance.sample(texts["labels"] + texts["names"], chance.choice((1, 2, 3, 4)))
    rows = [row.format(label, " ".join(number.format(chance.randrange(99)) for number in numbers)) for label in labels]
    if row.startswith("<td>"):
        return f"<table{inner}>{''.join(f'<tr>{text}</tr>' for text in rows)}</table>"
    tag = chance.choice(("div", "li", "li", "span", "p"))
    html = "".join(f"<{tag}{inner}>{text}</{tag}>" for text in rows)
    html = f"<ul>{html}</ul>" if tag == "li" else html
    now = f"<span>{labels[0]}</span><span>{numbers[0].format(chance.randrange(99))}</span>"
    note = f"<small>{chance.choice(('14:05', '81 %', '67 min', texts['labels'][0]))}</small>"
    html = chance.choice(("", "", "", now)) + html + chance.choice(("", "", "", note))
    return (_heading(texts, chance) if chance.random() < 0.3 else "") + html


def _comments(texts: Texts, inner: str, chance: random.Random) -> str:
    """What readers say: their names, when, and what answers them."""
    tag = chance.choice(("li", "li", "div", "div", "article"))
    name = chance.choice(
        ("<b>{}</b>", "<cite>{}</cite>", "<strong>{}</strong>", "<span>{}</span>", "<a href='/u/1'>{}</a>")
    )
    time = chance.choice(("<time>12.5.2024 {}</time>", "<span>{}</span>", "<small>3 May, {}</small>", ""))
    said = chance.choice(("<p>{}</p>", "<div>{}</div>"))
    answer = chance.choice(("<a href='#r'>{}</a>", "<button>{}</button>", "<button>{}</button> <span>4</span>"))
    answer = answer.format(chance.choice((texts["labels"][0], "↩", "+", "👍")))
    rows = []
    for _ in range(chance.choice((1, 2, 2, 3))):
        who, hour = chance.choice(texts["names"]), f"{chance.randrange(10, 24)}:{chance.randrange(10, 60)}"
        rows.append(name.format(who) + time.format(hour) + said.format(chance.choice(texts["sentences"])) + answer)
    html = "".join(f"<{tag}{inner}>{row}</{tag}>" for row in rows)
    if tag == "li":
        html = f"<{(listed := chance.choice(('ol', 'ul')))}>{html}</{listed}>"
    return (f"<h3>{len(rows)} {texts['labels'][1]}</h3>" if chance.random() < 0.2 else "") + html


def _topics(texts: Texts, inner: str, chance: random.Random) -> str:
    """A label and links of a word or two."""
    links = [f"<a href='/t/{number}'>{label}</a>" for number, label in enumerate(chance.sample(texts["labels"], 3))]
    label = chance.choice((f"<span>{texts['headings'][0]}:</span> ", f"<span>{texts['labels'][0]}</span> ", ""))
    if chance.random() < 0.5:
        first = f"<li>{texts['labels'][1]}</li>" if chance.random() < 0.5 else ""
        return f"<ul{inner}>{first}{''.join(f'<li>{link}</li>' for link in links)}</ul>"
    return label + chance.choice((", ", " ", " | ")).join(links)


def _author(texts: Texts, inner: str, chance: random.Random) -> str:
    """Who wrote it, with a sentence about them."""
    name, said = chance.choice(texts["names"]), chance.choice(texts["sentences"])
    image = chance.choice(("<img src=n.jpg alt=''>", ""))
    linked = chance.choice((f"<a href='/authors/n'>{name}</a>", f"<a rel=author href='/by/n'>{name}</a>"))
    more = chance.choice(
        ("", f"<a href='https://x.com/n'>{texts['labels'][0]}</a>", "<a href='mailto:n@paper.example'>@</a>")
    )
    return f"{image}<{(tag := chance.choice(('h4', 'b', 'div')))}>{linked}</{tag}><p{inner}>{said}</p>{more}"


def _cards(texts: Texts, inner: str, chance: random.Random) -> str:
    """Other stories with images, some without a link."""
    form = chance.choice(
        (
            "<div{0}><img src=a.jpg alt=''><h3>{1}</h3><p>{2}</p></div>",
            "<div{0}><h3><a href='/a1'>{1}</a></h3><p>{2}</p></div>",
            "<div{0}><a href='/a1'><img src=a.jpg alt=''><b>{1}</b><span>{2}</span></a></div>",
            "<li{0}><h4><a href='/a1'>{1}</a></h4><span>{2}</span><time>3.5.</time></li>",
        )
    )
    heads = chance.sample(texts["headings"] + texts["questions"], chance.choice((1, 2, 3)))
    html = "".join(form.format(inner, head, chance.choice(texts["sentences"])) for head in heads)
    return f"<ul>{html}</ul>" if form.startswith("<li") else html


def _summary(texts: Texts, inner: str, chance: random.Random) -> str:
    """Sentences behind a button, and who made them."""
    lines = "".join(f"<li>{text}</li>" for text in chance.sample(texts["sentences"], chance.choice((2, 3))))
    button = f"<button aria-expanded=false>{texts['labels'][0]}</button>"
    return f"{button}<ul{inner}>{lines}</ul><small>{chance.choice(texts['headings'])}</small>"


def _offer(texts: Texts, inner: str, chance: random.Random) -> str:
    """Something to buy: what it is, its price, and what to press."""
    price = chance.choice(("€ {}.90", "{} €", "${}", "{} zł", "£{}.00", "{} 元")).format(chance.randrange(2, 90))
    said = chance.choice((chance.choice(texts["sentences"]), chance.choice(texts["items"]), ""))
    image = chance.choice(("", "<img src=p.jpg alt=''>"))
    said = f"<p>{said}</p>" if said else ""
    return f"{_heading(texts, chance)}{image}{said}<p{inner}>{price}</p>{_button(texts, chance)}"


def _follow(texts: Texts, inner: str, chance: random.Random) -> str:
    """A line that leads to social networks or stores."""
    named = {"https://t.me/m": "Telegram", "https://x.com/m": "X", "https://www.facebook.com/m": "Facebook"}
    hrefs = chance.sample(SOCIAL, chance.choice((1, 2, 3)))
    links = chance.choice((", ", " | ", " ")).join(
        f"<a href='{href}'>{named.get(href) or chance.choice(texts['labels'])}</a>" for href in hrefs
    )
    tag = chance.choice(("p", "div", "span"))
    return f"<{tag}{inner}>{chance.choice((*texts['labels'], *texts['headings']))} {links}</{tag}>"


def _dialog(texts: Texts, inner: str, chance: random.Random) -> str:
    """A notice with buttons."""
    role = chance.choice(("", " role=dialog", " role=alertdialog", " aria-modal=true"))
    said = " ".join(chance.sample(texts["sentences"], chance.choice((1, 2))))
    buttons = "".join(f"<button>{label}</button>" for label in chance.sample(texts["labels"], chance.choice((1, 2))))
    return f"<div{role}>{_heading(texts, chance)}<p>{said}</p>{buttons}</div>"


def _label(texts: Texts, inner: str, chance: random.Random) -> str:
    """A word or two: of an advertisement, a player, a button."""
    tag = chance.choice(("span", "p", "small", "div"))
    label = chance.choice(texts["labels"])[:24]
    media = chance.choice(("", "", "<div id=slot></div>", "<audio controls src=a.mp3></audio>", "<span>0:00</span>"))
    return f"<{tag}{inner}>{label}</{tag}>{media}"


def _notice(texts: Texts, inner: str, chance: random.Random) -> str:
    """A label with a value: a licence, a source, a note of the site."""
    value = chance.choice((*texts["labels"], "CC BY 4.0", "2026", "© 2026"))
    tag = chance.choice(("p", "blockquote", "small", "div"))
    return f"<{tag}{inner}>{chance.choice(texts['labels'])}: {value}</{tag}>"


def _gallery(texts: Texts, inner: str, chance: random.Random) -> str:
    """Images with captions."""
    captions = chance.sample(texts["sentences"] + texts["headings"] + texts["items"], chance.choice((2, 3, 4, 6)))
    form = chance.choice(
        (
            "<figure{0}><img src=a.jpg><figcaption>{1}</figcaption></figure>",
            "<div{0}><img src=a.jpg><p>{1}</p></div>",
            "<div{0}><img src=a.jpg><div>{1}</div></div>",
            "<p><img src=a.jpg></p><p{0}>{1}</p>",
            "<dl{0}><dt><img src=a.jpg></dt><dd>{1}</dd></dl>",
            "<div{0}><a href='/i/1'><img src=a.jpg></a><span>{1}</span></div>",
        )
    )
    return "".join(form.format(inner, caption) for caption in captions)


WIDGETS: tuple[Callable[[Texts, str, random.Random], str], ...] = (
    _appeal, _appeal, _form, _links, _entries, _entries, _entries, _follow, _dialog, _label, _gallery, _comments,
    _comments, _topics, _author, _cards, _summary, _offer,
    _notice,
)  # fmt: skip
