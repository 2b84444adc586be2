"""The table of reasons: every word that the code gives has its row, or says nothing more than itself."""

import pytest

from newsextract.health.alerts import KINDS
from newsextract.metadata.page_type import REASONS as PAGE_TYPES
from newsextract.reasons import REASONS, label_of, reason_of
from newsextract.site_profile.summary import REASONS as KEPT


def test_every_reason_of_a_page_has_a_row_with_a_label():
    for name in {*KEPT, *(name for name, *_ in PAGE_TYPES)} - {None}:
        assert reason_of(name or "").label


def test_kinds_of_alerts_are_known_and_have_a_cause():
    for reason in REASONS.values():
        assert bool(reason.alert) == bool(reason.cause)
        assert not reason.alert or reason.alert in KINDS


@pytest.mark.parametrize(
    ("name", "label"), [("http_404", "not found (404)"), ("http_418", "HTTP 418"), ("my_rule", "my rule")]
)
def test_reason_without_a_label_is_spelt_out(name, label):
    assert label_of(name) == label
