"""What all pages of a site say about one of them: which pages are articles, and which blocks are whose text.

`PageSummary` is what one page contributes, `SiteProfile` a snapshot of the summaries of a site, `decide` the decision
on a page by its summary and the profile. No HTML is needed for it, no Scrapy and no database.
"""

from newsextract.site_profile.decision import Decision, decide, decide_all
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.sentences import block_sentences
from newsextract.site_profile.snapshot import ProfileSnapshot, SiteEvidence
from newsextract.site_profile.summary import PageSummary, locate_blocks, summarize

__all__ = [
    "Decision",
    "PageSummary",
    "ProfileSnapshot",
    "SiteEvidence",
    "SiteProfile",
    "block_sentences",
    "decide",
    "decide_all",
    "locate_blocks",
    "summarize",
]
