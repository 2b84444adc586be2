"""Edits of texts as they happen between sites: those that leave a near-duplicate, and those that make another text.

A text is a list of paragraphs. Every edit takes a random generator, the text and another text of the same script, and
returns (the text stored first, the text stored after it), or None if the text is too short for the edit.
"""

import random
import re
from collections.abc import Callable, Sequence

import jieba

Text = list[str]
Pair = tuple[Text, Text]
Edit = Callable[[random.Random, Text, Text], Pair | None]

HAN = re.compile("[㐀-鿿]")
NUMERALS = "二三四五六七八九十百"
NUMBER = re.compile(rf"\d+|[{NUMERALS}]")
#: A capitalised word inside a sentence.
NAME = re.compile(r"(?<=[a-zà-ÿа-яі,] )[A-ZÀ-ÞА-ЯІ][\w’'-]+")
#: Numbers and names that a text needs at least for `other_facts`.
FACTS = 8


def words(paragraph: str) -> list[str]:
    """Words of a paragraph, each with the space after it; joined they are the paragraph and a line end."""
    if HAN.search(paragraph):
        return [*jieba.cut(paragraph), "\n"]
    return re.findall(r"\S+\s*", paragraph + "\n")


def cut(text: Text, share: float) -> Text:
    """The first `share` of a text's words."""
    left = round(sum(len(words(paragraph)) for paragraph in text) * share)
    kept = []
    for paragraph in text:
        some = words(paragraph)[:left]
        left -= len(some)
        if some:
            kept.append("".join(some).strip())
    return kept


def same(chance: random.Random, text: Text, other: Text) -> Pair:
    """Another layout: paragraphs joined in pairs, straight quotation marks."""
    lines = [" ".join(text[place : place + 2]) for place in range(0, len(text), 2)]
    return text, [line.replace("“", '"').replace("”", '"').replace("’", "'") for line in lines]


def tail_cut(chance: random.Random, text: Text, other: Text) -> Pair:
    """The last 30 % of its words are missing."""
    return text, cut(text, 0.7)


def tail_added(chance: random.Random, text: Text, other: Text) -> Pair:
    """The text stored first lacks the last 30 % of the words."""
    return cut(text, 0.7), text


def words_changed(chance: random.Random, text: Text, other: Text) -> Pair:
    """10 % of the words, at random places, are replaced by words of another text."""
    new = [word for paragraph in other for word in words(paragraph)]
    parts = [words(paragraph) for paragraph in text]
    places = [(row, column) for row, part in enumerate(parts) for column in range(len(part))]
    for row, column in chance.sample(places, round(len(places) * 0.1)):
        parts[row][column] = chance.choice(new)
    return text, ["".join(part) for part in parts]


def lead_changed(chance: random.Random, text: Text, other: Text) -> Pair:
    """The first 15 % of the words are replaced by words of another text."""
    share = 0.15
    rest = [word for paragraph in text for word in words(paragraph)]
    new = [word for paragraph in other for word in words(paragraph)]
    count = round(len(rest) * share)
    return text, ["".join(new[:count]), "".join(rest[count:])]


def boxes_added(chance: random.Random, text: Text, other: Text) -> Pair:
    """Three boxes, with a tenth of the text's words each, between and inside its paragraphs."""
    rest = [word for paragraph in text for word in words(paragraph)]
    new = [word for paragraph in other for word in words(paragraph)]
    size, quarter = len(rest) // 10, len(rest) // 4
    lines = ["".join(rest[:quarter])]
    for number in range(3):
        lines.append("".join(new[number * size : (number + 1) * size]))
        end = None if number == 2 else (number + 2) * quarter
        lines.append("".join(rest[(number + 1) * quarter : end]))
    return text, lines


def merged(chance: random.Random, text: Text, other: Text) -> Pair | None:
    """Two articles in one text, neither of them more than 55 % of it."""
    sizes = [len("".join(one)) for one in (text, other)]
    return (text, [*text, *other]) if max(sizes) <= 0.55 * sum(sizes) else None


def other_facts(chance: random.Random, text: Text, other: Text) -> Pair | None:
    """A report of another day: the same sentences with other numbers and names."""
    whole = "\n".join(text)
    names = sorted({*NAME.findall("\n".join(other))} - {*NAME.findall(whole)})
    if len(NUMBER.findall(whole)) + len(NAME.findall(whole)) < FACTS or len(names) < 3:
        return None
    new: dict[str, str] = {}

    def other_fact(old: str) -> str:
        if old in NUMERALS:
            return chance.choice(NUMERALS.replace(old, ""))
        return str(int(old[:9]) + chance.randint(1, 9)) if old.isdecimal() else chance.choice(names)

    def replaced(match: re.Match[str]) -> str:
        old = match.group()
        new.setdefault(old, other_fact(old))
        return new[old]

    report = NAME.sub(replaced, NUMBER.sub(replaced, whole))
    return text, report.split("\n")


#: Edit -> whether the second text is a copy of the first.
EDITS: dict[Edit, bool] = {
    same: True,
    tail_cut: True,
    tail_added: True,
    words_changed: True,
    lead_changed: True,
    boxes_added: True,
    merged: False,
    other_facts: False,
}

