"""Sentences about the blocks of a page, for the evidence report: which other pages of the site have them."""

import numpy as np

from newsextract.site_profile.batch import Batch
from newsextract.site_profile.block_evidence import TOLERANCE
from newsextract.site_profile.counts import PAGES, find, take
from newsextract.site_profile.page_evidence import RARE_PAGES
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.summary import PageSummary


def block_sentences(summary: PageSummary, profile: SiteProfile) -> dict[int, str]:
    """Number of a block in the extraction -> a sentence; without blocks that no other page has."""
    if summary.blocks is None or not len(profile):
        return {}
    batch, own = Batch([summary]), profile.numbers_of([summary])
    known, others = own >= 0, len(profile) - int(own[0] >= 0)
    articles, leads = profile.articles, profile.articles.leads
    on_pages = profile.counts.blocks.at(find(profile.counts.blocks.keys, batch.keys))[PAGES] - known[batch.pages]
    origin, letters = articles.blocks.origin(find(articles.blocks.keys, batch.keys), own[batch.pages])
    headline = take(articles.headlines.pages, find(articles.headlines.keys, batch.keys), -1).astype(int)
    is_other = (headline >= 0) & (batch.keys != summary.headline) & batch.heading
    is_earlier = (origin >= 0) & (letters < batch.position - TOLERANCE)
    is_lead = leads.has(batch.keys) & (batch.keys != summary.lead)
    urls = {number: url for url, number in reversed(profile.numbers.items())}
    sentences = {}
    for row in np.flatnonzero(on_pages >= 1).tolist():
        if is_other[row]:
            sentence = f"The headline of {urls[headline[row]]}."
        elif on_pages[row] >= RARE_PAGES:
            sentence = f"On {int(on_pages[row])} of {others} other pages of this site."
        elif is_earlier[row]:
            part = "The lead of" if is_lead[row] else "Text of"
            sentence = f"{part} {urls[origin[row]]}."
        else:
            sentence = f"On {int(on_pages[row])} other page{'s' if on_pages[row] > 1 else ''} of this site."
        sentences[int(summary.blocks[row])] = sentence
    return sentences
