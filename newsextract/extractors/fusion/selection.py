"""Selection of blocks by their probabilities, and the confidence that the selected text is right."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import exp, log1p

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import CJK, COUNT_SUM, SPACE, FeatureTable, Floats, headlines
from newsextract.limits import MOST
from newsextract.page.walk import HEADINGS
from newsextract.text import contained

#: Least probability of the likeliest block of a page, and least sum of words times probability, for doubtful blocks to
#: be selected.
MIN_PROBABILITY = 0.1
MIN_EXPECTED_WORDS = 4.0
#: Below this expected F, less probable blocks are selected, too: lists and forums, whose blocks are all doubtful.
DOUBTFUL = 0.6
#: Least probability and size of a sentence that is a page's whole text.
LEAST = 0.03
SHORT = 15
#: How many blocks below the headline such a sentence stands.
MAX_BELOW = 3
#: The share of the highest probability that it has at least, if no block of the page is good.
RIVAL = 0.5
#: Minimum size of a repetition: short blocks occur repeatedly in any text.
MIN_REPEATED = 25
#: Maximum characters of a pull quote, and maximum size of its source.
MAX_QUOTE = 400
MAX_SOURCE = 60
#: Most pull quotes in the same markup: more are the text. Elements around paragraphs of quotes.
MAX_QUOTES = 4
#: Blocks of a box that holds a pull quote and its source.
MAX_ALONE = 2
AROUND_QUOTES = ("blockquote", "aside", "figure")
#: Marks at the ends of a pull quote; its first letter may differ from the paragraph's.
QUOTES = " \"'“”„‘’«»‹›「」『』…—–-.!?。！？,;:"
#: Features of a page from which its confidence is predicted.
CONFIDENCE_FEATURES = (
    "expected f",
    "log words",
    "doubtful share",
    "log doubtful",
    "share of page",
    "mean logit",
    "linked share",
)


def count_words(table: FeatureTable) -> Floats:
    """(blocks,) number of words, each Chinese or Japanese character counted as one."""
    words: Floats = table.kinds[SPACE] + table.kinds[CJK]  # each block's end counts as a space
    return words


def select_blocks(table: FeatureTable, probability: Floats) -> NDArray[np.bool_]:
    """(blocks,) mask of the article: blocks of probability .5 and more, others if these are doubtful.

    Repetitions are dropped, except those in the same markup: a refrain, or a line of a log.
    """
    words, blocks = count_words(table), table.blocks
    chosen = probability >= 0.5
    is_none = not chosen.any()
    if _expected_f(words[chosen], probability[chosen], float(words @ probability)) < DOUBTFUL:
        chosen |= _most_probable(words, probability)
    if (is_none or not table.total_good) and (sentence := _below_headline(table, probability)) is not None:
        parents = table.parents.take(blocks.elements)
        others = chosen & (parents != parents[sentence])
        if (is_none and not table.total_good) or (table.link_share[others] > MOST).all():
            chosen &= ~others
            chosen[sentence] = True

    def are_alike(first: int, row: int) -> bool:
        """Whether two blocks have the same tags and classes around them, up to the element around both."""
        one, other = blocks.element_list[first], blocks.element_list[row]
        while one != other:
            own = blocks.element_tags[one], blocks.element_classes[one]
            if min(one, other) < 0 or own != (blocks.element_tags[other], blocks.element_classes[other]):
                return False
            one, other = blocks.parent_list[one], blocks.parent_list[other]
        return True

    return _without_pull_quotes(table, drop_repetitions(blocks.texts, chosen, are_alike))


def _expected_f(kept: Floats, likely: Floats, expected: float) -> float:
    """The expected F of blocks with so many words and probabilities; `expected`: words of the article in all blocks."""
    return 2 * float(kept @ likely) / max(1.0, float(kept.sum()) + expected)


def _most_probable(words: Floats, probability: Floats) -> NDArray[np.bool_]:
    """The most probable blocks, as many as maximise the expected F; none if too few words are expected."""
    expected = words * probability
    chosen = np.zeros(len(words), bool)
    if probability.max() < MIN_PROBABILITY or expected.sum() < MIN_EXPECTED_WORDS:
        return chosen
    order = np.argsort(-probability, kind="stable")
    f = 2 * np.cumsum(expected[order]) / (np.cumsum(words[order]) + expected.sum())
    chosen[order[: int(f.argmax()) + 1]] = True
    return chosen


def _below_headline(table: FeatureTable, probability: Floats) -> int | None:
    """The first sentence below the one headline, if no block is much more probable: a text of one sentence."""
    if len(headings := headlines(table)) != 1:
        return None
    below = range(headings[0] + 1, min(len(probability), headings[0] + 1 + MAX_BELOW))
    is_sentence = table.ended & (table.link_share == 0) & (table.size >= SHORT)
    sentence = next((row for row in below if is_sentence[row]), None)
    least = max(LEAST, probability.max() * (1 if table.total_good else RIVAL))
    return sentence if sentence is not None and probability[sentence] >= least else None


def _without_pull_quotes(table: FeatureTable, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The chosen blocks without those in markup of their own that repeat a part of a paragraph, and their sources."""
    blocks = table.blocks
    texts, tags, names, parents = blocks.texts, blocks.element_tags, blocks.element_classes, blocks.parent_list
    found = dict[int, tuple[str, str | None]]()
    for row in (chosen & (table.size >= MIN_REPEATED)).nonzero()[0].tolist():
        if len(texts[row]) > MAX_QUOTE:
            continue
        element = blocks.element_list[row]
        tag = tags[element]
        is_plain, is_around = tag == "p" or tag in HEADINGS, tags[parents[element]] in AROUND_QUOTES
        is_marked = is_around or (names[element] and tag == "p") if is_plain else tag != "li"
        is_alone = is_plain and not is_marked and table.sums[COUNT_SUM, parents[element]] <= MAX_ALONE
        if is_marked or is_alone:
            found[row] = (tags[parents[element]], names[parents[element]]) if is_alone else (tag, names[element])
    counts = Counter(found.values())
    quotes = {row for row, markup in found.items() if counts[markup] <= MAX_QUOTES or markup == ("p", None)}
    if not quotes:
        return chosen
    paragraphs = "\n".join([texts[row] for row in chosen.nonzero()[0].tolist() if row not in quotes])
    said = {row: texts[row].strip(QUOTES)[1:] for row in sorted(quotes)}
    repeated = contained(said.values(), paragraphs)
    for row, words in said.items():
        if words in repeated:
            first, last = blocks.spans[parents[blocks.element_list[row]]].tolist()
            beside = float(table.size[first:last].sum() - table.size[row])
            chosen[first:last] &= beside > MAX_SOURCE
            chosen[row] = False
    return chosen


