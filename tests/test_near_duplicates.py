"""Signatures: which edits, as they happen between sites, leave a text a copy, and which make another text of it.

A text is a list of paragraphs. An edit takes a random generator, a text and another one of the same script, and returns
the text as another site has it, or None if the text is too short for the edit.
"""

import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import jieba
import pytest

from newsextract.demo import Site
from newsextract.near_duplicates import Signature, is_copy, is_republished, is_version, signature_of

Text = list[str]
TEXTS = [text.text.split("\n") for text in Site().gold() if len(text.text) >= 400]
HAN = re.compile("[㐀-鿿]")
NUMERALS = "二三四五六七八九十百"
NUMBER = re.compile(rf"\d+|[{NUMERALS}]")
#: A capitalised word inside a sentence.
NAME = re.compile(r"(?<=[a-zà-ÿа-яі,] )[A-ZÀ-ÞА-ЯІ][\w’'-]+")


def is_han(text: Text) -> bool:
    whole = "".join(text)
    return len(HAN.findall(whole)) > 0.3 * len(whole)


def words(text: Text) -> list[str]:
    """Words, each with the space after it; joined they are the text."""
    whole = "\n".join(text) + "\n"
    return [*jieba.cut(whole)] if HAN.search(whole) else re.findall(r"\S+\s*", whole)


def lines(words: list[str]) -> Text:
    return "".join(words).strip().split("\n")


def tail_cut(chance: random.Random, text: Text, other: Text) -> Text:
    """The last 30 % of the words are missing."""
    parts = words(text)
    return lines(parts[: round(len(parts) * 0.7)])


def words_changed(chance: random.Random, text: Text, other: Text) -> Text:
    """10 % of the words, at random places, are replaced by words of another text."""
    parts, new = words(text), words(other)
    for place in chance.sample(range(len(parts)), round(len(parts) * 0.1)):
        parts[place] = chance.choice(new)
    return lines(parts)


def lead_changed(chance: random.Random, text: Text, other: Text) -> Text:
    """The first 15 % of the words are replaced by words of another text."""
    parts = words(text)
    count = round(len(parts) * 0.15)
    return lines([*words(other)[:count], "\n", *parts[count:]])


def boxes_added(chance: random.Random, text: Text, other: Text) -> Text:
    """Three boxes, with a tenth of the text's words each, between and inside its paragraphs."""
    parts, new = words(text), words(other)
    size, quarter = len(parts) // 10, len(parts) // 4
    mixed = parts[:quarter]
    for number in range(3):
        end = None if number == 2 else (number + 2) * quarter
        box = new[number * size : (number + 1) * size]
        mixed += ["\n", *box, "\n", *parts[(number + 1) * quarter : end]]
    return lines(mixed)


def merged(chance: random.Random, text: Text, other: Text) -> Text | None:
    """Two articles in one text, neither of them more than 55 % of it."""
    sizes = [len("".join(one)) for one in (text, other)]
    return [*text, *other] if max(sizes) <= 0.55 * sum(sizes) else None


def other_facts(chance: random.Random, text: Text, other: Text) -> Text | None:
    """A report of another day: the same sentences with other numbers and names, at least eight of them."""
    whole = "\n".join(text)
    names = sorted({*NAME.findall("\n".join(other))} - {*NAME.findall(whole)})
    if len(NUMBER.findall(whole)) + len(NAME.findall(whole)) < 8 or len(names) < 3:
        return None
    new: dict[str, str] = {}

    def replaced(match: re.Match[str]) -> str:
        old = match.group()
        if old not in new:
            number = str(int(old[:9]) + chance.randint(1, 9)) if old.isdecimal() else chance.choice(names)
            new[old] = chance.choice(NUMERALS.replace(old, "")) if old in NUMERALS else number
        return new[old]

    return NAME.sub(replaced, NUMBER.sub(replaced, whole)).split("\n")


#: Edit -> whether its result is a copy of the text stored before; then the text is one of the result, too.
EDITS: dict[Callable[[random.Random, Text, Text], Text | None], bool] = {
    tail_cut: True, words_changed: True, lead_changed: True, boxes_added: True,
    merged: False, other_facts: False,
}  # fmt: skip


def signature(text):
    made = signature_of("\n".join(text))
    assert made is not None
    return made


def is_detected(first, second):
    """As the store decides it: a common key makes a candidate pair, then grams and facts are compared."""
    return bool(set(first.keys.tolist()) & set(second.keys.tolist())) and is_copy(second, first)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_is_copy_after_each_edit_is_as_its_table_says(edit):
    chance = random.Random(edit.__name__)
    by_script = {han: [text for text in TEXTS if is_han(text) == han] for han in (False, True)}
    assert min(map(len, by_script.values())) > 10
    others = ([other for other in by_script[is_han(text)] if other is not text] for text in TEXTS)
    made = [edit(chance, text, chance.choice(of_script)) for text, of_script in zip(TEXTS, others, strict=True)]
    pairs = [(signature(text), signature(edited)) for text, edited in zip(TEXTS, made, strict=True) if edited]
    detected = [is_detected(*pair) for one, other in pairs for pair in ((one, other), (other, one))[: 1 + EDITS[edit]]]
    assert len(detected) >= 25 * (1 + EDITS[edit])
    assert sum(detected) / len(detected) >= 0.97 if EDITS[edit] else not any(detected)


