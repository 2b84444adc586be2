"""From the probability of each block to the article's text, and how sure that is."""

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import CJK, SPACE, Floats, Sheet

#: A page of which no block is likely still has an article if one is this likely and so many words are expected.
LEAST, LEAST_WORDS = 0.1, 4.0
#: Of two kept blocks with the same text, of so many characters, one is a repetition (another view, a pull quote).
REPEATED = 25


def words_of(sheet: Sheet) -> Floats:
    """(blocks,) words, each Chinese or Japanese character counted as one."""
    words: Floats = sheet.kinds[SPACE] + sheet.kinds[CJK] + 1
    return words


def choose(sheet: Sheet, probability: Floats) -> NDArray[np.bool_]:
    """(blocks,) which are the article: those likelier than not, each text once; see LEAST for bland pages."""
    chosen = probability >= 0.5
    if not chosen.any():
        chosen = _best_of_nothing(words_of(sheet), probability)
    seen: set[str] = set()
    for row in np.flatnonzero(chosen).tolist():
        text = sheet.blocks.texts[row]
        if len(text) >= REPEATED:
            chosen[row] = text not in seen
            seen.add(text)
    return chosen


def _best_of_nothing(words: Floats, probability: Floats) -> NDArray[np.bool_]:
    """The most likely blocks, as many as make the page's expected F greatest; none where too little is expected."""
    expected = words * probability
    chosen = np.zeros(len(words), bool)
    if probability.max() < LEAST or expected.sum() < LEAST_WORDS:
        return chosen
    order = np.argsort(-probability, kind="stable")
    f = 2 * np.cumsum(expected[order]) / (np.cumsum(words[order]) + expected.sum())
    chosen[order[: int(f.argmax()) + 1]] = True
    return chosen


#: What the certainty of a page is made of.
SIGNS = ("expected f", "log words", "doubtful share", "log doubtful", "share of page", "mean logit", "linked share")


def signs(sheet: Sheet, probability: Floats, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(SIGNS,) of a page: how clear its decisions are and how much was kept."""
    words = words_of(sheet)
    kept = words[chosen]
    likely = probability[chosen]
    expected = float((words * probability).sum())
    doubt = words * np.minimum(probability, 1 - probability)
    total = float(kept.sum())
    bounded = np.clip(likely, 1e-3, 1 - 1e-3)
    return np.array(
        [
            2 * float((kept * likely).sum()) / max(1.0, total + expected),
            np.log1p(total),
            float(doubt.sum()) / max(1.0, expected),
            np.log1p(float(doubt.sum())),
            total / max(1.0, float(words.sum())),
            float((kept * np.log(bounded / (1 - bounded))).sum()) / max(1.0, total),
            float((kept * sheet.link_share[chosen]).sum()) / max(1.0, total),
        ]
    )


def certainty(weights: tuple[float, ...], values: NDArray[np.float64]) -> float:
    """The probability that the page's text has F >= .9: a logistic model of `signs`, its offset first."""
    logit = weights[0] + float(np.dot(weights[1:], values))
    return float(1 / (1 + np.exp(-np.clip(logit, -30, 30))))
