"""Phrases of short lines that say what stands around them: comments, related articles, sharing, credits, bylines.

Searched for in all short lines of the page at once; a longer line is looked at as far as its first colon, where labels
stand ("See also: ..."). Beside the line itself its neighbourhood counts: a block among lines that say "reply" is a
comment, whatever its classes are; so does the last heading that names comments or related articles above it.
"""

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from newsextract.extractors.fusion.features import CJK, DIGIT, GOOD_SUM, Floats, Sheet

SHORT = 60
#: A label of a longer line ends with a colon before this many characters.
LABEL = 40
#: In the languages of most news. A phrase of letters counts where it stands as whole words.
PHRASES: Mapping[str, tuple[str, ...]] = {
    "comments": (
        "comment", "comments", "kommentar", "kommentare", "discussion", "diskussion", "leave a reply", "commentaires",
        "commentaire", "comentarios", "comentários", "comentario", "commenti", "reacties", "komentarze", "kommentarer",
        "комментарии", "yorum", "yorumlar", "评论", "留言", "网友", "コメント", "댓글",
    ),
    "related": (
        "read more", "read also", "also read", "read next", "related", "see also", "more from", "more on", "learn more",
        "recommended", "you may", "you might", "trending", "most read", "popular", "latest", "up next", "don't miss",
        "further reading", "more stories", "keep reading", "watch:", "read:", "more:", "must read", "in other news",
        "lesen sie", "lies auch", "siehe auch", "auch interessant", "mehr zum", "mehr zu", "mehr themen",
        "zum weiterlesen", "weiterlesen", "weitere artikel", "weitere beiträge", "weitere themen", "weitere infos",
        "passend zum", "das könnte", "meistgelesen", "zum thema", "mehr dazu", "hintergrund:", "empfehlung",
        "lire aussi", "à lire", "lire la suite", "voir aussi", "sur le même", "en savoir plus",
        "les plus lus", "articles liés", "lea también", "lea más", "lea:", "leer también", "lee también", "ver también",
        "puedes ver", "le puede interesar", "te puede interesar", "te recomendamos", "mira:",
        "mira también", "más información", "relacionadas", "leia também", "leia mais",
        "veja também", "saiba mais", "leggi anche", "leggi:", "per approfondire", "articoli correlati", "lees ook",
        "lees meer", "meer over", "czytaj także", "czytaj też", "czytaj więcej", "zobacz także", "zobacz też",
        "dowiedz się więcej", "więcej:", "läs också", "läs mer", "les også", "læs også", "lue myös", "читайте также",
        "читать также", "по теме", "ilgili haber", "baca juga", "přečtěte si", "čtěte také", "olvasson",
        "相关", "推荐", "阅读", "热门", "関連", "관련",
    ),
    "reply": (
        "reply", "says:", "wrote:", "antworten", "report abuse", "permalink", "répondre", "responder",
        "rispondi", "odpowiedz", "svara", "ответить", "回复", "楼", "返信",
    ),
    "share": (
        "share", "shares", "facebook", "twitter", "whatsapp", "email", "e-mail", "print", "pinterest", "telegram",
        "teilen", "drucken", "gefällt mir", "partager", "imprimer", "compartir", "compartilhar", "condividi", "delen",
        "udostępnij", "dela", "jaa", "поделиться", "paylaş", "copy link", "linkedin", "分享", "打印", "シェア",
    ),
    "subscribe": (
        "subscribe", "subscriber", "subscribers", "subscription", "newsletter", "sign up", "log in", "sign in", "inbox",
        "register", "abonnieren", "abonnement", "abo", "abonnez", "abonnés", "anmelden", "registrieren", "s'abonner",
        "suscríbete", "suscribirse", "suscríbase", "assine", "iscriviti", "abbonati", "zapisz się", "prenumerera",
        "подписаться", "подпишитесь", "donate", "spenden", "download the", "our app", "follow us", "folgen sie",
        "suivez", "síguenos", "canal de", "登录", "注册", "关注",
    ),
    "credit": (
        "photo", "photos", "photograph", "getty", "image", "images", "foto", "fotos", "credit",
        "credits", "crédits", "crédit", "courtesy", "picture:", "bild", "beitragsbild", "symbolbild", "imago",
        "dpa", "afp", "epa", "shutterstock", "reuters", "imagen", "imagem", "zdjęcie", "fot", "фото", "kuva",
        "图：", "图片", "摄", "写真", "사진",
    ),
    "editor": (
        "©", "copyright", "(c)", "all rights", "编辑", "记者", "来源", "原标题", "版权", "转载", "声明", "責任編輯",
    ),
    "byline": (
        "updated", "published", "posted", "min read", "by", "von", "par", "por", "aktualisiert", "veröffentlicht",
        "publié", "publicado", "actualizado", "pubblicato", "stand:", "lesezeit", "release date", "发布", "时间",
    ),
    "tags": (
        "source", "sources", "tags", "tag", "filed under", "category", "categories", "topics",
        "topic", "quelle", "quellen", "schlagwörter", "schlagworte", "themen", "fuente",
        "etiquetas", "fonte", "mots-clés", "标签", "关键",
    ),
    "advert": (
        "advertisement", "advertising", "advert", "anzeige", "werbung", "sponsored", "publicité", "publicidad",
        "publicidade", "pubblicità", "reklama", "annons", "реклама", "affiliate", "广告",
    ),
    "embed": (
        "externer inhalt", "external content", "view this post", "a post shared", "loading", "javascript", "video",
        "cargando", "wird geladen", "podcast", "pdf", "kontaktformular", "faq", "click here", "hier klicken",
    ),
}  # fmt: skip
#: What a longer line may be labelled as; "the minister says: ..." is no reply.
LABELS = ("related", "subscribe", "credit", "advert")
NEAR = 5
#: What a heading may name all that stands below it.
ZONES = 2
FEATURES = (
    *((f"says {name}", "phrases") for name in PHRASES),
    ("dated", "phrases"),
    *((f"near {name}", "phrases") for name in PHRASES),
    ("near dated", "phrases"),
    *((f"behind {name} line", "phrases") for name in list(PHRASES)[:ZONES]),
)
NO_LABELS = [place for place, name in enumerate(PHRASES) if name not in LABELS]
#: What may stand beside a word, for finding the words of a line; phrases with a colon are looked for as they are.
BESIDE = ',.!?()[]|/»«“”„":;…'
#: Kana and Han, whose words no space divides.
UNSPACED = ("\u3040", "\u9fff")


