"""What the pages of a site show about one of them: which pages are articles, and which text belongs to which page.

`PageSummary` is a page's contribution, `SiteProfile` a snapshot of a site's summaries, `decide` the decision on a page
by summary and profile. This needs no HTML, no Scrapy and no database.
"""

from newsextract.site_profile.decision import Decision, decide, decide_all
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.sentences import block_sentences
from newsextract.site_profile.snapshot import ProfileSnapshot, SiteEvidence, build_profile
from newsextract.site_profile.summary import PageSummary, locate_blocks, summarize

__all__ = [
    "Decision",
    "PageSummary",
    "ProfileSnapshot",
    "SiteEvidence",
    "SiteProfile",
    "block_sentences",
    "build_profile",
    "decide",
    "decide_all",
    "locate_blocks",
    "summarize",
]
