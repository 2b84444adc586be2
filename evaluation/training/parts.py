"""Data augmentation: parts of an article, and of others, between its paragraphs, with labels of their own.

They are made fragments (`evaluation.fragments`) of the kinds and languages that aren't left out, and boxes whose
elements are drawn, so that no list of kinds is learned by heart: prose, which is the article's, and widgets, which
aren't. Most texts are those of other pages. The gold of a page doesn't have them, so each says in an attribute what it
is.
"""

import random
import re
import zlib
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import etree
from turbohtml.etree import ElementView

from evaluation.fragments import NAMINGS, RULES, kinds_to_fit, languages_to_fit, made_fragment
from evaluation.training.drawn import attributes, texts_of
from evaluation.training.drawn_prose import prose, references, unit
from evaluation.training.drawn_widgets import widget
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
AT_BEGIN = 0.5
#: Probability that a made fragment is one of `grafts.toml`.
BY_HAND = 0.25
OF_PAGES = 0.6
#: Probability that what is drawn among the paragraphs is links to other sites behind a colon.
REFERENCES = 0.05
#: Classes of boxes that hold the article's own paragraphs nevertheless.
MISLEADING = (
    "paywall", "paywall-content", "js-paywall", "premium", "premium-content", "subscriber-only", "subscribers",
    "piano-content", "metered", "locked", "members-only", "ads-free", "promo-text", "article-ad-free", "expandable",
    "teaser-text", "content-gate", "login-required", "related-text", "newsletter-body", "box", "col-2", "text-block",
)  # fmt: skip
#: Elements around some of the article's paragraphs, and those within them.
WRAPPERS = ("div", "div", "div", "section", "table", "table", "ul", "blockquote")
CELLS = {"table": ("tr", "td"), "ul": ("li",)}


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
    texts, rule = texts_of(lines, chance), chance.choice(RULES)
    if chance.random() >= MADE:
        if where == "middle" and rule == "keep" and chance.random() < REFERENCES:
            return rule, "drawn", references(texts, attributes(chance)[1], chance)
        return rule, "drawn", chance.choice((prose, prose, unit) if rule == "keep" else (widget,))(texts, chance)
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