def evidence(sheet: Sheet, out: Floats) -> None:
    """Fills (FEATURES, blocks)."""
    count, kinds = len(sheet.size), len(PHRASES) + 1
    said, near = out[:kinds], out[kinds : 2 * kinds]
    said[:] = 0
    is_short = sheet.size <= SHORT
    lines = [
        text if short else text[: text.find(":", 0, LABEL) + 1]
        for text, short in zip(sheet.blocks.texts, is_short.tolist(), strict=True)
    ]
    haystack = "\n".join(lines).lower()
    places, found = _found(f"\n{haystack}\n", bool(sheet.kinds[CJK].any()))
    if found:
        ends = np.cumsum(np.array([*map(len, haystack.split("\n"))], np.int64) + 1)
        said[found, np.searchsorted(ends, np.array(places) - 1, "right")] = 1
        said[NO_LABELS] *= is_short
    said[-1] = (sheet.kinds[DIGIT] >= 2) & is_short
    sums = np.zeros((kinds, count + 1), np.float32)
    np.cumsum(said, 1, out=sums[:, 1:])
    rows = sheet.rows
    np.subtract(sums.take(np.minimum(count, rows + (NEAR + 1)), 1), sums.take(np.maximum(0, rows - NEAR), 1), out=near)
    for zone in range(ZONES):
        _behind(said[zone], sheet, out[2 * kinds + zone])


def _found(haystack: str, asian: bool) -> tuple[list[int], list[int]]:
    """Where phrases stand in lines of lower case, a line's end before the first, and of which kind each is.

    A phrase is looked for only where its longest word is one of the page's, which few are.
    """
    spaced = haystack
    for mark in BESIDE:
        spaced = spaced.replace(mark, " ")
    by_word, by_part = _phrases()
    wanted = [one for word in by_word.keys() & set(spaced.split()) for one in by_word[word]]
    places, kinds = [], []
    for phrase, kind, is_marked in wanted:
        text = haystack if is_marked else spaced
        found = [place for place in _places_of(phrase, text) if _is_whole(phrase, text, place)]
        places += found
        kinds += [kind] * len(found)
    for phrase, kind, is_asian in by_part:
        found = [*_places_of(phrase, haystack)] if asian or not is_asian else []
        places += found
        kinds += [kind] * len(found)
    return places, kinds


def _places_of(phrase: str, text: str) -> Iterator[int]:
    place = text.find(phrase)
    while place >= 0:
        yield place
        place = text.find(phrase, place + len(phrase))


def _is_whole(phrase: str, text: str, place: int) -> bool:
    """Whether no word goes on before or behind the phrase."""
    behind = text[place + len(phrase)]
    return not (text[place - 1].isalnum() or (behind.isalnum() and phrase[-1].isalnum()))


@cache
def _phrases() -> tuple[dict[str, list[tuple[str, int, bool]]], list[tuple[str, int, bool]]]:
    """Longest word -> phrases, each with its kind and whether it holds a mark of BESIDE; the phrases that may begin
    or end within a word, each with its kind and whether it is of a script without spaces."""
    by_word: dict[str, list[tuple[str, int, bool]]] = {}
    by_part = []
    for kind, group in enumerate(PHRASES.values()):
        for phrase in group:
            words = "".join(" " if mark in BESIDE else mark for mark in phrase).split()
            if phrase == "©" or UNSPACED[0] <= phrase[0] <= UNSPACED[1]:
                by_part.append((phrase, kind, phrase != "©"))
            else:
                by_word.setdefault(max(words, key=len), []).append((phrase, kind, words != phrase.split()))
    return by_word, by_part


def _behind(says: Floats, sheet: Sheet, out: Floats) -> None:
    """1 just behind a hardly linked line that says so, fading slowly; 0 where none stands above with text before it."""
    named = np.flatnonzero((says > 0) & (sheet.link_share < 0.5) & (sheet.running[GOOD_SUM, :-1] > 0))
    out[:] = 0
    if len(named):
        rows = sheet.rows[named[0] :]
        last = named.take(np.searchsorted(named, rows, "right") - 1)
        out[named[0] :] = 1 / (1 + np.log1p(rows - last))
