"""The profile of a site as sent to worker processes: pickled once."""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import uuid4

from newsextract.site_profile.decision import Decision
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.summary import PageSummary

#: Minimum pages of a site for a profile.
MIN_PAGES = 16


@dataclass(frozen=True, slots=True)
class ProfileSnapshot:
    """The profile of a site at some moment; `pages`: the number of its pages, `data`: the pickled profile."""

    id: str
    pages: int
    data: bytes = field(repr=False)

    @classmethod
    def of(cls, profile: SiteProfile) -> "ProfileSnapshot":
        return cls(uuid4().hex, len(profile), pickle.dumps(profile, pickle.HIGHEST_PROTOCOL))


@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """How a page is read with what its site shows; without it (None) by itself, contributing nothing to its site.

    `snapshot`: the profile of its site, if any; `decided`: summary and decision of a page that is read again.
    """

    snapshot: ProfileSnapshot | None = None
    decided: tuple[PageSummary, Decision] | None = None


def read_summaries(blobs: Iterable[bytes]) -> list[PageSummary]:
    """The summaries of `PageSummary.to_bytes`; one that cannot be read is skipped."""
    summaries = []
    for blob in blobs:
        try:
            summaries.append(PageSummary.from_bytes(blob))
        except ValueError:
            continue
    return summaries
