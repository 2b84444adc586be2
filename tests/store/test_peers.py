from datetime import timedelta

from newsextract.items import FetchedPage, Listing
from newsextract.store import Store
from newsextract.store.site_pages import load_peers, save_peers
from tests.store.conftest import on_both_databases
from tests.store.samples import NOON

DAY = timedelta(days=1)
LISTING = Listing("feed", "The pier", NOON, None, ("Jane Roe",), "It is old.")


def page(name: str, days: int = 0) -> FetchedPage:
    url, fetched_at = f"https://example.org/{name}", NOON + days * DAY
    return FetchedPage(url, name.encode(), fetched_at, drop=("//aside",), listing=LISTING)


@on_both_databases
def test_save_peers_keeps_the_newest_pages_of_a_pattern(store: Store) -> None:
    store.write(save_peers, [("a", page(f"a{n}", n)) for n in range(5)] + [("b", page("b"))])
    found = store.read(load_peers, "example.org")
    assert [one.body for one in found] == [b"a4", b"a3", b"a2", b"b"]
    assert (found[0].drop, found[0].listing) == (("//aside",), LISTING)
    assert store.read(load_peers, "example.net") == []
