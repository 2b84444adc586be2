"""From what an extractor chose to the article's body: less the lines that stand in it but are not its text.

A rule is a row: what a whole line looks like, and how long such a line may be at most. Rules hold in any language of
their words and know no site; a sentence that only begins like one (`By Monday the river ...`) is longer than its bound.
"""

import re
from collections.abc import Iterable

from newsextract.algorithms import Extraction

#: Tags whose blocks are never body text, wherever an extractor may have found them.
CAPTION_TAGS = frozenset({"figcaption", "figure", "caption"})
CAPTION_WORDS = re.compile(r"caption|photo-?credit|image-?credit|bildunterschrift|legende", re.I)
DATE_WORDS = frozenset(
    """
    jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october
    november december januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août
    septembre octobre novembre décembre enero febrero marzo mayo junio julio agosto octubre noviembre
    mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday
    montag dienstag mittwoch donnerstag freitag samstag sonntag
    published updated posted modified last on at am pm gmt utc est edt pst cet cest min read minutes ago date
    uhr um vom den der stand veröffentlicht aktualisiert publié le à mis jour 年 月 日 发布 时间
    """.split()
)
#: What a whole line is like (matched from its start), and the characters beyond which it is a sentence after all.
LINE_RULES = tuple(
    (re.compile(pattern, re.I | re.X), longest)
    for pattern, longest in (
        (r"(photo(graph)?|image|picture|foto|bild|crédit|credit|quelle)s?\s*(by|credit)?\s*[:：©/|]", 120),
        (r"©|\(c\)|图[：:]|图片来源|图源|摄影[：:]|photo\ by\ ", 80),
        (r"©|copyright|\(c\)\s*\d{4}|alle\ rechte\ vorbehalten|all\ rights\ reserved|版权所有|未经授权", 200),
        (r"[（(\[【]?\s*(责任编辑|责编|编辑|编审|审校|校对|原标题|作者|文章来源|来源|记者|稿源|编者)\s*[:：]", 60),
        (r"read\ (also|more|next)\b(?!\s+\w[^:]*\.$)", 160),
        (r"(see\ also|also\ read|related(\ articles?|\ stories)?|more\ on\ this)\b", 160),
        (r"(lesen\ sie\ (auch|mehr)|mehr\ zum\ thema|lire\ aussi|à\ lire|leia\ também|leggi\ anche)\b", 160),
        (r"(相关(阅读|新闻|报道|链接|文章)|延伸阅读|推荐阅读)", 160),
        (r"(sign\ up\ (for|to)|subscribe\ (to|now)|newsletter\ abonnieren|jetzt\ abonnieren|inscrivez-vous)\b", 160),
        (
            r"""((share(\ this)?(\ article|\ story|\ on)?|tweet|facebook|twitter|linkedin|whatsapp|telegram|e-?mail
            |print|copy\ link|pinterest|reddit|teilen|drucken|merken|partager|compartir|分享到?|微信|微博|打印|收藏
            |字号|评论|(\d+\s)?comments?|save|follow\ us)[\s|,·:：/()\d]*)+$""",
            120,
        ),
    )
)
BYLINE = re.compile(
    r"\W*(by|von|par|por|di|door|av|af|text|reported\ by|written\ by|文|作者|记者|本报记者|撰文)\b[\s:：]*",
    re.I | re.X,
)
WORDS = re.compile(r"[^\W\d_]+")
#: A line of so many characters that only names and dates are in is no signature any more.
LONGEST_SIGNATURE = 120


def body_rows(extraction: Extraction, headline: str | None, authors: Iterable[str]) -> list[int]:
    """Which of the extraction's blocks are the body: the chosen ones less headline, byline, dates, captions etc."""
    captions = _caption_elements(extraction)
    owners = extraction.page.blocks.owners[extraction.origins].tolist()
    names = {word.casefold() for name in authors for word in WORDS.findall(name)}
    title = _letters(headline or "")
    kept = []
    rows = zip(extraction.texts, owners, extraction.chosen.tolist(), strict=True)
    for row, (text, owner, chosen) in enumerate(rows):
        if chosen and owner not in captions and not is_furniture(text, title, names):
            kept.append(row)
    return kept


def is_furniture(text: str, title: str = "", names: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether a line is not the article's text. `title`: the headline's letters; `names`: the authors' words."""
    if title and _letters(text) == title:
        return True
    if len(text) > 200:
        return False
    for rule, longest in LINE_RULES:
        if len(text) <= longest and rule.match(text):
            return True
    if len(text) >= LONGEST_SIGNATURE:
        return False
    signed = BYLINE.match(text) is not None
    for match in WORDS.finditer(BYLINE.sub("", text)):
        word = match.group().casefold()
        if word in names:
            signed = True
        elif word not in DATE_WORDS:
            return False
    return signed or any(character.isdigit() for character in text)


def _caption_elements(extraction: Extraction) -> set[int]:
    """Elements that are captions or stand in one; parents come before children."""
    blocks = extraction.page.blocks
    called = {name for name in set(blocks.element_classes) if name and CAPTION_WORDS.search(name)}
    found: set[int] = set()
    elements = zip(blocks.parents.tolist(), blocks.element_tags, blocks.element_classes, strict=True)
    for index, (parent, tag, name) in enumerate(elements):
        if parent in found or tag in CAPTION_TAGS or name in called:
            found.add(index)
    return found if len(found) < len(blocks.elements) / 2 else set()


def _letters(text: str) -> str:
    return "".join(WORDS.findall(text)).casefold()
