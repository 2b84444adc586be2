"""Drawn parts that are the article's: boxes of prose, lists, tables, questions, quotations, code and notes."""

import random
import re
from collections.abc import Callable, Iterator, Sequence

from evaluation.training.drawn import Texts, attributes, heading, wrapped

#: Probability that a list, table or quotation stands in no box.
BARE = 0.6


def prose(texts: Texts, chance: random.Random) -> str:
    """HTML of a box of prose: a heading or none, then lines, lists and boxes in elements that are drawn."""
    own, inner = attributes(chance)
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
    head = heading(texts, chance)
    if head and chance.random() < 0.15:  # a heading before the box goes with it
        return f"<h3>{chance.choice(texts['headings'])}</h3>" + wrapped(body, own, chance)
    return wrapped(head + body, own, chance)


def unit(texts: Texts, chance: random.Random) -> str:
    """HTML of a list, a table, definitions, a quotation or questions of the article, bare or in a box."""
    own, inner = attributes(chance)
    html = chance.choice(UNITS)(texts, inner, chance)
    if html.startswith("<p>"):
        return html
    before = f"<{(tag := chance.choice(('h3', 'h4', 'p')))}>{chance.choice(texts['headings'])}</{tag}>"
    if chance.random() < BARE:
        return (before if chance.random() < 0.2 else "") + html
    return wrapped((before if chance.random() < 0.5 else "") + html, own, chance)


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
    term = chance.choice(("{}", "{}", "<a href='#t'>{}</a>", "<a href='/terms/t.html'>{}</a>"))
    terms = map(term.format, chance.sample(texts["labels"] + texts["headings"], 3))
    rows = zip(terms, chance.sample(lines, 3), strict=True)
    return f"<dl{inner}>{''.join(f'<dt>{term}</dt><dd>{line}</dd>' for term, line in rows)}</dl>"


def _opened(texts: Texts, inner: str, chance: random.Random) -> str:
    """Questions or headings that open what they are about, some of them within each other or without a heading."""
    heads = chance.sample(texts["questions"] + texts["headings"] + texts["labels"], chance.choice((1, 1, 2, 3)))
    head = chance.choice(("{}", "{}", "<h3>{}</h3>", "<strong>{}</strong>", "<span>{}</span>"))
    is_open = chance.choice(("", "", " open"))
    rows = []
    for title in heads:
        body = _opened_body(texts, chance)
        if chance.random() < INNER:
            asked = chance.choice(texts["questions"])
            body += f"<details><summary>{asked}</summary>{_opened_body(texts, chance)}</details>"
        summary = f"<summary>{head.format(title)}</summary>" if chance.random() < HEADED else ""
        rows.append(f"<details{inner}{is_open}>{summary}{body}</details>")
    return "".join(rows)


def _opened_body(texts: Texts, chance: random.Random) -> str:
    """What readers see once they open it: a word, sentences, a list, rows, definitions or quotations."""
    said = chance.sample(texts["sentences"], 3)
    return chance.choice(
        (
            f"<p>{said[0]}</p>",
            f"<p>{said[0]}</p>",
            f"<div>{said[0]}</div>",
            said[0],
            f"<p>{texts['items'][0]}.</p>",
            f"<p>{said[0]} {said[1]}</p><p>{said[2]}</p>",
            f"<div><p>{said[0]}</p></div>",
            f"<p>{texts['names'][0]}: {said[0]}</p><p>{texts['names'][1]}: {said[1]}</p>",
            f"<div><b>{texts['names'][0]}:</b> {said[0]}<br><b>{texts['names'][1]}:</b> {said[1]}</div>",
            f"<blockquote><p>{said[0]} {said[1]}</p></blockquote>",
            f"<p>{said[0]}</p>{_listed(texts, '', chance)}",
            _listed(texts, "", chance),
            _table(texts, "", chance),
            _definitions(texts, "", chance),
        )
    )


