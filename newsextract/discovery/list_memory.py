"""Large lists: what an earlier read has taken of one is passed over before it is parsed.

The memory of a list is a hash of the source of each entry that was taken. An entry that stands there as it did is cut
out of the text; what remains is a list of the new and the changed ones, and costs what they cost. The newest are taken
first; the rest is counted, isn't remembered, and so is taken by later reads.
"""

import pickle
import re
from collections.abc import Sequence
from hashlib import blake2b

from newsextract.discovery.entries import Entry
from newsextract.discovery.list_parser import MAX_BYTES, unpacked
from newsextract.discovery.lists import MAX_RECORDS, ListContents, read_list
from newsextract.discovery.newest_first import newest_first

#: Entries from which on a list is large.
LARGE = 1_000
#: Bytes of a hash.
HASH = 8
#: Entries that are ranked one by one, the newest; and the others of a list that are handled at a time.
RANKED, BATCH = 2_000, 1_000
#: Characters at the beginning in which the root is looked for.
HEAD = 16_384
ROOT = re.compile(rb"<(?:[\w.-]+:)?(urlset|rss|rdf|channel|feed|sitemapindex|opml|html)(?=[\s/>])", re.I)
#: Where an entry begins, by the root; the lines of a sitemap in plain text.
STARTS = {
    name: re.compile(rb"(?=<(?:[\w.-]+:)?%b[\s>])" % entry, re.I)
    for name, entry in {
        b"urlset": b"url",
        b"rss": b"item",
        b"rdf": b"item",
        b"channel": b"item",
        b"feed": b"entry",
    }.items()
}
LINES = re.compile(rb"^(?=https?:)", re.I | re.M)
END_TAG = re.compile(rb"</(?:[\w.-]+:)?(?:url|item|entry)\s*>", re.I)


def read_new_entries(
    body: bytes, url: str, charset: str | None = None, language: str = "", known: bytes | None = None
) -> ListContents:
    """What a list has beside the entries that are `known`: the memory of an earlier read (`ListContents.memory`).

    The pages of a large list come from new to old, those after the first RANKED in batches (`unpack_batch`).
    """
    text = unpacked(body)[:MAX_BYTES]
    head, entries, tail = split_entries(text)
    if len(entries) <= LARGE:
        return read_list(body, url, charset, language)
    hashes = [blake2b(entry.strip(), digest_size=HASH).digest() for entry in entries]
    before = {known[start : start + HASH] for start in range(0, len(known), HASH)} if known else set[bytes]()
    new = [position for position, one in enumerate(hashes) if one not in before]
    unread = max(0, len(new) - MAX_RECORDS)
    if unread:  # whichever end is the new one
        new = new[: MAX_RECORDS // 2] + new[-MAX_RECORDS // 2 :]
    contents = read_list(b"".join((head, *(entries[position] for position in new), tail)), url, charset, language)
    contents.passed_over, contents.left = len(entries) - len(new) - unread, contents.left + unread
    taken = set[int]()
    if contents.records == len(new) and not contents.problem:
        taken.update(position for number, position in enumerate(new) if number not in contents.left_out)
    kept = (one for position, one in enumerate(hashes) if one in before or position in taken)
    contents.memory = b"".join(dict.fromkeys(kept))
    pages = newest_first(contents.pages)
    contents.pages, rest = pages[:RANKED], pages[RANKED:]
    contents.batches = [pickle.dumps(rest[start : start + BATCH], 5) for start in range(0, len(rest), BATCH)]
    return contents


def unpack_batch(batch: bytes) -> list[Entry]:
    """The entries of one of `ListContents.batches`."""
    entries: list[Entry] = pickle.loads(batch)  # made by our own worker
    return entries


def split_entries(text: bytes) -> tuple[bytes, Sequence[bytes], bytes]:
    """What stands before the entries of a list, each entry up to the next one, and what stands after the last."""
    root = ROOT.search(text, 0, HEAD)
    start = STARTS.get(root[1].lower()) if root else LINES if b"<" not in text[:HEAD] else None
    if start is None:
        return text, (), b""
    head, *entries = start.split(text)
    if not entries or root is None:
        return head, entries, b""
    *_, end = (0, *(match.end() for match in END_TAG.finditer(entries[-1])))
    last, tail = entries[-1][: end or None], entries[-1][end:] if end else b""
    return head, [*entries[:-1], last], tail
