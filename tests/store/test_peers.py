from datetime import timedelta

from newsextract.items import FetchedPage
from newsextract.store import Store
from tests.store.samples import NOON

DAY = timedelta(days=1)


def page(name: str, days: int = 0) -> FetchedPage:
    return FetchedPage(f"https://example.org/{name}", name.encode(), NOON + days * DAY, drop=("//aside",))


def test_the_newest_references_of_a_pattern_are_kept_whole(store: Store) -> None:
    store.save_peers([("a", page(f"a{n}", n)) for n in range(5)] + [("b", page("b"))])
    found = store.peers("example.org")
    assert [one.body for one in found] == [b"a4", b"a3", b"a2", b"b"]
    assert found[0].drop == ("//aside",)
    assert store.peers("example.net") == []


def test_retired_references_are_gone_and_a_newer_page_of_an_address_stays(store: Store) -> None:
    old = [page("one"), page("two"), page("three")]
    store.save_peers([("a", one) for one in old])
    store.save_peers([("a", page("two", 1))], retired=old[:2])
    assert [one.url.rpartition("/")[2] for one in store.peers("example.org")] == ["two", "three"]
