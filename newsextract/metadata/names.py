"""Names of authors out of what pages write: bylines without "By", jobs, places and addresses, split where several sign."""

import html
import re
import unicodedata

MAX_NAMES = 100
MAX_LENGTH = 80
HAN = r"\u3400-\u9fff"
#: What stands before a name. After a Chinese or Japanese label no space is needed.
LABEL = re.compile(
    r"^\W*(?:(?:(?:medically |fact )?(?:written|posted|published|authored|created|submitted|story|words|text|report(?:ed|ing)?|words and photos?|article|recipe|contributed)?\s*(?:and photographed )?\bby"
    r"|authors?(?:\(s\))?\s*[:：]|autor(?:in|en|es|as)?\s*[:：]|auteurs?\s*[:：]|autore\s*[:：]|von|par|por|di|door|af|av|tekst|text|texto|testo|oleh|yazar|автор|автори|author name|contributors?\s*[:：]?|from"
    r"|napsal[ai]?|autoři|reporter|publicado por|escrito por|publié par|scritto da|geschrieben von|ein artikel von|eine analyse von|ein gastbeitrag von|geschreven door)(?=[\s:：]|$)\s*[:：]?"
    r"|(?:本报|本刊|本网|新华社|人民网|中新社|本台)?(?:实习|特约|通讯|首席)?(?:记者|記者|通讯员|作者|撰文|编辑|編輯|责任编辑|责编|文|原作者|来源|作者名)\s*[:：/／|｜丨]?)\s*",
    re.I,
)
SPLIT = re.compile(
    rf"\s*(?:[;；|｜、，/／•·\n\t]|\s[-–—]\s|,(?!\s*(?:Jr|Sr)\b)|\s(?:&|\+|and|und|et|y|e|og|och|en|и|та|й|ve|dan|with|mit|avec|con|i)\s|和|(?<=[{HAN}])\s+(?=[{HAN}]))\s*"
)
#: A part of a byline that is no name: what people are, where they are, what the page says of them.
CREDENTIAL = re.compile(
    r"^(?:[A-Z][A-Za-z]?\.?\s?){0,1}(?:(?:[A-Z]\.?){2,8}(?:-[A-Z\d]+)?|Ph\.?\s?D\.?|M\.?D\.?|Pharm\.?D\.?|Psy\.?D\.?|Ed\.?D\.?|Esq\.?|Jr\.?|Sr\.?|CEPF®|CFP®?|E-RYT \d+|R\.?N\.?|M\.?Sc?\.?|B\.?Sc?\.?|MBA|DVM|RDN?)"
    r"(?:[\s,]+(?:[A-Z]\.?){2,8})*$"
)
JOB = re.compile(
    r"\b(?:editor|reporter|correspondent|journalist|writer|director|manager|founder|co-founder|ceo|cto|cmo|president|professor|expert|specialist|contributor|columnist|producer|photographer|analyst|consultant|researcher|dietitian|horticulturalist|educator|head of|senior|chief|redakteur(?:in)?|korrespondent(?:in)?|redacteur|journaliste|periodista|engineer|developer|strategist|coordinator|fellow|instructor|nutritionist|representative|officer|vice|lecturer|partner|at [A-Z])\b",
    re.I,
)
NO_NAME = re.compile(
    r"https?:|www\.|@|\d{3,}|\.(?:html?|php|com/)|\b(?:min(?:ute)?s? read|read(?:ing)? time|updated|published|posted|share|follow|comments?|view (?:all|profile|posts?)|read more|subscribe|reviewed|photo|image|credit|getty|bio|more by|see all|all posts|about the author|click|contact|email|e-mail|profile|website|twitter|facebook|linkedin|instagram|copyright|unknown|advertisement|newsletter|table of contents|est reading|last modified|all rights|min$)\b"
    r"|^(?:admin(?:istrator)?|author|authors|by|guest|user|editor|staff|null|none|undefined|n/?a|anonymous|test|root|webmaster|superuser|default|blog|news|home|home ?page|about|person|wordpress)$",
    re.I,
)
#: Names that are an organisation's; kept only where nobody else signs.
ORGANISATION = re.compile(
    r"\b(?:agency|agentur|agence|press|news|times|post|herald|staff|team|editors?|editorial|redaktion|redazione|redacci[oó]n|rédaction|desk|inc|llc|ltd|gmbh|group|university|institute|association|center|centre|department|media|magazine|company|company|dpa|afp|reuters|apa|sda|ap|ansa|efe|belga|tass|xinhua|pti|ani|bloomberg|web|online|tv|admin|studio|solutions|services|blog|network|official|council|society|foundation|agencies|bureau)\b"
    r"|\.(?:com|org|net|de|at|be|tr|co)\b|[社网報报刊台]$|新闻|新聞|网$|编辑部|電子報|オンライン|Web$",
    re.I,
)


def names(raws: list[str], publisher: str | None = None) -> list[str]:
    """The persons who sign, in order, each once; the organisations where no person does."""
    found: dict[str, str] = {}
    for raw in raws[:MAX_NAMES]:
        for name in split(raw):
            found.setdefault(_key(name), name)
            if len(found) >= MAX_NAMES:
                break
    persons = [name for name in found.values() if not organisation(name, publisher)]
    return persons or list(found.values())


def split(raw: str) -> list[str]:
    """The names in one string: "By A. Smith, Senior Editor, and B. Jones, PhD" gives A. Smith and B. Jones."""
    text = tidy(raw)
    text = re.sub(r"\s*[(（\[【][^)）\]】]*[)）\]】]?", " ", text).strip()
    text = re.sub(r"\S+@\S+|https?://\S+|\s@\w+", " ", text).strip()
    parts = SPLIT.split(text)
    found = []
    for part in parts:
        name = bare(part)
        if name and plausible(name):
            if found and JOB.search(name):
                continue
            found.append(name)
    return found


def bare(part: str) -> str:
    """One name without its label, credentials and trailing marks."""
    part = part.strip(" \u3000.,:;-–—|/*\"'“”‘’")
    for _ in range(3):
        shorter = LABEL.sub("", part, count=1)
        if shorter == part or not shorter:
            break
        part = shorter
    part = re.sub(r"[,\s]+(?:Ph\.?D|M\.?D|MBA|MSc?|RDN?|CFP|CPA|DVM|Esq|RN)\.?$", "", part)
    return part.strip(" \u3000,:;-–—|/*\"'“”‘’")


def plausible(name: str) -> bool:
    """Whether a string can be a name: short, with letters, none of what bylines hold besides names."""
    if not 1 < len(name) <= MAX_LENGTH or not any(char.isalpha() for char in name):
        return False
    if NO_NAME.search(name) or CREDENTIAL.match(name) or len(name.split()) > 7:
        return False
    return not re.fullmatch(r"[a-z\s]+", name) or " " not in name or len(name.split()) <= 3


def organisation(name: str, publisher: str | None = None) -> bool:
    """Whether a name is an agency's, a desk's or the publisher's."""
    return bool(ORGANISATION.search(name)) or (publisher is not None and _key(name) == _key(publisher))


def tidy(text: str) -> str:
    """One line without entities, control characters and marks that turn the direction of writing."""
    text = html.unescape(text[:2000]) if "&" in text else text[:2000]
    text = "".join(
        " " if char in "\n\t\r" else char
        for char in text
        if unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cs") or char in "\n\t\r\u200c\u200d"
    )
    return " ".join(text.split())


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