def first_third(chance: random.Random, text: Text, other: Text) -> Text:
    parts = words(text)
    return lines(parts[: len(parts) // 3])


def names_shortened(chance: random.Random, text: Text, other: Text) -> Text | None:
    """The two most frequent names are initials throughout."""
    whole = "\n".join(text)
    names = Counter(NAME.findall(whole)).most_common(2)
    for name, _ in names:
        whole = whole.replace(name, f"{name[0]}.")
    return whole.split("\n") if names else None


def quoted(chance: random.Random, text: Text, other: Text) -> Text | None:
    """Another story has all of the text in its middle."""
    return [other[0], *text, *other[1:]] if len("".join(other)) >= 0.8 * len("".join(text)) else None


#: Edit -> whether its result is the story again.
REPUBLISHED: dict[Callable[[random.Random, Text, Text], Text | None], bool] = {
    tail_cut: True, first_third: True, names_shortened: True, lead_changed: True, quoted: False, merged: False,
    other_facts: False,
}  # fmt: skip


@pytest.mark.parametrize("edit", REPUBLISHED, ids=lambda edit: edit.__name__)
def test_story_is_known_again_when_it_was_cut_or_corrected_but_not_where_it_is_quoted(edit):
    chance = random.Random(edit.__name__)
    others = ([other for other in TEXTS if is_han(other) == is_han(text) and other is not text] for text in TEXTS)
    made = [edit(chance, text, chance.choice(of_script)) for text, of_script in zip(TEXTS, others, strict=True)]
    known = [is_republished(signature(new), signature(text)) for text, new in zip(TEXTS, made, strict=True) if new]
    assert len(known) >= 25 and (all(known) if REPUBLISHED[edit] else not any(known))


def test_is_copy_rejects_all_pairs_of_different_stories():
    made = [signature(text) for text in TEXTS]
    assert [(i, j) for i in range(len(made)) for j in range(i) if is_detected(made[j], made[i])] == []


#: Language -> a template of reports, and the facts of two.
TEMPLATES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@pytest.mark.parametrize("language", TEMPLATES)
def test_reports_of_one_template_are_no_copies_in_scripts_without_capitals(language):
    template, *facts = TEMPLATES[language].values()
    first, second = (signature([template.format(*each)]) for each in facts)
    assert not is_copy(first, second) and not is_copy(second, first)
    assert not is_republished(first, second)
    corrected = signature([template.format(*facts[0][:2], facts[1][2], *facts[0][3:])])
    assert is_republished(corrected, first)
    shortened = signature([template.format(*facts[0])[: int(0.8 * len(template))]])
    assert is_copy(shortened, first) and is_copy(Signature.from_bytes(shortened.to_bytes()), first)


def test_signature_ignores_case_white_space_and_width():
    text = "\n".join(TEXTS[0])
    grams = signature_of(text).grams.tolist()
    for other in (text.upper(), text.replace("\n", " "), text.replace(" ", "\u00a0\n"), text.replace("“", '"')):
        assert signature_of(other).grams.tolist() == grams
    wide = "２０２６年３月，ＧＤＰ增长百分之五点一，" + "".join(next(text for text in TEXTS if "。" in text[0]))
    plain = wide.replace("２０２６", "2026").replace("３", "3").replace("ＧＤＰ", "gdp")
    assert signature_of(wide).grams.tolist() == signature_of(plain).grams.tolist()


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "Too short to tell.", "." * 99, "a" * 100_000, "\ud800" * 500, "𠀀" * 500, "1 " * 100_000, "。" * 9],
    ids=["empty", "lines", "short", "marks", "one word", "surrogates", "rare", "numbers", "stops"],
)
def test_signature_of_degenerate_text_is_none_or_bounded(text):
    made = signature_of(text)
    assert made is None or (len(made.keys) <= 16 and len(made.to_bytes()) < 200_000)


def test_text_that_only_grew_is_a_version_although_its_new_sentences_are_like_its_old_ones():
    report = " ".join(
        f"The council of {place} meets on Friday at {hour} in the town hall." for place, hour in TOWNS[:6]
    )
    grown = f"{report} The council of {TOWNS[6][0]} meets on Friday at {TOWNS[6][1]} in the town hall."
    other = grown.replace(TOWNS[2][0], "Looe").replace(f"at {TOWNS[3][1]}", "at 23")
    assert is_version(signature_of(report), signature_of(grown))
    assert not is_version(signature_of(report), signature_of(other))


TOWNS = [("Ely", 9), ("Bath", 10), ("Ryde", 11), ("Hove", 12), ("Deal", 13), ("Wells", 14), ("Ripon", 15)]
