"""Whether scripts hold more of a text than the page shows, told from their characters, without reading them.

Most pages that carry their article as data show it too. Reading the data costs as much as the extraction, so for a page
whose text is sure it is read only if a script has the last shown paragraph and, close behind it, prose that the page
does not show.
"""

import re
from collections.abc import Iterable, Sequence

#: Plain characters that HTML and JSON write alike.
PLAIN = re.compile(r"[^\W\d_](?:[\w ,]{24,60})")
#: The same without characters that JSON may escape.
ASCII = re.compile(r"[A-Za-z](?:[A-Za-z0-9 ,]{20,60})")
#: A run of words in a script behind the last shown paragraph.
WORDS = re.compile(r"(?:[^\W\d_]+,? ){6,}[^\W\d_]+|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{16,}")
ESCAPE = re.compile(r"\\u([\da-fA-F]{4})")
#: Characters behind the last shown paragraph that are looked at, and runs of words in them.
REACH, MAX_RUNS = 2_500, 6
#: How many of the runs of words the page must not show.
MIN_HIDDEN = 3


def occurs_twice(html: str, last: str) -> bool:
    """Whether a page may have the paragraph `last` in a script too; True where that can't be told."""
    probe = ASCII.search(last)
    if probe is None:
        return True
    return html.find(probe[0], html.find(probe[0]) + 1) >= 0


def continues(scripts: Iterable[str], last: str, shown: Sequence[str]) -> bool:
    """Whether a script has the paragraph `last`, and behind it prose that is not among the texts `shown`."""
    probe = PLAIN.search(last)
    page = "\n".join(shown)
    for script in scripts:
        at = script.find(probe[0]) if probe else -1
        if at < 0 and not last.isascii() and "\\u" in script:
            script = ESCAPE.sub(lambda match: chr(int(match[1], 16)), script)
            at = script.find(probe[0]) if probe else -1
        if at < 0:
            continue
        behind = script[at + len(last) : at + len(last) + REACH]
        runs = [match[0] for match in WORDS.finditer(behind)][:MAX_RUNS]
        if sum(run[:60] not in page for run in runs) >= MIN_HIDDEN:
            return True
    return False