def _code(texts: Texts, inner: str, chance: random.Random) -> str:
    """Lines of code, of a session or of a log, perhaps highlighted, with what copies them, line numbers or a title."""
    lines = _code_lines(texts, chance)
    if chance.random() < HIGHLIGHTED:
        lines = [WORD_OF_CODE.sub(rf"<span{inner}>\g<0></span>", line) for line in lines]
    label = f"<button>{texts['labels'][0]}</button>"
    copies = chance.choice(
        (label, label, f"<div><span>{texts['labels'][1]}</span>{label}</div>", f"<div>{label}</div>")
    )
    text = chance.choice(("\n", "\n", "<br>", "</span>\n<span>")).join(lines)
    text = f"<span>{text}</span>" if "</span>\n" in text else text
    code = chance.choice(
        (f"<pre{inner}>{text}</pre>", f"<pre><code{inner}>{text}</code></pre>", f"<pre><samp>{text}</samp></pre>")
    )
    numbers = "\n".join(map(str, range(1, len(lines) + 1)))
    row = chance.choice(
        (
            "<tr><td>{0}</td><td><code>{1}</code></td></tr>",
            "<tr><td>{0}</td><td>{1}</td></tr>",
            "<tr><td data-line={0}></td><td>{1}</td></tr>",
        )
    )
    rows = "".join(row.format(number, line) for number, line in enumerate(lines, 1))
    each = chance.choice(("<li>{}</li>", "<li><code>{}</code></li>", "<div>{}</div>", "<div><code>{}</code></div>"))
    listed = "".join(map(each.format, lines))
    listed = f"<ol{inner}>{listed}</ol>" if each.startswith("<li") else f"<div{inner}>{listed}</div>"
    return chance.choice(
        (
            code,
            code,
            code,
            f"<div{inner}>{code}</div>",
            f"<div{inner}>{copies}{code}</div>",
            f"<div{inner}>{copies}{code}</div>",
            f"<div{inner}>{code}{copies}</div>",
            f"<div{inner}>{code}<div><span>{texts['labels'][1]}</span></div></div>",
            f"<figure{inner}>{code}</figure>",
            f"<figure><figcaption>{texts['headings'][0]}</figcaption>{code}</figure>",
            f"<blockquote>{code}</blockquote>",
            f"<div><table><tr><td><pre>{numbers}</pre></td><td>{code}</td></tr></table></div>",
            f"<table{inner}>{rows}</table>",
            f"<table{inner}>{rows}</table>",
            f"<div{inner}><code>{lines[0]}</code></div>",
            f"<p><code>{'<br>'.join(lines)}</code></p>",
            listed,
            listed,
            listed,
        )
    )


def _code_lines(texts: Texts, chance: random.Random) -> list[str]:
    """One to nine lines in the manner of one language, shell, file of settings or log."""
    forms = chance.choice(CODE)

    def line() -> str:
        names = [chance.choice(IDENTIFIERS) for _ in range(3)]
        said = chance.choice(texts["sentences"])[:60]
        return chance.choice(forms).format(*names, said, chance.randrange(9999))

    return [line() for _ in range(chance.choice((1, 1, 2, 3, 5, 9)))]


def _note(texts: Texts, inner: str, chance: random.Random) -> str:
    """A note of the editors or of the author: what was corrected, where it appeared, what readers should know."""
    said, label = chance.choice(texts["sentences"]), chance.choice(texts["labels"])
    link = f" <a href='https://one.example.org/x'>{chance.choice(texts['headings'])}</a>."
    more = chance.choice(("", "", "", f" {chance.choice(texts['sentences'])}", link))
    return chance.choice(
        (
            f"<aside{inner}><p>{said}{more}</p></aside>",
            f"<aside{inner}>{said}{more}</aside>",
            f"<aside role=note><p><b>{label}:</b> {said}{more}</p></aside>",
            f"<div role=note{inner}>{said}{more}</div>",
            f"<div role=note><p>{said}{more}</p></div>",
            f"<div{inner}><strong>{label}:</strong> {said}{more}</div>",
            f"<div{inner}><p><strong>{label}</strong> {said}{more}</p></div>",
            f"<div{inner}><p><svg width=16><path d=''></path></svg>{label}</p><p>{said}{more}</p></div>",
            f"<div{inner}><div>💡</div><div>{said}{more}</div></div>",
            f"<div{inner}><small>{said}{more}</small></div>",
            f"<div{inner}><p><em>{said}{more}</em></p></div>",
            f"<div{inner}><p>* {said}</p></div>",
            f"<footer{inner}><p>{label}: {said}</p></footer>",
            f"<section{inner}><h4>{label}</h4><p>{said}{more}</p></section>",
            f"<blockquote{inner}><p>{said}{more}</p></blockquote>",
            f"<blockquote{inner}><p><b>{label}</b><br>{said}{more}</p></blockquote>",
        )
    )


def _letter(texts: Texts, inner: str, chance: random.Random) -> str:
    """A letter: who it is to, what it says, who signs it."""
    said = "".join(f"<p>{text}</p>" for text in chance.sample(texts["sentences"], chance.choice((1, 2, 3))))
    end = chance.choice(
        ("<p>{1}</p>", "<p>{0},<br>{1}</p>", "<p>{0}</p><p>{1}</p>", "<p><em>{1}, {2}</em></p>", "<div>{1}</div>")
    )
    signed = end.format(texts["labels"][0], texts["names"][0], texts["names"][1])
    return f"<div{inner}><p>{texts['labels'][1]} {texts['names'][2]},</p>{said}{signed}</div>"


