"""Language: the declared one, checked against the text by function words, scripts and py3langid."""

import re
from collections.abc import Iterator

import py3langid

from newsextract.language import words
from newsextract.metadata.evidence import PageEvidence, SourcedValue
from newsextract.text import HAN, HANGUL, KANA, character_class

DECLARED_METAS = ("og:locale", "content-language", "language", "dc.language", "itemprop:inlanguage")
TAG = re.compile(r"^([a-zA-Z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|\d{3}))?(?:$|[-_.@,;\s])")
#: Characters of a sample of the text, and of each of the two that refute a declaration.
SAMPLE = 300
#: A character behind the last Latin letter: text in another script refutes a declaration by one sample.
NOT_LATIN = re.compile(r"[^\u0000-\u02ff]")
#: Codes of the detector -> codes of the written language; "" if it isn't a language.
WRITTEN_AS = {"yue": "zh", "wuu": "zh", "lzh": "zh", "nb": "no", "nn": "no", "zxx": ""}
#: Frequent function words: four of them confirm a declared language without the detector.
FUNCTION_WORDS = {
    WRITTEN_AS.get(code, code): frozenset(words.read(code)["function_words"])
    for code in words.languages()
    if "function_words" in words.read(code)
}
#: Languages identified by their function words. Many of those of Spanish or Dutch are also Catalan or Afrikaans.
DISTINCT = frozenset({"en", "de", "fr"})
#: How many function words identify a language, and how many more than of any other language.
MIN_FUNCTION_WORDS = 4
MARGIN = 3
#: Minimum number of letters to detect a language.
LETTERS = 40
HAN_LETTER, KANA_LETTER, HANGUL_LETTER = (re.compile(f"[{character_class(script)}]") for script in (HAN, KANA, HANGUL))
#: Languages that a detector confuses: one doesn't refute the declaration of another.
CONFUSABLE = [{*row.split()} for row in ("no nb nn da", "hr sr bs", "id ms", "cs sk", "pt gl", "zh yue", "en pcm")]


def declared_languages(evidence: PageEvidence) -> Iterator[SourcedValue[str]]:
    """The languages that the page declares, as BCP 47 tags, most trusted first."""
    for source, raws in (
        ("html", filter(None, [evidence.meta.html_lang])),
        ("json-ld", evidence.structured.texts("inLanguage", ranks=(1, 2))),
        ("meta", evidence.metas(*DECLARED_METAS)),
    ):
        yield from (SourcedValue(tag, source) for raw in raws if (tag := bcp47(raw)))


def language(evidence: PageEvidence, text: str) -> SourcedValue[str] | None:
    """The first declared language that two samples of the text don't refute, otherwise the detected one."""
    declarations = declared_languages(evidence)
    first = next(declarations, None)
    if first and _has_function_words(first.value, text):
        return first
    middle = max(0, min(len(text) // 3, 400))
    detected = detect(text[middle : middle + SAMPLE]) or detect(text[:SAMPLE])
    if detected is None or first is None:
        return first or (SourcedValue(detected, "text") if detected else None)
    for declaration in (first, *declarations):
        if is_same_language(declaration.value, detected):
            return declaration
    foreign, half = len(NOT_LATIN.findall(text[:SAMPLE])) > min(len(text), SAMPLE) / 3, min(SAMPLE, len(text) // 2)
    if not foreign and (half < SAMPLE // 2 or detect(text[-half:]) != detected):
        return first
    return SourcedValue(detected, "text")


def _has_function_words(tag: str, text: str) -> bool:
    words = text[:SAMPLE].lower().split()
    code = tag.split("-")[0]
    known = FUNCTION_WORDS.get(WRITTEN_AS.get(code, code), frozenset())
    return len(known.intersection(words)) >= MIN_FUNCTION_WORDS


def bcp47(raw: str) -> str | None:
    """A declared language as a BCP 47 tag: "EN_us" gives "en-US"; None for anything else."""
    match = TAG.match(raw.strip())
    if not match or match[1].lower() in ("und", "mul", "xx", "zxx"):
        return None
    script = f"-{match[2].title()}" if match[2] else ""
    region = f"-{match[3].upper()}" if match[3] else ""
    return {"iw": "he", "in": "id"}.get(match[1].lower(), match[1].lower()) + script + region


def is_same_language(tag: str, detected: str) -> bool:
    """Whether a declared tag and a detected language are the same, or easily confused."""
    base = tag.split("-")[0]
    return base == detected or any(base in group and detected in group for group in CONFUSABLE)


def detect(sample: str) -> str | None:
    """The language of a text; None for fewer than 40 letters.

    By script or function words if these are clear, so that most processes that read one page needn't unpack py3langid's
    model, which takes longer than reading the page; otherwise by py3langid. It agrees on all 2,283 samples that were
    decided without it (2026-11-24; 2,907 texts of twelve sets of pages).
    """
    letters = sum(map(str.isalpha, sample))
    if letters < LETTERS:
        return None
    if code := _language_of_script(sample, letters) or _language_of_function_words(sample, letters):
        return code
    detected: str = py3langid.classify(sample)[0]
    return WRITTEN_AS.get(detected, detected) or None


def _language_of_script(sample: str, letters: int) -> str | None:
    """Korean, Chinese or Japanese, if most letters are of their scripts; None for Chinese with Kana."""
    han, kana, hangul = (len(script.findall(sample)) for script in (HAN_LETTER, KANA_LETTER, HANGUL_LETTER))
    if 2 * hangul > letters:
        return "ko"
    if 2 * (han + kana) <= letters or 0 < 3 * kana <= letters:
        return None
    return "ja" if kana else "zh"


def _language_of_function_words(sample: str, letters: int) -> str | None:
    """One of DISTINCT whose function words are at least four here and three more than those of any other language."""
    if 10 * len(NOT_LATIN.findall(sample)) > letters:
        return None
    words = set(sample.lower().split())
    counts = sorted(((len(words & known), code) for code, known in FUNCTION_WORDS.items()), reverse=True)
    (most, code), (second, _) = counts[:2]
    return code if code in DISTINCT and most >= MIN_FUNCTION_WORDS and most - second >= MARGIN else None
