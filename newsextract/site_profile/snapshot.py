"""The profile of a site as sent to worker processes: pickled once."""

import pickle
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from uuid import uuid4

from newsextract.pickling import pickled_at_once
from newsextract.site_profile.decision import Decision
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.summary import PageSummary

#: Minimum pages of a site for a profile that decides; for one that only tells which lines most articles have.
MIN_PAGES = 16
FEW_PAGES = 6


@pickled_at_once
@dataclass(frozen=True, slots=True)
class ProfileSnapshot:
    """The profile of a site at some moment; `pages`: the number of its pages, `data`: the pickled profile."""

    id: str
    pages: int
    data: bytes = field(repr=False)

    @classmethod
    def of(cls, profile: SiteProfile) -> "ProfileSnapshot":
        return cls(uuid4().hex, len(profile), pickle.dumps(profile, pickle.HIGHEST_PROTOCOL))

    def load(self) -> SiteProfile:
        profile: SiteProfile = pickle.loads(self.data)
        return profile


@pickled_at_once
@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """The profile of a page's site, if any; `decided`: summary and decision of a page that is read again."""

    snapshot: ProfileSnapshot | None = None
    decided: tuple[PageSummary, Decision] | None = None


def build_profile(summaries: Sequence[PageSummary]) -> SiteProfile | None:
    """The profile of a site's pages; None if they are too few even to tell which lines most articles have."""
    if len(summaries) < FEW_PAGES:
        return None
    return replace(SiteProfile.build(summaries), decides=len(summaries) >= MIN_PAGES)


def read_summaries(blobs: Iterable[bytes]) -> list[PageSummary]:
    """The summaries of `PageSummary.to_bytes`; one that cannot be read is skipped."""
    summaries = []
    for blob in blobs:
        with suppress(ValueError):
            summaries.append(PageSummary.from_bytes(blob))
    return summaries
