"""Drawn parts that aren't the article's: what readers press, fill in or follow, labels with numbers, other stories."""

import random
import re
from collections.abc import Callable

from evaluation.training.drawn import Texts, attributes, heading, wrapped

#: Probability that a list, table or quotation of a widget stands in no box; how it begins.
BARE = 0.6
BARE_UNIT = re.compile("<(?:ul|ol|table|dl|blockquote|details)")
#: Hosts of social networks and stores, where a widget's links lead; paths of the site and of others.
SOCIAL = ("https://t.me/m", "https://x.com/m", "https://www.facebook.com/m", "https://whatsapp.com/channel/m",
          "https://news.google.com/m", "https://apps.apple.com/app/m", "https://www.instagram.com/m")  # fmt: skip
HREFS = ("/a/1", "/plus", "#more", "https://shop.example.org/1", "/news/2026/05/a-story", "mailto:desk@paper.example")


def widget(texts: Texts, chance: random.Random) -> str:
    """HTML of a box that readers press, fill in or follow, or of labels with numbers."""
    own, inner = attributes(chance)
    html = chance.choice(WIDGETS)(texts, inner, chance)
    if BARE_UNIT.match(html) and html.count(html[:3]) == 1 and chance.random() < BARE:
        return html
    return wrapped(html, own, chance)


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
    return heading(texts, chance) + said + f"<div{inner}>{chance.choice(ends)}</div>"


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
    form = chance.randrange(4)
    if form == 0:
        listed = chance.choice(("ul", "ol"))
        html = f"<{listed}>{''.join(f'<li>{link}</li>' for link in links)}</{listed}>"
    elif form == 1:
        return f"<blockquote{inner}>{''.join(f'<p>{link}</p>' for link in links[:2])}</blockquote>"
    elif form == 2:
        html = "".join(f"<div{inner}><span>{number}</span>{link}</div>" for number, link in enumerate(links, 1))
    else:
        html = "".join(f"<div{inner}><img src=a.jpg alt=''><h4>{link}</h4></div>" for link in links)
    return heading(texts, chance) + html


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
            "{} <b>{}</b>",
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
    return (heading(texts, chance) if chance.random() < 0.3 else "") + html


#: Probability that readers can answer a comment that has a time.
ANSWERED = 0.7


def _comments(texts: Texts, inner: str, chance: random.Random) -> str:
    """What readers say: their names, when, and what answers them."""
    tag = chance.choice(("li", "li", "div", "div", "article"))
    name = chance.choice(
        ("<b>{}</b>", "<cite>{}</cite>", "<strong>{}</strong>", "<span>{}</span>", "<a href='/u/1'>{}</a>")
    )
    time = chance.choice(("<time>12.5.2024 {}</time>", "<span>{}</span>", "<small>3 May, {}</small>", ""))
    said = chance.choice(("<p>{}</p>", "<div>{}</div>"))
    answer = chance.choice(("<a href='#r'>{}</a>", "<button>{}</button>", "<button>{}</button> <span>4</span>"))
    is_answered = time == "" or chance.random() < ANSWERED
    answer = answer.format(chance.choice((texts["labels"][0], "↩", "+", "👍"))) if is_answered else ""
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
    return f"{heading(texts, chance)}{image}{said}<p{inner}>{price}</p>{_button(texts, chance)}"


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
    return f"<div{role}>{heading(texts, chance)}<p>{said}</p>{buttons}</div>"


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
            "<li{0}><img src=a.jpg><p>{1}</p></li>",
            "<li{0}><figure><img src=a.jpg><div>{1}</div></figure></li>",
            "<li><a href='/i/1'><img src=a.jpg></a><span{0}>{1}</span></li>",
            "<td{0}><img src=a.jpg><br>{1}</td>",
        )
    )
    html = "".join(form.format(inner, caption) for caption in captions)
    if form.startswith("<li"):
        return f"<ul>{html}</ul>"
    return f"<table><tr>{html}</tr></table>" if form.startswith("<td") else html


def _opened_links(texts: Texts, inner: str, chance: random.Random) -> str:
    """What opens contents, a menu or ways to share."""
    hrefs = chance.choice((HREFS, SOCIAL, ("#a", "#b", "#c")))
    links = [
        f"<li><a href='{href}'>{label}</a></li>"
        for href, label in zip(hrefs, chance.sample(texts["labels"] + texts["headings"], 3), strict=False)
    ]
    listed, label = chance.choice(("ul", "ol")), chance.choice(texts["labels"])
    return f"<details{inner}><summary>{label}</summary><{listed}>{''.join(links)}</{listed}></details>"


def _forecast(texts: Texts, inner: str, chance: random.Random) -> str:
    """A place, what it is now, and the next days."""
    unit = chance.choice(("°", "°", " °C", "%", ",20 €"))
    place, *days = (label[: chance.choice((3, 10))] for label in chance.sample(texts["labels"], 4))
    tag = chance.choice(("li", "li", "div", "span"))
    number = chance.choice(("<b>{}</b>", "{}", "<span>{}</span>"))
    rows = "".join(f"<{tag}>{day} {number.format(f'{chance.randrange(40)}{unit}')}</{tag}>" for day in days)
    rows = f"<ul>{rows}</ul>" if tag == "li" else f"<div{inner}>{rows}</div>"
    now = f"{chance.randrange(40)}{unit}"
    return (
        chance.choice(
            (f"<span>{place}</span><b>{now}</b>", f"<h4>{place}</h4><div>{now}</div>", f"<p>{place}, {now}</p>")
        )
        + rows
    )


