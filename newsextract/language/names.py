"""Author names in bylines: split into single names, without "By", jobs, places, credentials and e-mail addresses."""

import html
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import islice

from newsextract.language import words
from newsextract.language.chinese_names import PUBLISHING_WORDS
from newsextract.language.date_parser import date_words
from newsextract.limits import MAX_KEPT
from newsextract.text import (
    DIGITS,
    HAN,
    KANA,
    LONG_LINE,
    TAG,
    character_class,
    comparison_key,
    composed,
    is_placeholder,
    lower_same_length,
)

#: Marks that tell how two letters are joined, which are parts of names.
JOINING_MARKS = "\u200c\u200d"
HAN_CLASS = character_class(HAN)
ROLE_WORDS = r"记者|記者|通讯员|通訊員|作者|撰文|编辑|編輯|責任編輯|责任编辑|责编|原作者|实习生|评论员"
#: Words between two names.
AND_WORDS = frozenset(words.listed("and"))
AND = "|".join(sorted(AND_WORDS))
#: Words for authors, before a colon or a name; with another role: "Text und Fotos".
AUTHOR_WORDS = rf"(?:{words.alternatives('author')})(?:\(s\)|/in|\s(?:{AND}|[&+/])\s\w+(?=\s*[:：՝៖]))?"
#: Kinds of articles by somebody: "Analysis by", "Ein Kommentar von".
KIND_WORDS = words.alternatives("by")
#: The same words where no space follows: "ByAnn Lee".
GLUED_BY = "|".join(f"{word}|{word.capitalize()}" for word in words.listed("glued_by"))
#: Labels before a name. A Chinese or Japanese label needs no space after it.
NAME_LABEL = re.compile(
    rf"^\W*(?:{KIND_WORDS}|{words.alternatives('label')}|{AUTHOR_WORDS})(?=[\s:：՝៖]|$)\s*[:：՝៖]?\s*"
    rf"|^(?-i:(?:\w+\s)?(?:{GLUED_BY})(?=[A-Z]))",
    re.I,
)
HAN_LABEL = re.compile(
    rf"^.{{0,12}}?(?:{ROLE_WORDS}|文(?=\s*[:：/／|｜])|来源|來源|稿源|作者名|ライター|執筆|取材)\s*[:：/／|｜丨]?\s*|^(?:本报|本刊|本网|新华社|人民网|中新社"
    rf"|本台)(?:\w{{0,4}})(?=[{HAN_CLASS}]{{2,3}}$)"
)
SPLIT = re.compile(
    rf"(?:(?<!\s)\s+)?(?:,\s*(?:&|{AND})\s|[;；|｜、，/／•·⋅∙\n\t]|\s[-–—]+\s"
    rf"|,(?!\s*(?:(?:Jr|Sr)\b(?!\.?\s*[A-Z])|III?\b|(?:Inc|LLC|Ltd)\b))"
    rf"|\s(?:&(?! Co\b)|\+|{AND})\s"
    rf"|和|(?<=[{HAN_CLASS}])\s+(?=[{HAN_CLASS}]))\s*"
)
#: What joins two persons or organisations, or parts of one or of a job ("head of sales and events"). No degree follows.
JOINING = AND_WORDS | {"&"}
#: Names of newspapers with an article: Le Monde, Die Zeit.
NEWSPAPER = re.compile(rf"(?:{'|'.join(map(str.capitalize, words.listed('newspaper_article')))})\s\w+$")
#: Separators before a date or a category.
BARS = frozenset("|｜•·")
#: Words before jobs in newsrooms.
JOB_ADJECTIVES = words.alternatives("job_adjective")
#: Agencies and jobs right after a name ("Ann Lee Staff Writer"), and words before its employer or place.
BEHIND_A_PERSON = (
    re.compile(
        rf"^(?!(?:{JOB_ADJECTIVES}|(?-i:[A-Z]{{2,4}}\s[A-Z][a-z]).*)\s)(\S+\s\S+(?:\s(?-i:(?![a-z]))\S+)??)\s"
        rf"(?:(?:{JOB_ADJECTIVES})\s)*{words.alternatives('job', 'agency', bounded=True)}",
        re.I,
    ),
    re.compile(rf"^(.+?)\s{words.alternatives('before_employer', bounded=True)}\s"),
)
#: A byline that is printed several times, for narrow and for wide screens: its label, in any language, and its names.
REPEATED = re.compile(
    rf"^((?:\S{{1,12}}\s){{0,2}})(\S+\s.{{2,60}}?|[{HAN_CLASS}]{{2,4}})(?:\s?(?:\S{{1,8}}\s)?\2)++$", re.I
)
#: A handle and the category of its post: "by admin in Town, Harbour".
IN_CATEGORY = re.compile(
    rf"^(\W*+(?:(?:{KIND_WORDS})(?:\s*+:)?\s++)?[\w.-]++)\s{words.alternatives('filed_in')}"
    rf"\s(?!{words.alternatives('phrase_begins')}\b).*",
    re.I,
)
#: Words before the things that an organisation is for.
OF_THINGS = words.pattern("of_organisation", bounded=True)
OFFICE_OF = re.compile(r"\b(?:institute|cent(?:er|re)|department|ministry|office|bureau)s? (?:of|for)\s", re.I)
#: The rest of a byline that is about other people or other things.
TAIL = re.compile(words.alternatives("tail"))
#: E-mail addresses and handles right after a name. If the address repeats the surname that it is glued to ("Ann
#: Leealee@paper.example"), the name stays.
ADDRESS = re.compile(
    r"(?<=\s)(?=[\w.+-]{1,130}+@)([A-Z][a-z]{1,20})[\w.+-]{0,40}(?i:\1)[\w.+-]{0,64}+@[\w-]+\.\S+"
    r"|(?<![^\s,，;])[^\s,，;]+@[\w-]+\.\S+|https?://\S+|@\w+"
)
#: Between a day and the name of its month, and the rest of a date whose month is any word: "12. May 2025", "12 de mayo
#: de 2025". Weekdays of more letters aren't abbreviations, which may be names ("Don").
AFTER_DAY = r"(?:st|nd|rd|th|er|[.ºª°])?[\s-]+(?:(?:de|of|di)\s)?"
DAY_AND_YEAR = rf"{AFTER_DAY}[^\W\d]{{3,}}[.,]?[\s-]+(?:de\s)?(?:19|20)\d\d"
MAX_ABBREVIATION = 4
BRACKETS = re.compile(r"(?:(?<!\s)\s+)?[(（\[【][^)）\]】]*[)）\]】]?")
#: Academic and professional degrees; other capitals are degrees only after a comma.
DEGREE = rf"(?:{'|'.join(words.read('en')['degree'])})\.?[®™]?"
CREDENTIAL = re.compile(
    rf"(?:{DEGREE}|(?:[A-Z]\.?){{2,7}}(?:-[A-Z]+)?(?:\s\d+)?)(?:[\s,/-]+(?:{DEGREE}|(?:[A-Z]\.?){{2,7}}))*"
)
#: Two words in capitals of which the last is pronounceable, so a surname and not a degree.
NAME_IN_CAPITALS = re.compile(rf"\s(?!{DEGREE}$)(?=[^\s]*[AEIOUYÄÖÜÉ])[^\s.]{{3,}}$")
AGENCY = re.compile(
    r"[A-Z]{3,}+|(?:[A-Z]{2,}+(?:(?<=[A-Z]{3})\.)?(?: [A-Z]\.?)?|(?:[A-Z]\. ?){1,3}(?: ?[A-Z]\.?)?)(?: ?[A-Z]{2,}+)++"
)
#: Degrees after a name; "Jr." and "Sr." belong to the name.
TRAILING_DEGREES = re.compile(rf"(?<=\w\w)(?:[,\s]+(?![JS]r\b){DEGREE})+$")
GENERATIONS = (" Jr", " Sr", " JR", " SR")
#: Words of topics, departments and notices in the places of bylines: "HR Strategy", "Trade Program".
TOPIC = words.pattern("topic", bounded=True)
#: The number of a footnote after a name: "Ann Lee1".
FOOTNOTE = re.compile(r"(\s\S*[a-zß-ÿ])\d{1,2}$")
JOB = words.pattern("job", bounded=True)
#: What a phrase begins with ("by the numbers"), and no name but that of an organisation.
PHRASE_BEGINS = tuple(f"{word} " for word in words.listed("phrase_begins"))
#: What no name contains or is.
NO_NAME = re.compile(
    r"https?:|www\.|@|(?<![A-Za-z\d])\d|\d{3}|\.(?:html?|php|com/)|[{}<>=#_:：՝៖]"
    rf"|{words.alternatives('no_name', bounded=True)}|^(?:{words.alternatives('no_whole_name')}|{ROLE_WORDS})$",
    re.I,
)
#: What is before a date, in a byline or a line of its own: "published".
DATE_LABEL = words.pattern("published", "modified", bounded=True, stems=True)
#: Names of organisations.
ORGANISATION = re.compile(
    rf"^(?-i:(?=[^\W\d_a-z])(?i:{'|'.join(words.listed('organisation_article'))}))\s"
    rf"|{words.alternatives('organisation', bounded=True)}"
    r"|\.(?:com|org|net|de|at|be|tr|co|io)\b",
    re.I,
)
#: First words of places after names: "Ann Lee, New York".
PLACE = rf"^(?:{'|'.join(words.read('en')['place'])})\s[A-Z]"
#: A place, department or employer: not a second author after a person and a comma.
BEHIND_A_NAME = re.compile(f"{PLACE}|(?i:{TOPIC.pattern}|{ORGANISATION.pattern})")
HAN_PERSON = re.compile(rf"[{HAN_CLASS}{character_class(KANA)}]{{2,5}}(?:·[{HAN_CLASS}]{{1,6}})?")
PARTICLE = frozenset(words.listed("particle"))
#: Lower-case words within names of persons and organisations.
LOWER_CASE = PARTICLE.union(words.listed("within_organisation"))


