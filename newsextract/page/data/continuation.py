"""Whether scripts hold more of a text than the page shows, told from the page's characters, without reading them.

Most pages that carry their article as data show it too. Reading the data costs as much as the extraction, so for a page
whose text is sure it is read only if a script has the last shown paragraph and, close behind it, prose that the page
does not show.
"""

import re
from collections.abc import Sequence
from itertools import islice

#: Plain characters that HTML and JSON write alike, but that JSON may escape those beyond ASCII.
PLAIN = re.compile(r"[^\W\d_](?:[\w ,]{24,60})")
#: A run of words in a script behind the last shown paragraph.
WORDS = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]++,? ){6,}[^\W\d_]++|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{16,}")
ESCAPE = re.compile(r"\\u([\da-fA-F]{4})")
#: Characters of an escape; places of a paragraph that are looked at; characters behind it, and runs of words in them.
ESCAPED, MAX_PLACES, REACH, MAX_RUNS = 6, 6, 2_500, 6
#: How many of the runs of words the page must not show, and spaces in a run.
MIN_HIDDEN, MIN_SPACES = 3, 6


def continues(html: str, last: str, shown: Sequence[str]) -> bool:
    """Whether a script has the paragraph `last`, and behind it prose that is not among the texts `shown`."""
    probe = PLAIN.search(last)
    if probe is None:
        return False
    for sought in dict.fromkeys((probe[0], _escaped(probe[0], "04x"), _escaped(probe[0], "04X"))):
        at = -1
        for _ in range(MAX_PLACES):
            if (at := html.find(sought, at + 1)) < 0:
                break
            begin = html.rfind("<script", 0, at)
            if begin >= 0 and html.find("</script", begin, at) < 0:
                if _has_hidden(html, at, last, shown):
                    return True
                at = html.find("</script", at)  # the first place of each script
                if at < 0:
                    break
    return False


def _escaped(text: str, form: str) -> str:
    """The text as JSON in ASCII has it."""
    return "".join(character if character.isascii() else f"\\u{ord(character):{form}}" for character in text)


def _has_hidden(html: str, at: int, last: str, shown: Sequence[str]) -> bool:
    """Whether prose that the page does not show stands behind the paragraph at `at` in a script."""
    script = html[at : at + ESCAPED * (len(last) + REACH)].partition("</script")[0]
    if "\\u" in script:
        script = ESCAPE.sub(lambda match: chr(int(match[1], 16)), script)
    behind = script[len(last) : len(last) + REACH]
    if behind.isascii() and behind.count(" ") < MIN_HIDDEN * MIN_SPACES:
        return False
    runs = [match[0] for match in islice(WORDS.finditer(behind), MAX_RUNS)]
    page = "\n".join(shown)
    return sum(run[:60] not in page for run in runs) >= MIN_HIDDEN