def _related(texts: Texts, inner: str, chance: random.Random) -> str:
    """Other stories below a label or none, each with its source, its date, a sentence about it or a bullet."""
    titles = chance.sample(texts["sentences"] + texts["headings"] + texts["questions"], chance.choice((1, 2, 3, 5, 8)))
    hrefs = chance.choice((HREFS, ("/2026/05/02/a-story", "/b-2.html", "story.php?id=3", "https://paper.example/c")))
    form = chance.choice(
        ("{0}", "{0}", "{0} [{1}]", "{0} ({1})", "{1} {0}", "{1}: {0}", "• {0}", "» {0}", "{0}<p>{2}</p>", "{0}<br>{2}")
    )
    links = [
        form.format(
            f"<a href='{chance.choice(hrefs)}'>{title.rstrip('.。।')}</a>",
            chance.choice((chance.choice(texts["labels"]), "2026-03-20", "3.5.", "14:05")),
            chance.choice(texts["sentences"]),
        )
        for title in titles
    ]
    tag = chance.choice(("li", "li", "li", "div", "p", "td", "span"))
    rows = [f"<{tag}{inner}>{link}</{tag}>" for link in links]
    html = "".join(f"<tr>{row}</tr>" for row in rows) if tag == "td" else "".join(rows)
    html = {"li": f"<ul>{html}</ul>", "td": f"<table>{html}</table>"}.get(tag, html)
    label = chance.choice((heading(texts, chance), f"<p>{texts['labels'][0]}:</p>", ""))
    return label + html + chance.choice(("", "", f"<a href='/news'>{texts['labels'][1]}</a>"))


def _answers(texts: Texts, inner: str, chance: random.Random) -> str:
    """Questions about the site or its offers, whose answers lead to its pages."""
    asked = chance.choice(
        (
            "<h3>{}</h3>",
            "<h4>{}</h4>",
            "<button aria-expanded=false>{}</button>",
            "<h3><button aria-expanded=false>{}</button></h3>",
            "<b>{}</b>",
            "<a href='#q'>{}</a>",
        )
    )
    tag, rows = chance.choice(("p", "div")), []
    for question in texts["questions"]:
        link = f" <a href='{chance.choice(HREFS)}'>{chance.choice(texts['items'])}</a>"
        said = f"<{tag}>{chance.choice(texts['sentences'])}{link}</{tag}>"
        rows.append(f"<div{inner}>{asked.format(question)}{said}</div>")
    more = chance.choice((_button(texts, chance), f"<a href='/faq'>{texts['labels'][0]}</a>"))
    return heading(texts, chance) + "".join(rows) + more


def _benefits(texts: Texts, inner: str, chance: random.Random) -> str:
    """What one gets for an account: short items below a sentence, and what to press or follow."""
    items = chance.sample(texts["items"] + texts["headings"], chance.choice((2, 3, 4)))
    listed = f"<ul{inner}>{''.join(f'<li>{item}.</li>' for item in items)}</ul>"
    said = chance.choice(("", f"<p>{chance.choice(texts['sentences'])}</p>"))
    return heading(texts, chance) + said + listed + _button(texts, chance)


def _beside(texts: Texts, inner: str, chance: random.Random) -> str:
    """A column of widgets."""
    parts = [chance.choice(WIDGETS[: -len(COLUMNS)])(texts, inner, chance) for _ in range(chance.choice((2, 3)))]
    if chance.random() < IN_TABLE:
        return f"<table>{''.join(f'<tr><td>{part}</td></tr>' for part in parts)}</table>"
    return "".join(f"<div>{part}</div>" for part in parts)


def _licence(texts: Texts, inner: str, chance: random.Random) -> str:
    """Who made the page, under what licence, and where it is."""
    names = chance.choice(texts["names"]), chance.choice(texts["labels"])
    by = f"{texts['labels'][0]} <a href='/'>{names[0]}</a> {names[1]} <a href='https://creativecommons.org/l'>CC BY</a>"
    where = f"{texts['labels'][1]}: <a href='/2026/05/a-story'>https://paper.example/2026/05/a-story</a>"
    rows = chance.choice(((by, where), (by,), (where, by)))
    tag = chance.choice(("p", "li", "div"))
    html = "".join(f"<{tag}>{row}</{tag}>" for row in rows)
    return f"<ul{inner}>{html}</ul>" if tag == "li" else f"<blockquote{inner}>{html}</blockquote>"


#: What holds other widgets stands last; probability that it is a table.
COLUMNS: tuple[Callable[[Texts, str, random.Random], str], ...] = (_beside,)
IN_TABLE = 0.3
WIDGETS: tuple[Callable[[Texts, str, random.Random], str], ...] = (
    _appeal, _appeal, _form, _links, _entries, _entries, _entries, _follow, _dialog, _label, _gallery, _comments,
    _comments, _topics, _author, _cards, _summary, _offer,
    _notice, _notice, _opened_links, _forecast, _gallery, _related, _related, _related, _answers, _benefits, _licence,
    *COLUMNS,
)  # fmt: skip