def parse_names(raws: Iterable[str], *, labelled: bool = True) -> list[str]:
    """The names in these strings, in order, without repetitions; if not `labelled`, only likely persons."""
    by_key: dict[str, str] = {}
    names = (name for raw in raws for name in _names_in(normalize_line(raw)) if labelled or is_person(name))
    for name in islice(names, MAX_KEPT):
        by_key.setdefault(comparison_key(name), name)
    return list(by_key.values())


@lru_cache(maxsize=512)
def _names_in(text: str) -> tuple[str, ...]:
    """The names in a line: "By A. Smith, Senior Editor, and B. Jones, PhD" gives A. Smith and B. Jones. Cached."""
    text = without_addresses(" ".join(TAG.sub(" ", text).split()))
    if BRACKETS.fullmatch(text) and NAME_LABEL.match(within := text.strip("()（）[]【】")):
        text = within
    text = IN_CATEGORY.sub(r"\1", REPEATED.sub(r"\1\2", text))
    text = TAIL.sub("", " ".join(BRACKETS.sub(" ", text).split()))
    return tuple(_names_of_line(_without_date(text).strip()))


def without_addresses(text: str) -> str:
    """A line without e-mail addresses, handles and URLs."""
    return ADDRESS.sub(r"\1 ", text) if "@" in text or "://" in text else text


