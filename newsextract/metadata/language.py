"""The article's language: as declared, checked against the text."""

import re

import py3langid

from newsextract.metadata.evidence import Evidence, Found

DECLARED_METAS = ("og:locale", "content-language", "language", "dc.language", "itemprop:inlanguage")
TAG = re.compile(r"^([a-zA-Z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|\d{3}))?(?:$|[-_.@,;\s])")
#: Characters of text that are looked at.
SAMPLE = 300
#: The last Latin letter: text beyond it needs no second look to refute a declaration.
LATIN = 0x2FF
#: What the detector calls written Chinese.
WRITTEN_AS = {"yue": "zh", "wuu": "zh", "lzh": "zh", "nb": "no", "nn": "no"}
#: Words that stand in almost every sentence of a language: four of them confirm a declaration without a detector.
FUNCTION_WORDS = {
    "en": "the of and to in is that for with",
    "de": "der die das und ist nicht mit den von ein",
    "nl": "de het een van en is dat",
    "fr": "le la les des et est une dans pour",
    "es": "el la los las que y en una por",
    "it": "il di che la per una sono gli",
    "pt": "o que de em uma para não os",
    "sv": "och att det som en på är",
    "no": "og det som en på er ikke",
    "da": "og det som en på er ikke",
    "pl": "w na się z nie do jest że",
    "cs": "a v na se že je s",
    "tr": "ve bir bu için da ile",
    "id": "yang dan di ini dengan untuk",
    "ru": "в и на не что с по",
    "uk": "в і на не що з у",
}
#: Languages that are written in each other's words: text does not refute the declaration.
CLOSE = (
    {"no", "nb", "nn", "da"},
    {"hr", "sr", "bs"},
    {"id", "ms"},
    {"cs", "sk"},
    {"pt", "gl"},
    {"zh", "yue"},
    {"he", "iw"},
)


def declared(evidence: Evidence) -> list[Found[str]]:
    """The languages the page declares, as BCP 47, most trusted first."""
    values = [("html", evidence.meta.html_lang)]
    values += [("json-ld", text) for text in evidence.structured.texts("inLanguage", ranks=(1, 2))]
    values += [("meta", text) for text in evidence.metas(*DECLARED_METAS)]
    return [Found(tag, source, raw) for source, raw in values if raw and (tag := bcp47(raw))]


def language(evidence: Evidence, text: str) -> Found[str] | None:
    """The first declaration that the text does not refute, else the text's own language.

    A declaration is refuted only if two parts of the text are in one other language: names and menus mislead.
    """
    declarations = declared(evidence)
    if declarations and _reads_as(declarations[0].value, text):
        return declarations[0]
    middle = max(0, min(len(text) // 3, 400))
    seen = detect(text[middle : middle + SAMPLE]) or detect(text[:SAMPLE])
    if seen is None:
        return declarations[0] if declarations else None
    for found in declarations:
        if same(found.value, seen):
            return found
    foreign = sum(ord(char) > LATIN for char in text[:SAMPLE]) > min(len(text), SAMPLE) / 3
    if declarations and not foreign and (len(text) < 2 * SAMPLE or detect(text[-SAMPLE:]) != seen):
        return declarations[0]
    return Found(seen, "text")


def _reads_as(tag: str, text: str) -> bool:
    words = text[:SAMPLE].lower().split()
    return len(set(FUNCTION_WORDS.get(tag.split("-")[0], "").split()).intersection(words)) >= 4


def bcp47(raw: str) -> str | None:
    """A language tag in its usual case: "EN_us" gives "en-US"; None where it is no tag."""
    match = TAG.match(raw.strip())
    if not match or match[1].lower() in ("und", "mul", "xx", "zxx"):
        return None
    script = f"-{match[2].title()}" if match[2] else ""
    region = f"-{match[3].upper()}" if match[3] else ""
    return {"iw": "he", "in": "id"}.get(match[1].lower(), match[1].lower()) + script + region


def same(tag: str, seen: str) -> bool:
    """Whether a declared tag and the text's language are one, or so close that a detector mistakes them."""
    base = tag.split("-")[0]
    return base == seen or any(base in group and seen in group for group in CLOSE)


def detect(sample: str) -> str | None:
    """The language of a text by py3langid; None where there is too little of it."""
    if sum(map(str.isalpha, sample)) < 40:
        return None
    code: str = py3langid.classify(sample)[0]
    return WRITTEN_AS.get(code, code)
