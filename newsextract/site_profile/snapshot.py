"""The profile of a site as it is sent to worker processes: pickled once."""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import uuid4

from newsextract.site_profile.decision import Decision
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.summary import PageSummary

#: Pages of a site from which on it has a profile.
MIN_PAGES = 16


@dataclass(frozen=True, slots=True)
class ProfileSnapshot:
    """The profile of a site at some moment; `pages`: how many pages it is built of, `data`: the pickled profile."""

    id: str
    pages: int
    data: bytes = field(repr=False)

    @classmethod
    def of(cls, profile: SiteProfile) -> "ProfileSnapshot":
        return cls(uuid4().hex, len(profile), pickle.dumps(profile, pickle.HIGHEST_PROTOCOL))


@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """How a page is read by what its site says; None in its place: by itself, and nothing is learned of it.

    `snapshot`: the profile of its site, if there is one; `decided`: of a page that is read again, its summary and the
    decision on it.
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
