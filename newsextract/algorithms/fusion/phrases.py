"""Phrases of short lines that say what stands around them: comments, related articles, sharing, credits, bylines.

Searched for in all short lines of the page at once. Beside the line itself its neighbourhood counts: a block among
lines that say "reply" is a comment, whatever its classes are; so does the last heading that names comments or related
articles above it.
"""

from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from newsextract.algorithms.fusion.sheet import CJK, DIGIT, Floats, Ints, Sheet

SHORT = 100
PHRASES: Mapping[str, tuple[str, ...]] = {
    "comments": ("comments", "kommentare", "commentaires", "comentarios", "comentários", "commenti", "leave a reply", "leave a comment", "add comment", "discussion", "responses to", "评论", "留言", "网友"),
    "reply": ("reply", "says:", "wrote:", "antworten", "répondre", "responder", "report abuse", "permalink", "log in to", "回复", "楼"),
    "related": ("read more", "related", "also read", "read also", "see also", "more from", "more on", "recommended", "you may", "you might", "mehr zum", "lesen sie", "lire aussi", "leia ", "相关", "推荐", "延伸阅读", "热门", "trending", "most read", "most popular", "latest", "previous", "next "),
    "share": ("share", "facebook", "twitter", "whatsapp", "e-mail", "email", "print", "teilen", "分享", "微信", "打印"),
    "legal": ("©", "copyright", "all rights", "cookie", "privacy", "terms of", "impressum", "版权", "转载", "声明"),
    "subscribe": ("subscribe", "newsletter", "sign up", "log in", "sign in", "abonn", "登录", "注册", "register", "our free", "inbox"),
    "credit": ("photo", "getty", "reuters", "image:", "foto", "picture:", "credit", "(ap", "afp", "shutterstock", "图：", "图片", "摄"),
    "editor": ("编辑", "记者", "来源", "原标题", "作者", "责编"),
    "byline": ("by ", "updated", "published", "posted", "von ", "par ", "por ", "min read", "minutes", "发布", "时间"),
    "advert": ("advertis", "anzeige", "sponsored", "publicité", "publicidad", "广告", "article continues", "story continues"),
    "source": ("source:", "via:", "tags:", "filed under", "categories", "topics", "schlagw", "mots-clés", "标签", "关键"),
}  # fmt: skip
NEAR = 5
ZONES = ("comments", "related")
FEATURES = (
    *((f"says {name}", "phrases") for name in PHRASES),
    *((f"near {name}", "phrases") for name in PHRASES),
    *((f"behind {name} line", "phrases") for name in ZONES),
    ("dated", "phrases"),
    ("near dated", "phrases"),
)


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES)."""
    count = len(sheet.size)
    out = np.zeros((count, len(FEATURES)), np.float32)
    words = len(PHRASES)
    short = np.flatnonzero(sheet.size <= SHORT)
    texts = sheet.blocks.texts
    lines = [texts[row].lower() for row in short.tolist()]
    haystack = "\n".join(lines)
    starts = np.array([0, *accumulate(len(line) + 1 for line in lines)])
    asian = bool(sheet.kinds[:, CJK].any())
    for place, phrases in enumerate(PHRASES.values()):
        found = _places(haystack, phrases, asian)
        if found:
            out[short[np.searchsorted(starts, found, "right") - 1], place] = 1
    out[:, -2] = (sheet.kinds[:, DIGIT] >= 2) & (sheet.size < 60)
    sums = np.cumsum(np.concatenate([np.zeros((1, words + 1), np.float32), out[:, [*range(words), -2]]]), 0)
    rows = np.arange(count)
    near = sums[np.minimum(count, rows + NEAR + 1)] - sums[np.maximum(0, rows - NEAR)]
    out[:, words : 2 * words], out[:, -1] = near[:, :-1] / NEAR, near[:, -1] / NEAR
    for place, name in enumerate(ZONES):
        out[:, 2 * words + place] = _behind(out[:, list(PHRASES).index(name)], sheet, rows)
    return out


def _places(haystack: str, phrases: tuple[str, ...], asian: bool) -> list[int]:
    found = []
    for phrase in phrases:
        if asian or phrase.isascii():
            place = haystack.find(phrase)
            while place >= 0:
                found.append(place)
                place = haystack.find(phrase, place + len(phrase))
    return found


def _behind(says: Floats, sheet: Sheet, rows: Ints) -> Floats:
    """1 just behind a hardly linked line that says so and fading slowly; 0 where none stands above, or before any text."""
    named = np.where((says > 0) & (sheet.link_share < 0.5) & (sheet.running[:-1, 2] > 0), rows, -1)
    last = np.maximum.accumulate(named)
    behind: Floats = np.where(last >= 0, 1 / (1 + np.log1p(rows - last)), 0).astype(np.float32)
    return behind
