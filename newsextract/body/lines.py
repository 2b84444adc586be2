"""From what an extractor chose to the article's body: less the lines that stand in it but are not its text.

A rule is a row: what a whole line looks like, and how long such a line may be at most. Rules hold in any language of
their words and know no site; a sentence that only begins like one (`By Monday the river ...`) is longer than its bound.
"""

import re
from collections.abc import Iterable

import numpy as np

from newsextract.extractors import Extraction
from newsextract.page.blocks import Blocks

#: Tags whose blocks are never body text, wherever an extractor may have found them.
CAPTION_TAGS = frozenset({"figcaption", "figure", "caption"})
CAPTION_WORDS = tuple("caption photo-credit photocredit image-credit imagecredit bildunterschrift legende".split())
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
#: What a whole line is like (matched from its start), the characters beyond which it is a sentence after all, and the
#: first three letters of the words that it can begin with: other lines need not be compared.
LINE_RULES = tuple(
    (re.compile(pattern, re.I | re.X), longest, heads.split())
    for pattern, longest, heads in (
        (
            r"(photo(graph)?|image|picture|foto|bild|crédit|credit|quelle)s?\s*(by|credit)?\s*[:：©/|]",
            120,
            "pho ima pic fot bil cré cre que",
        ),
        (r"©|\(c\)|图[：:]|图片来源|图源|摄影[：:]|photo\ by\ ", 80, "pho"),
        (
            r"©|copyright|\(c\)\s*\d{4}|alle\ rechte\ vorbehalten|all\ rights\ reserved|版权所有|未经授权",
            200,
            "cop all",
        ),
        (r"[（(\[【]?\s*(责任编辑|责编|编辑|编审|审校|校对|原标题|作者|文章来源|来源|记者|稿源|编者)\s*[:：]", 60, ""),
        (r"read\ (also|more|next)\b(?!\s+\w[^:]*\.$)", 160, "rea"),
        (r"(see\ also|also\ read|related(\ articles?|\ stories)?|more\ on\ this)\b", 160, "see als rel mor"),
        (
            r"(lesen\ sie\ (auch|mehr)|mehr\ zum\ thema|lire\ aussi|à\ lire|leia\ também|leggi\ anche)\b",
            160,
            "les meh lir lei leg",
        ),
        (r"(相关(阅读|新闻|报道|链接|文章)|延伸阅读|推荐阅读)", 160, ""),
        (
            r"(sign\ up\ (for|to)|subscribe\ (to|now)|newsletter\ abonnieren|jetzt\ abonnieren|inscrivez-vous)\b",
            160,
            "sig sub new jet ins",
        ),
        (
            r"""((share(\ this)?(\ article|\ story|\ on)?|tweet|facebook|twitter|linkedin|whatsapp|telegram|e-?mail
            |print|copy\ link|pinterest|reddit|teilen|drucken|merken|partager|compartir|分享到?|微信|微博|打印|收藏
            |字号|评论|(\d+\s)?comments?|save|follow\ us)[\s|,·:：/()\d]*)+$""",
            120,
            "sha twe fac twi lin wha tel e-m ema pri cop pin red tei dru mer par com sav fol",
        ),
    )
)
HEADS = frozenset(head for *_, heads in LINE_RULES for head in heads)
BYLINE = re.compile(
    r"\W*(by|von|par|por|di|door|av|af|text|reported\ by|written\ by|文|作者|记者|本报记者|撰文)\b[\s:：]*",
    re.I | re.X,
)
#: Words that such a byline can begin with.
SIGNING = frozenset("by von par por di door av af text reported written 文 作者 记者 本报记者 撰文".split())
WORDS = re.compile(r"[^\W\d_]+")
#: A line of so many characters that only names and dates are in is no signature any more.
LONGEST_SIGNATURE = 120


def body_rows(extraction: Extraction, headline: str | None, authors: Iterable[str]) -> list[int]:
    """Which of the extraction's blocks are the body: the chosen ones less headline, byline, dates, captions etc."""
    chosen = np.flatnonzero(extraction.chosen)
    owners = extraction.page.blocks.owners[extraction.origins[chosen]].tolist()
    captions = _captions(extraction.page.blocks, set(owners))
    names = {word.casefold() for name in authors for word in WORDS.findall(name)}
    title = _letters(headline or "")
    return [
        row
        for row, owner in zip(chosen.tolist(), owners, strict=True)
        if owner not in captions and not is_furniture(extraction.texts[row], title, names)
    ]


def is_furniture(text: str, title: str = "", names: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether a line is not the article's text. `title`: the headline's letters; `names`: the authors' words."""
    size = len(text)
    if title and len(title) <= 2 * size and size <= 3 * len(title) + 20 and _letters(text) == title:
        return True
    if size > 200:
        return False
    head = text[:3].lower()
    if head in HEADS or not (head.isascii() and head[:1].isalpha()):
        for rule, longest, _ in LINE_RULES:
            if size <= longest and rule.match(text):
                return True
    return size < LONGEST_SIGNATURE and _is_signature(text, names)


def _is_signature(text: str, names: frozenset[str] | set[str]) -> bool:
    """Whether there is nothing in a line but who wrote it, and when."""
    first = WORDS.search(text)
    word = first.group().casefold() if first else ""
    if word and word not in names and word not in DATE_WORDS and word not in SIGNING:
        return False
    signed = BYLINE.match(text) is not None
    for match in WORDS.finditer(BYLINE.sub("", text)):
        word = match.group().casefold()
        if word in names:
            signed = True
        elif word not in DATE_WORDS:
            return False
    return signed or any(character.isdigit() for character in text)


def _captions(blocks: Blocks, owners: Iterable[int]) -> set[int]:
    """Which of these elements are captions or stand in one; none where that is most of the page."""
    tags, classes, known = blocks.element_tags, blocks.element_classes, {-1: False}

    def within(element: int) -> bool:
        chain = []
        while (found := known.get(element)) is None:
            chain.append(element)
            if tags[element] in CAPTION_TAGS or _says_caption(classes[element]):
                found = True
                break
            element = int(blocks.parents[element])
        known.update(dict.fromkeys(chain, found))
        return found

    if any(within(owner) for owner in owners) and sum(map(within, range(len(tags)))) < len(tags) / 2:
        return {element for element, found in known.items() if found}
    return set()


def _says_caption(name: str | None) -> bool:
    return name is not None and any(map(name.lower().__contains__, CAPTION_WORDS))


def _letters(text: str) -> str:
    return "".join(WORDS.findall(text)).casefold()