#: Templates of daily reports of news agencies; in braces a choice from CHOICES or a number from a range.
TEMPLATES = {
    "weather": """
The weather in {place} on {day}: {sky} in the morning, then {sky} with a high of {n:8:34} degrees.
Winds from the {wind} will reach {n:5:80} kilometres an hour in the afternoon; the chance of rain is {n:0:100} per cent.
Overnight temperatures fall to {n:0:15} degrees in {place} and to {n:0:12} degrees on higher ground.
The outlook for {day} is {sky}, with highs of {n:8:34} degrees and {n:0:30} millimetres of rain expected by {day}.
The sun rises at {n:4:8}:{n:10:59} and sets at {n:16:21}:{n:10:59}. The pollen count is {level}.
""",
    "market": """
Shares on the {place} exchange closed {move} on {day}, the index {n:1:4}.{n:10:99} per cent {move} at {n:2000:9000}.
Turnover was {n:200:990} million, against {n:200:990} million on {day}; {n:20:400} issues rose while {n:20:400} fell.
Among the leaders {name} gained {n:1:9}.{n:10:99} per cent; {name} lost {n:1:9}.{n:10:99} per cent.
The currency traded at {n:1:3}.{n:1000:9999} to the dollar; the yield on ten-year bonds was {n:1:6}.{n:10:99} per cent.
""",
    "match": """
{place} beat {place} {n:0:6}-{n:0:6} on {day} evening in front of a crowd of {n:2000:60000}.
{name} opened the scoring after {n:1:45} minutes from {n:8:30} metres, and {name} made it two after {n:46:90} minutes.
The home side had {n:30:70} per cent of the ball, {n:1:12} corners and {n:1:20} shots, {n:1:9} of them on target.
The referee, {name}, showed {n:1:7} yellow cards, and {name} was sent off in minute {n:10:90}.
{place} now have {n:5:70} points from {n:5:38} games and play {place} on {day} at {n:12:20} o'clock.
""",
    "天气": """
{地}今天白天{天}，最高气温{n:5:38}℃，{风}风{n:1:6}级，相对湿度{n:15:95}%；夜间{天}，最低气温{n:-9:25}℃。
明天{天}，最高气温{n:5:38}℃，最低气温{n:-9:25}℃，降水概率{n:0:100}%，{风}风{n:1:6}级。
空气质量指数为{n:20:300}，首要污染物浓度为每立方米{n:10:200}微克，能见度{n:1:30}公里。
气象台提醒，{地}未来三天平均气温{n:0:30}℃，较常年同期偏高{n:1:6}度，请市民注意增减衣物，出行注意交通安全。
""",
    "股市": """
{地}股市{日}收盘，综合指数报{n:2000:9000}点，涨跌幅{n:0:4}.{n:10:99}%，成交额{n:200:9900}亿元。
盘面上，{n:100:3000}只个股上涨，{n:100:3000}只个股下跌，涨停{n:5:99}只，跌停{n:1:50}只。
汇率方面，中间价报{n:6:7}.{n:1000:9999}，较前一交易日调整{n:5:300}个基点；十年期国债收益率为{n:1:4}.{n:10:99}%。
分析人士认为，市场短期仍以震荡为主，建议投资者控制仓位，关注业绩确定性较高的板块，谨慎追高。
""",
}
CHOICES = {
    "place": "Northport Easterby Saltmarsh Highcliff Oldham Redford Kingsmere Brackwater Dunmore Ashford".split(),
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "sky": ["sunny", "cloudy", "showers", "light rain", "fog patches", "snow", "clear skies", "thunderstorms"],
    "wind": "north south east west north-east south-west".split(),
    "level": "low moderate high".split(),
    "move": ["up", "down", "little changed", "sharply higher", "lower"],
    "name": "Alvarez Benson Castle Dreyer Easton Falk Gruber Hollis Ivers Jansen Kovac Lindt Moreau Novak".split(),
    "地": "北京 上海 广州 深圳 成都 武汉 西安 南京 杭州 重庆".split(),
    "天": "晴 多云 阴 小雨 中雨 雷阵雨 小雪 雾".split(),
    "风": "东 南 西 北 东北 西南".split(),
    "日": "周一 周二 周三 周四 周五".split(),
}


def report(chance: random.Random, name: str) -> Text:
    """A report from that template with random facts."""

    def fact(match: re.Match[str]) -> str:
        kind, *limits = match.group(1).split(":")
        return str(chance.randint(*map(int, limits))) if limits else chance.choice(CHOICES[kind])

    return re.sub(r"\{([^}]+)\}", fact, TEMPLATES[name].strip()).split("\n")


def pairs(edit: Edit, texts: Sequence[Text], seed: int = 1) -> list[tuple[int, Pair]]:
    """(number of the text, its pair) for every text that is long enough; the other text is in the same script."""
    chance = random.Random(f"{edit.__name__} {seed}")
    by_script = {han: [text for text in texts if is_han(text) == han] for han in (False, True)}
    made = []
    for number, text in enumerate(texts):
        others = [other for other in by_script[is_han(text)] if other is not text]
        pair = edit(chance, text, chance.choice(others)) if others else None
        if pair is not None:
            made.append((number, pair))
    return made


def is_han(text: Text) -> bool:
    """Whether a text is Chinese."""
    whole = "".join(text)
    return len(HAN.findall(whole)) > 0.3 * len(whole)
