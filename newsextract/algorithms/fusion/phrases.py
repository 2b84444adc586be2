"""Phrases of short lines that say what stands around them: comments, related articles, sharing, credits, bylines.

Searched for in all short lines of the page at once. Beside the line itself its neighbourhood counts: a block among
lines that say "reply" is a comment, whatever its classes are; so does the last heading that names comments or related
articles above it.
"""

from collections.abc import Mapping

import numpy as np

from newsextract.algorithms.fusion.sheet import CJK, DIGIT, Floats, Ints, Sheet

SHORT = 60
PHRASES: Mapping[str, tuple[str, ...]] = {
    "comments": ("comment", "kommentar", "discussion", "leave a reply", "评论", "留言", "网友"),
    "related": (
        "read more", "related", "see also", "more from", "more on ", "recommended", "you may", "you might",
        "lire aussi", "mehr zum", "trending", "most read", "popular", "latest", "相关", "推荐", "阅读", "热门",
    ),
    "reply": ("reply", "says:", "wrote:", "antworten", "report abuse", "permalink", "回复", "楼"),
    "share": ("share", "facebook", "twitter", "whatsapp", "email", "print", "分享", "打印"),
    "subscribe": ("subscribe", "newsletter", "sign up", "log in", "abonn", "inbox", "登录", "注册"),
    "credit": ("photo", "getty", "image:", "foto", "credit", "图：", "图片", "摄"),
    "editor": ("©", "copyright", "编辑", "记者", "来源", "原标题", "版权", "转载", "声明"),
    "byline": ("updated", "published", "posted", "min read", "by ", "发布", "时间"),
    "tags": ("source:", "tags:", "filed under", "categor", "topics", "标签", "关键"),
    "advert": ("advertis", "anzeige", "sponsored", "广告"),
}  # fmt: skip
ALL = tuple((phrase, place) for place, group in enumerate(PHRASES.values()) for phrase in group)
ASCII = tuple((phrase, place) for phrase, place in ALL if phrase.isascii())
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


def evidence(sheet: Sheet, out: Floats) -> None:
    """Fills (blocks, FEATURES)."""
    count, width = len(sheet.size), len(PHRASES) + 1
    out[:] = 0
    said, rows = out[:, :width], sheet.rows
    short = np.flatnonzero(sheet.size <= SHORT)
    texts = sheet.blocks.texts
    lines = [texts[row] for row in short.tolist()]
    haystack = "\n".join(lines).lower()
    lengths = sheet.blocks.lengths[short]
    if len(haystack) != int(lengths.sum()) + max(0, len(lines) - 1):  # a letter has become two
        lengths = np.array([len(line) for line in haystack.split("\n")], np.int64)
    found, places = _places(haystack, bool(sheet.kinds[:, CJK].any()))
    if found:
        said[short[np.searchsorted(np.cumsum(lengths + 1), found, "right")], places] = 1
    said[:, -1] = (sheet.kinds[:, DIGIT] >= 2) & (sheet.size < 60)
    sums = np.zeros((count + 1, width), np.float32)
    np.cumsum(said, 0, out=sums[1:])
    out[:, width : 2 * width] = sums[np.minimum(count, rows + NEAR + 1)] - sums[np.maximum(0, rows - NEAR)]
    out[:, width : 2 * width] /= NEAR
    for zone in range(ZONES):
        _behind(said[:, zone], sheet, rows, out[:, 2 * width + zone])


def _places(haystack: str, asian: bool) -> tuple[list[int], list[int]]:
    """Where phrases stand, and of which kind each is."""
    found, kinds = [], []
    for phrase, kind in ALL if asian else ASCII:
        place = haystack.find(phrase)
        while place >= 0:
            found.append(place)
            kinds.append(kind)
            place = haystack.find(phrase, place + len(phrase))
    return found, kinds


def _behind(says: Floats, sheet: Sheet, rows: Ints, out: Floats) -> None:
    """1 just behind a hardly linked line that says so, fading slowly; 0 where none stands above with text before it."""
    named = np.flatnonzero((says > 0) & (sheet.link_share < 0.5) & (sheet.running[:-1, 2] > 0))
    if len(named):
        last = named.take(np.searchsorted(named, rows, "right") - 1, mode="clip")
        out[:] = np.where(rows >= named[0], 1 / (1 + np.log1p(np.maximum(0, rows - last))), 0)
