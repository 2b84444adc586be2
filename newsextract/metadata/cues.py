"""What short blocks of a page say beside its text: buttons of a shop, calls to act, the furniture of a story.

Looked up by their first word, since a page has hundreds of short blocks and regular expressions would try each phrase
on each of them.
"""

from collections import Counter

#: Kind of page -> phrases that are a whole block of it; a star stands for any rest, `#` for a number.
CUES = {
    "shop": """
        add to cart|add to bag|add to basket|add to wishlist|buy now|shop now|sold out|in stock|out of stock|quantity
        qty|sku*|free shipping*|in den warenkorb|ajouter au panier|añadir al carrito|size guide|write a review|load more
        sort by*|filter|filters|filter by|filters by|show more|clear all|quick view|# results*|# items*|# products*
        加入购物车|立即购买
    """,
    "call": """
        request a quote|request a demo|request an estimate|request a free quote|request free quote|request information
        request info|apply|apply now|apply online|enroll|enroll now|get a quote|get a free quote|book now|book a *
        get started*|schedule *|free estimate|view details|learn more|contact us*|call us*|call now*|pricing
        testimonials|our services|why choose *|frequently asked questions|faq|faqs|find a *|read more|view all*|see all*
        explore *
    """,
    "story": """
        by *|by:*|written by*|posted by*|published by*|reviewed by*|published*|posted*|updated*|last updated*|share
        share this*|share on*|leave a comment*|leave a reply*|comment*|comments*|reply*|related articles*|related posts*
        related stories*|table of contents|key takeaways|about the author*|previous post*|previous article*
        previous story*|next post*|next article*|next story*|tags|tags:|filed under*|source|sources|references
        conclusion|introduction|in this article*
    """,
}


def _indexed() -> dict[str, tuple[tuple[str, str, bool], ...]]:
    """First word -> (kind, phrase, whether more may follow)."""
    index: dict[str, tuple[tuple[str, str, bool], ...]] = {}
    for kind, phrases in CUES.items():
        for phrase in phrases.replace("\n", "|").split("|"):
            words = phrase.strip()
            if words:
                row = (kind, words.rstrip("*"), words.endswith("*"))
                first = row[1].split(" ", 1)[0]
                index[first] = (*index.get(first, ()), row)
    return index


INDEX = _indexed()
#: What follows a number of minutes, wherever in a block it stands.
READING = (" min read", " minute read", " minutes read", " mins read")


def counted(blocks: str) -> Counter[str]:
    """How many of these short blocks, one a line in lower case, are cues of each kind."""
    found = Counter(story=sum(map(blocks.count, READING)))
    known = [line for line in blocks.split("\n") if line.partition(" ")[0] in INDEX or line[:1].isdigit()]
    for line in known:
        first = line.partition(" ")[0]
        if first.isdigit():
            first, line = "#", f"#{line[len(first) :]}"
        for kind, phrase, is_open in INDEX.get(first, ()):
            if line == phrase or (is_open and line.startswith(phrase)):
                found[kind] += 1
                break
    return found
