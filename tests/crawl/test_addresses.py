import pytest

from newsextract.crawl.addresses import refused_because

PUBLIC = "8.8.8.8 151.101.1.67 2001:4860:4860::8888 2606:4700::6810:84e5 ::ffff:8.8.8.8 2002:808:808:: 64:ff9b::808:808"
REFUSED = """
    127.0.0.1 127.255.255.254 10.0.0.1 172.16.5.5 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 0.1.2.3 224.0.0.1
    239.255.255.250 240.0.0.1 255.255.255.255 192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1 192.0.0.8
    ::1 :: ::ffff:127.0.0.1 ::ffff:10.1.2.3 ::7f00:1 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808
    2002:7f00:1:: 2002:a00:1::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 3fff::1 fe80::1 fe80::1%eth0 fc00::1
    fd12:3456::1 fec0::1 ff02::1 ff0e::1 5f00::1 100::1 2606:4700::5efe:7f00:1 2606:4700::200:5efe:a00:1
"""


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses_are_fetched_from(address: str) -> None:
    assert refused_because(address) is None


@pytest.mark.parametrize("address", REFUSED.split())
def test_no_address_off_the_public_internet_is_connected_to(address: str) -> None:
    assert "public Internet" in (refused_because(address) or "")


def test_what_is_no_address_is_refused() -> None:
    assert refused_because("localhost") == "is no IP address"


def test_the_reason_names_the_address_that_is_hidden_in_another() -> None:
    assert refused_because("::ffff:192.168.0.9") == "leads to 192.168.0.9, which is not on the public Internet"