def _without_date(text: str) -> str:
    """A byline up to its date, in any language; a word for a month before a day-first date is a surname."""
    if DIGITS.search(text):
        lowered = lower_same_length(text)
        for pattern in _dates_behind_names():
            if found := pattern.search(lowered, 0, len(text)):
                text = text[: found.start()]
                before = text.rpartition(" ")
                if before[2] in _words_before_dates() and " " in before[0]:
                    text = before[0]
                text = _without_date_label(text)
    return text


def _without_date_label(text: str) -> str:
    """A byline without "Published" or "Mis à jour" behind its names."""
    parts = text.split()
    behind = (" ".join(parts[place:]) for place in range(2, len(parts)))  # a label and a name, or a full name
    label = next(filter(_is_date_label, behind), "")
    return text.removesuffix(label)


def _is_date_label(text: str) -> bool:
    """Whether a text is what is before a date; `fullmatch` would try each such word in a long one."""
    found = DATE_LABEL.match(text)
    return found is not None and found.end() == len(text)


@cache
def _dates_behind_names() -> tuple[re.Pattern[str], ...]:
    """Dates with the day or the year first, then those with the month first, in all languages with words."""
    tables = map(date_words, words.languages())
    months = {word for table in tables for month in table["months"] for word in month if word.isalpha()}
    names = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    return (
        re.compile(rf"\s(?:19|20)\d\d\s?[-./年]|\s\d{{1,2}}(?:[/.]\s?\d|{AFTER_DAY}(?:{names})\b|{DAY_AND_YEAR})"),
        re.compile(rf"(?:\b(?:on|at)\s+)?\b(?:{names})\.?\s+\d"),
    )


@cache
def _words_before_dates() -> frozenset[str]:
    """Weekdays, and words such as "am" and "le" as they are written before a date."""
    tables = [*map(date_words, words.languages())]
    days = {word for table in tables for word in table["days"] if len(word) > MAX_ABBREVIATION}
    days |= {form for day in days for form in (day.capitalize(), day.upper())}
    return frozenset(days.union(*(table["fillers"] for table in tables)))


def _names_of_line(text: str) -> Iterator[str]:
    pieces = _joined_organisations(_pieces(text))
    if all(_is_organisation(part, before) for part, before in pieces) and is_plausible(strip_label(text)):
        pieces = [(text, "")]
    has_name, has_person, all_capitals, job = False, False, False, ""
    first = pieces[0][0].strip()
    for part, before in pieces:
        between = before.strip()
        if job and (between == "," or (OF_THINGS.search(job) and between.lower() in JOINING)):
            continue
        if between in BARS and not has_name and strip_label(first) not in (first, ""):
            return  # "By admin | 3 May 2024 | Ferries"
        name = strip_label(part)
        job = part if has_name and (JOB.search(name) or (between == "," and part[:1].islower())) else ""
        if has_person and between == "—":
            continue
        if has_person and between == "," and (BEHIND_A_NAME.search(part) or " " not in part):
            continue
        # After a comma, two words in capitals are degrees, but in a line of names in capitals the next name.
        is_next = between.lower() in JOINING or (all_capitals and NAME_IN_CAPITALS.search(name) is not None)
        if not job and is_plausible(name, not has_name or is_next):
            yield name
            has_name, has_person = True, has_person or is_person(name)
            all_capitals = name.isupper() and " " in name


