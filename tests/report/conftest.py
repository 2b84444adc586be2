"""Two pages of one template, for tests of reports."""

import pytest

from newsextract import Page
from newsextract.demo import Site

BASE = "https://courier.example"


@pytest.fixture(scope="session")
def story() -> tuple[Page, Page]:
    """Two articles of one template of the demonstration site."""
    site = Site()
    paths = [gold.path for gold in site.gold() if gold.template == "broadsheet"]
    first, second = (Page(site.page(path, base=BASE).body, BASE + path) for path in (paths[2], paths[5]))
    return first, second
