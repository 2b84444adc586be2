"""`pickled_at_once`: what goes between processes arrives as it was, also as `dataclass` itself would pickle it."""

import pickle
from dataclasses import fields
from datetime import UTC, datetime

import pytest

from newsextract.items import FetchedPage, Listing
from newsextract.near_duplicates import Signature, signature_of
from newsextract.site_profile import Decision, SiteEvidence
from newsextract.workers.messages import ExtractionPlan, ReadPage

WHEN = datetime(2026, 11, 29, tzinfo=UTC)
PAGE = FetchedPage("https://paper.example/a", b"<p>a", WHEN, listing=Listing("feed", title="A"), extra={"price": 3})


@pytest.mark.parametrize(
    "sent",
    [
        PAGE,
        ReadPage(**PAGE.page_values(), next="https://paper.example/a?page=2", failure=None),
        ExtractionPlan((PAGE,), SiteEvidence(), known_hash="f00d", compares=True),
        Decision(True, 2.5, b"\7", None),
    ],
)
def test_values_that_go_between_processes_arrive_as_they_were(sent):
    arrived = pickle.loads(pickle.dumps(sent))
    assert arrived == sent and type(arrived) is type(sent)
    values = [getattr(sent, field.name) for field in fields(sent)]
    again = type(sent).__new__(type(sent))
    again.__setstate__(values)  # as pickled by the dataclass itself
    assert again == sent and [getattr(again, field.name) for field in fields(sent)] == values


def test_signature_of_a_text_arrives_as_it_was():
    signature = signature_of("The ferry to Northgate sailed at noon, with 40 guests and a brass band. " * 9)
    assert signature is not None
    arrived = pickle.loads(pickle.dumps(signature))
    assert isinstance(arrived, Signature) and arrived.to_bytes() == signature.to_bytes()