def _is_organisation(part: str, before: str) -> bool:
    """Whether a piece is an organisation joined to the previous one by "and" or nothing."""
    return before.strip() in ("", *JOINING) and bool(ORGANISATION.search(part) or NEWSPAPER.match(strip_label(part)))


def _joined_organisations(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Joins "Center for Drug Evaluation" and "Research": an organisation "for" or "of" two things."""
    joined: list[tuple[str, str]] = []
    for part, before in pieces:
        last, its_before = joined[-1] if joined else ("", "")
        is_of_things = before.strip() in JOINING and OF_THINGS.search(last)
        most = 2 if OFFICE_OF.search(last) else 1
        if is_of_things and len(part.split()) <= most and ORGANISATION.search(last):
            joined[-1] = f"{last}{before}{part}", its_before
        else:
            joined.append((part, before))
    return joined


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a byline, each with the separator before it; its label is one, whatever words it joins."""
    before, start = "", 0
    label = NAME_LABEL.match(text)
    for match in SPLIT.finditer(text, label.end() if label else 0):
        yield text[start : match.start()], before
        before, start = match.group(), match.end()
    yield text[start:], before


def strip_label(part: str) -> str:
    """One name without label, credentials and surrounding punctuation."""
    part = part.strip(" \u3000.,،:;-–—|/*\"'“”‘’&")
    for pattern in (NAME_LABEL,) if part.isascii() else (NAME_LABEL, HAN_LABEL, NAME_LABEL):
        if label := pattern.match(part):
            part = part[label.end() :]
    part = FOOTNOTE.sub(r"\1", TRAILING_DEGREES.sub("", part))
    part = f"{part}." if part.endswith(GENERATIONS) else part
    for pattern in BEHIND_A_PERSON:
        if (found := pattern.match(part)) and is_person(found[1]):
            part = found[1]
    return part.strip(" \u3000,،:;-–—|/*\"'“”‘’&")


def is_plausible(name: str, alone: bool = False) -> bool:
    """Whether a string can be a name; an acronym only if `alone` or first, since after a name it is a degree."""
    if not 1 < len(name) <= LONG_LINE or not any(map(str.isalpha, name)) or len(name.split()) > 7:
        return False
    if (
        NO_NAME.search(name)
        or is_placeholder(name)
        or _is_date_label(name)
        or PUBLISHING_WORDS.fullmatch(name)
        or name[-1] in "?!"
    ):
        return False
    if CREDENTIAL.fullmatch(name) and not (alone and (AGENCY.fullmatch(name) or ORGANISATION.search(name))):
        return False
    if name.startswith(PHRASE_BEGINS) and not ORGANISATION.search(name):
        return False
    return name[0].isupper() or not name[0].isascii() or len(name.split()) <= 2 or bool(ORGANISATION.search(name))


@lru_cache(maxsize=512)
def is_person(name: str) -> bool:
    """Whether a string looks like a person's name: two to five capitalised words, or two to five Han characters."""
    if ORGANISATION.search(name):
        return False
    if HAN_PERSON.fullmatch(name):
        return True
    words = name.split()
    if not 2 <= len(words) <= 5 or JOB.search(name) or TOPIC.search(name):
        return False
    return all(word in PARTICLE or word[0] == word[0].title() for word in words)  # Georgian has only small letters


def is_job_or_employer(text: str) -> bool:
    """Whether a text names a job or an organisation: "Staff Writer", "AP"."""
    return JOB.search(text) is not None or ORGANISATION.search(text.removeprefix("the ")) is not None


def is_phrase(name: str) -> bool:
    """Whether a string is a phrase rather than a name, by a lower-case word: "Stay connected"."""
    first, *rest = name.split()
    is_lower = any(word[0].isascii() and word[0].islower() and word not in LOWER_CASE for word in rest)
    return is_lower and first[0].isupper() and not ORGANISATION.search(name)


def same_name(name: str, other: str | None) -> bool:
    """Whether two names are equal except for case and punctuation."""
    return bool(other) and comparison_key(name) == comparison_key(other)


def normalize_line(text: str) -> str:
    """A text of at most 2,000 characters on one line, in NFC, without entities and invisible characters. Cached."""
    return _on_one_line(text[:2000])


@lru_cache(maxsize=512)
def _on_one_line(text: str) -> str:
    text = html.unescape(text)
    if not text.isprintable():
        text = "".join(c for c in text if c.isprintable() or c.isspace() or c in JOINING_MARKS)
    return composed(" ".join(text.split()))