def _recipe(texts: Texts, inner: str, chance: random.Random) -> str:
    """What is needed, with amounts, and what to do."""
    amount = chance.choice(("{} g {}", "{} {}", "{}: {}", "½ l {1}"))
    needed = "".join(f"<li>{amount.format(chance.randrange(1, 500), item)}</li>" for item in texts["items"][:3])
    steps = chance.sample(texts["sentences"], chance.choice((1, 2, 3)))
    tag = chance.choice(("li", "p"))
    done = "".join(f"<{tag}>{step}</{tag}>" for step in steps)
    done = f"<ol>{done}</ol>" if tag == "li" else done
    between = chance.choice(("", f"<h4>{texts['headings'][1]}</h4>", f"<p><b>{texts['labels'][0]}</b></p>"))
    return f"<div{inner}>{heading(texts, chance)}<ul>{needed}</ul>{between}{done}</div>"


#: Probabilities that what opens holds another one, and that it has a heading.
INNER = 0.15
HEADED = 0.85
#: Probability that words of code are highlighted, and such a word, but no entity.
HIGHLIGHTED = 0.4
WORD_OF_CODE = re.compile(r"(?<!&)\b[A-Za-z_]{2,}\b")
#: Lines of code by language: names in {0} to {2}, a comment in {3}, a number in {4}.
CODE = (
    ("$ {0} --{1} {4}", "$ {0} {1}/{2} | {2} -{1}", "{0}: {1} {4} {2}", "{4} {1} written", "# {3}"),
    ("sudo {0} {1} {2}", "{0} install {1}-{2}", "{0}@{1}:~# {2} -x {4}", "[ {4}.{4}] {0} {4}-2: {1} {2}"),
    ("def {0}({1}):", "    return {1}.{2}({4})", "    for {0} in {1}.{2}():", "    # {3}", "{0} = {1}[{4}] + {2}"),
    ("function {0}({1}) {{", "  // {3}", "  let {0} = {1}.{2}({4});", "}}", "  if ({0} &lt; {4}) return {1};"),
    ('&lt;{0} {1}="{2}"&gt;{4}&lt;/{0}&gt;', "&lt;{0}/&gt;", "  &lt;{2}&gt;{1}&lt;/{2}&gt;", "&lt;!-- {3} --&gt;"),
    ("{{", '  "{0}": "{1}",', '  "{2}": {4},', "}}"),
    ("[{0}]", "{1} = {4}", '{0}.{2} = "{1}"', "; {3}", "{0}: {1}"),
    ("SELECT {0}, {1} FROM {2} WHERE {0} = {4};", "UPDATE {0} SET {1} = {4};", "-- {3}", "COMMIT;"),
    ("2026-05-02 14:05:11 ERROR {0} {1} {4}", "{0}: {2} ({1} dumped)", "HTTP/1.1 {4} {0}", "{1}-{2}: {4}"),
    ("+--------+------+", "| {0} | {4} |", "| {1} | {4} |"),
)
IDENTIFIERS = (
    "tide",
    "gauge",
    "harbour",
    "level",
    "read_all",
    "jq",
    "lock",
    "status",
    "toString",
    "config",
    "user",
    "x",
)


def _quotation(texts: Texts, inner: str, chance: random.Random) -> str:
    """A quotation with its source."""
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
    if chance.random() < 0.2:
        said += f" <a href='{href}'>{chance.choice(texts['items'])}</a>"
    return f"<blockquote{inner}>{chance.choice((f'<p>{said}</p>', said))}{source}</blockquote>"


def _documents(texts: Texts, inner: str, chance: random.Random) -> str:
    """A line with a colon, and links to documents."""
    hrefs = [f"{chance.choice(('', 'https://one.example.org'))}/d/{number}.pdf" for number in range(3)]
    return _announced(hrefs, texts, inner, chance)


def references(texts: Texts, inner: str, chance: random.Random) -> str:
    """A line with a colon, and links to other sites."""
    return _announced(
        ("https://one.example.org/", "https://two.example.org/x", "http://three.example.net/a/b"), texts, inner, chance
    )


def _announced(hrefs: Sequence[str], texts: Texts, inner: str, chance: random.Random) -> str:
    tag, rows = chance.choice(("ul", "ul", "ol")), chance.choice((1, 2, 3))
    titles = chance.sample(texts["items"] + texts["headings"] + texts["labels"], rows)
    links = "".join(f"<li><a href='{href}'>{title}</a></li>" for href, title in zip(hrefs, titles, strict=False))
    return f"<p>{chance.choice(texts['headings'])}:</p><{tag}{inner}>{links}</{tag}>"


UNITS: tuple[Callable[[Texts, str, random.Random], str], ...] = (
    _listed, _listed, _listed, _table, _table, _definitions, _opened, _opened, _quotation, _quotation, _documents,
    _code, _code, _code, _code, _note, _note, _letter, _recipe,
)  # fmt: skip


def _lines(texts: Texts, chance: random.Random) -> Iterator[str]:
    """One to five lines: sentences, some with a label, a number, a time or a name in front, or labels with values."""
    form = chance.choice(
        ("plain", "plain", "label", "number", "time", "speaker", "value", "heading", "italic", "dated")
    )
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
            "dated": f"<p>{number + 1}.5.2026</p><p>{chance.choice(texts['headings'])}</p><p>{sentence}</p>",
        }[form]