def drop_repetitions(
    texts: Sequence[str], chosen: NDArray[np.bool_], is_kept: Callable[[int, int], bool] = lambda first, row: False
) -> NDArray[np.bool_]:
    """(blocks,) the chosen ones without repetitions, unless `is_kept(first, row)`: views of a text, pull quotes."""
    kept = chosen.copy()
    firsts: dict[str, int] = {}
    for row in chosen.nonzero()[0].tolist():
        if len(texts[row]) >= MIN_REPEATED:
            first = firsts.setdefault(texts[row], row)
            if first != row and not is_kept(first, row):
                kept[row] = False
    return kept


def confidence_features(table: FeatureTable, probability: Floats, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(CONFIDENCE_FEATURES,) of a page: how clear its decisions are and how much is selected."""
    words = count_words(table)
    kept, likely = words[chosen], probability[chosen]
    total, expected = float(kept.sum()), float(words @ probability)
    doubt = float(words @ np.minimum(probability, 1 - probability))
    bounded = np.minimum(np.maximum(likely, 1e-3), 1 - 1e-3)
    return np.array(
        [
            _expected_f(kept, likely, expected),
            log1p(total),
            doubt / max(1.0, expected),
            log1p(doubt),
            total / max(1.0, float(words.sum())),
            float(kept @ np.log(bounded / (1 - bounded))) / max(1.0, total),
            float(kept @ table.link_share[chosen]) / max(1.0, total),
        ]
    )


def predict_confidence(weights: tuple[float, ...], values: NDArray[np.float64]) -> float:
    """Probability that the page's text has F >= .9: logistic model of `confidence_features`, the offset first."""
    logit = weights[0] + sum(weight * value for weight, value in zip(weights[1:], values.tolist(), strict=True))
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))
