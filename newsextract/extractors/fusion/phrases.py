"""Features of phrases that mark comments, related articles, sharing, credits and bylines, in short blocks.

All short blocks of a page are searched at once; of a longer one only the part before its first colon, where labels are
("See also: ..."). Blocks near one with a phrase get features, too (among "reply" lines a block is a comment, whatever
its class), and so do blocks after a heading for comments or related articles.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

import numpy as np

from newsextract.extractors.fusion.features import CJK, DIGIT, GOOD_SUM, FeatureTable, Floats
from newsextract.text import UNSPACED, character_class

#: Size of a short block; a label of a longer one ends with a colon before this many characters.
SHORT, LABEL = 60, 40
#: Phrases by kind, in the languages of most news. A phrase of letters has to match whole words.
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
        "kapcsolódó", "ajánló", "legolvasottabb", "berita terkait", "terpopuler",
        "相关", "推荐", "阅读", "热门", "関連", "관련", "추천",
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
        "hírlevelünkre", "feliratkozás", "regisztráljon", "berlangganan", "daftar", "会員",
        "購読", "구독", "회원", "로그인",
    ),
    "credit": (
        "photo", "photos", "photograph", "getty", "image", "images", "foto", "fotos", "credit",
        "credits", "crédits", "crédit", "courtesy", "picture:", "bild", "beitragsbild", "symbolbild", "imago",
        "dpa", "afp", "epa", "shutterstock", "reuters", "imagen", "imagem", "zdjęcie", "fot", "фото", "kuva",
        "图：", "图片", "摄", "写真", "사진",
    ),
    "editor": (
        "©", "copyright", "(c)", "all rights", "编辑", "记者", "来源", "原标题", "版权", "转载", "声明", "責任編輯",
        "rights reserved", "alle rechte", "tous droits", "todos los derechos", "todos os direitos", "minden jog",
        "hak cipta", "may not be", "転載", "무단", "저작권", "제보", "(끝)",
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
        "publicidade", "pubblicità", "reklama", "annons", "реклама", "affiliate", "广告", "hirdetés",
        "iklan", "広告", "광고",
    ),
    "embed": (
        "externer inhalt", "external content", "view this post", "a post shared", "loading", "javascript", "video",
        "cargando", "wird geladen", "podcast", "pdf", "kontaktformular", "faq", "click here", "hier klicken",
        "consent", "cookies", "einverstanden", "datenschutz", "been deleted", "be played",
    ),
}  # fmt: skip
#: Kinds that labels of longer blocks may be; "the minister says: ..." isn't a reply.
LABELS = ("related", "subscribe", "credit", "advert")
#: Distance of near blocks, on each side.
NEAR = 5
#: The first kinds, up to this number, are also features of the blocks after a line with the phrase.
ZONES = 2
FEATURES = (
    *((f"says {name}", "phrases") for name in PHRASES),
    ("dated", "phrases"),
    *((f"near {name}", "phrases") for name in PHRASES),
    ("near dated", "phrases"),
    *((f"behind {name} line", "phrases") for name in list(PHRASES)[:ZONES]),
)
LABEL_KINDS = [name in LABELS for name in PHRASES]
#: Punctuation replaced by spaces to split lines into words; phrases that contain it are searched in the raw line.
BESIDE = ',.!?()[]|/»«“”„":;…'
#: A character of a script whose words are not separated by spaces.
UNSPACED_CHARACTER = re.compile(f"[{character_class(UNSPACED)}]")


def fill_features(table: FeatureTable, out: Floats) -> None:
    """Fill `out`, (FEATURES, blocks)."""
    count, kinds = len(table.size), len(PHRASES) + 1
    is_short = table.size <= SHORT
    short = is_short.tolist()
    lines = [
        text if whole else text[: text.find(":", 0, LABEL) + 1]
        for text, whole in zip(table.blocks.texts, short, strict=True)
    ]
    haystack = "\n" + "\n".join(lines).lower() + "\n"
    sums = np.zeros((kinds, count + 2 * NEAR + 1), np.float32)
    own = sums[:, NEAR + 1 : NEAR + 1 + count]
    rows: list[list[int]] = [[] for _ in PHRASES]
    line, end = -1, 0
    for position, kind in sorted(_find_phrases(haystack, bool(table.kinds[CJK].any()))):
        line += haystack.count("\n", end, position)
        end = position
        if short[line] or LABEL_KINDS[kind]:
            own[kind, line] = 1
            rows[kind].append(line)
    own[-1] = (table.kinds[DIGIT] >= 2) & is_short
    out[:kinds] = own
    np.add.accumulate(sums, 1, out=sums)
    np.subtract(sums[:, 2 * NEAR + 1 :], sums[:, : -2 * NEAR - 1], out=out[kinds : 2 * kinds])
    for zone in range(ZONES):
        _fill_behind(rows[zone], table, out[2 * kinds + zone])


def _find_phrases(haystack: str, has_cjk: bool) -> list[tuple[int, int]]:
    """Position and kind of each phrase in lower-case lines; phrases whose longest word isn't there are skipped."""
    spaced = haystack
    for mark in BESIDE:
        spaced = spaced.replace(mark, " ")
    by_word, by_part = _phrases()
    found = []
    for word in by_word.keys() & set(spaced.split()):
        for phrase, kind, is_marked in by_word[word]:
            text = haystack if is_marked else spaced
            start = text.find(phrase)
            while start >= 0:
                end = start + len(phrase)
                if not (text[start - 1].isalnum() or (text[end].isalnum() and phrase[-1].isalnum())):
                    found.append((start, kind))
                start = text.find(phrase, end)
    for phrase, kind in by_part if has_cjk else by_part[:1]:
        start = haystack.find(phrase)
        while start >= 0:
            found.append((start, kind))
            start = haystack.find(phrase, start + len(phrase))
    return found


@cache
def _phrases() -> tuple[dict[str, list[tuple[str, int, bool]]], list[tuple[str, int]]]:
    """Longest word -> phrases with kind, and whether with marks of BESIDE; phrases to find within words."""
    by_word: dict[str, list[tuple[str, int, bool]]] = {}
    by_part: list[tuple[str, int]] = []
    for kind, group in enumerate(PHRASES.values()):
        for phrase in group:
            words = "".join(" " if mark in BESIDE else mark for mark in phrase).split()
            if phrase == "©":
                by_part.insert(0, (phrase, kind))
            elif UNSPACED_CHARACTER.match(phrase):
                by_part.append((phrase, kind))
            else:
                by_word.setdefault(max(words, key=len), []).append((phrase, kind, words != phrase.split()))
    return by_word, by_part


def _fill_behind(rows: list[int], table: FeatureTable, out: Floats) -> None:
    """1 / (1 + log(1 + blocks since the last of `rows`)), 0 before it; linked ones and the page's top are left out."""
    out[:] = 0
    good = table.running[GOOD_SUM]
    named = [row for row in rows if table.link_share[row] < 0.5 and good[row] > 0]
    if named:
        since = 1 / (1 + np.log1p(table.rows[: len(out) - named[0]]))
        for first, end in pairwise([*named, len(out)]):
            out[first:end] = since[: end - first]
