"""Bylines of Chinese pages: who signs as reporter, author or editor, and which characters can be a name.

Chinese writes no capitals and no spaces, so a name is known by its label and its length, and where there is no label by
its surname: some hundred of them are borne by nine of ten people.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

HAN = r"\u3400-\u9fff"
#: Common surnames that begin no common word of news pages, simplified and traditional.
SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱林郭罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏汪姜范姚谭廖邹熊陆郝崔康邱秦"
    "侯邵孟段钱汤尹黎乔贺赖龚庞樊殷施陶翟颜倪严俞鲁葛伍韦毕聂焦柳邢岳莫庄辛祝涂祁耿牟卜詹苗凌靳甄裴席鲍覃霍翁隋柯阮闫佘骆付瞿褚虞奚佟穆卞"
    "張劉陳楊趙黃吳孫馮蕭鄧許蘇盧蔣賈葉閻譚鄒陸錢湯賴龔龐顏嚴魯韋畢莊駱"
)
#: The same of surnames that also begin words: they count behind a label only.
OTHERS = frozenset(
    "高何马于钟田任方石金孔白毛江史顾龙万易常武文兰洪安牛温季章申尤向路齐梅左谷时舒关费纪盛童曲成游阳卫单包宁华车馬鍾伊柏麦植褚冉辜景"
)
DOUBLE = tuple("欧阳 司马 上官 诸葛 皇甫 尉迟 公孙 慕容 令狐 端木 南宫 夏侯 歐陽 司馬 諸葛".split())
SIGNS = re.compile(
    r"(?:记者|記者|通讯员|通訊員|实习生|實習生|作者|撰文|特约评论员|文字|(?:^|[\s丨|｜])文)(?P<colon>\s*[:：/／|｜丨]\s*|\s*)"
    r"(?P<rest>[^。！？；;\n)）\]】]{2,40})"
)
#: "Name/文": the label behind.
SIGNED_BEHIND = re.compile(rf"([{HAN}]{{2,3}})\s*[/／]\s*(?:文|撰文|记者|報導)")
EDITED = re.compile(rf"(?:责任编辑|責任編輯|责编|编辑|編輯)\s*[:：]\s*(?P<rest>[{HAN}、，,\s]{{2,16}})")
IN_BRACKETS = re.compile(rf"[（(]\s*([{HAN}]{{2,3}})\s*(?:\s[{HAN}]{{2,4}}报道)?[)）]\s*$")
BETWEEN = re.compile(r"[、，,/／\s|｜和]+")
#: What stands right behind a name.
BEHIND = re.compile(r"(?:综合|摄影|现场|实习)?(?:报道|報導|整理|编译|摄|发自.*|文|通讯员|记者)$|[（(\[【].*")
#: A byline is in a short block, or at one of a paragraph's ends.
SHORT, END = 60, 60


def signed(texts: Iterable[str]) -> Iterator[list[str]]:
    """The names that these texts say to be their reporters' or authors'; those of successive short texts together."""
    together: list[str] = []
    for text in texts:
        found = _signed(text)
        if together and not (found and len(text) < SHORT):
            yield together
            together = []
        together += found
    if together:
        yield together


def _signed(text: str) -> list[str]:
    """The names at the beginning or the end of a text."""
    for end in (text,) if len(text) <= 2 * END else (text[:END], text[-END:]):
        for match in SIGNS.finditer(end):
            if names := listed(match["rest"], free=bool(match["colon"].strip())):
                return names
        if behind := SIGNED_BEHIND.search(end):
            return [behind[1]]
    return []


def edited(texts: Iterable[str]) -> Iterator[list[str]]:
    """The names of editors, for pages on which nobody else signs."""
    for text in texts:
        if (match := EDITED.search(text[-END:])) and (names := listed(match["rest"], free=True)):
            yield names


def bare(head: Sequence[str], last: str) -> Iterator[list[str]]:
    """Names without a label: alone in a block below the headline, or in brackets at the text's very end."""
    for text in head:
        parts = [part for part in BETWEEN.split(text) if part]
        if (
            len(text) < SHORT
            and 0 < len(parts) <= 4
            and all(is_name(part, labelled=i > 0) for i, part in enumerate(parts))
        ):
            yield parts
    if (match := IN_BRACKETS.search(last[-END:])) and is_name(match[1]):
        yield [match[1]]


def listed(text: str, *, free: bool = False) -> list[str]:
    """The names at the beginning of a text; where `free`, the first may be any short word (a pen name)."""
    found: list[str] = []
    for part in BETWEEN.split(text.strip()):
        name = BEHIND.sub("", part)
        if not is_name(name, labelled=True) and not (free and not found and _is_pen_name(name)):
            break
        found.append(name)
    return found


def is_name(text: str, *, labelled: bool = False) -> bool:
    """Whether two or three characters (four with a double surname) can be a person's name."""
    if not re.fullmatch(rf"[{HAN}]{{2,4}}", text):
        return False
    if text.startswith(DOUBLE):
        return len(text) > 2
    return len(text) < 4 and (text[0] in SURNAMES or (labelled and text[0] in OTHERS))


def _is_pen_name(name: str) -> bool:
    return re.fullmatch(rf"[{HAN}]{{2,6}}|[A-Za-z][\w.]{{1,20}}", name) is not None
