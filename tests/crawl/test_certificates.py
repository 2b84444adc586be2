"""Certificates that can't be trusted: what a crawl says of them, and that a site's entry can accept one."""

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509

from tests.crawl.tls import make_certificate
from tests.crawling import QUICK, article, crawl, newsextract, sql, web

HERE = x509.IPAddress(ip_address("127.0.0.1"))
ELSEWHERE = x509.DNSName("other.example")


@contextmanager
def served(folder: Path, name: x509.GeneralName | None, days: int) -> Iterator[str]:
    """A site by https, whose self-signed certificate is valid for so many days."""
    with web(certificate=make_certificate(folder, [name] if name else [], days)) as site:
        site["/"] = article("A story", "Harbour")
        yield f"{site.url}/"


@pytest.mark.parametrize(
    ("name", "days", "clause"),
    [
        (HERE, 9, "its certificate is self-signed"),
        (HERE, -1, "its certificate is self-signed and has expired"),
        (ELSEWHERE, 9, "its certificate is self-signed and is for another host"),
        (None, 9, "its certificate is self-signed and names no host"),
    ],
)
def test_crawl_says_what_is_wrong_with_a_certificate(tmp_path, name, days, clause):
    with served(tmp_path, name, days) as url:
        done = crawl(tmp_path, "site", url=url, status=1)
    assert f"{url}: {clause}" in done.stderr
    assert done.dropped == {"certificate": 1}
    [(kind, sentence)] = sql(tmp_path / "newsextract.db", "SELECT kind, sentence FROM alerts")
    assert kind == "blocked" and sentence.endswith("1 with reason certificate: an invalid certificate?")


def test_entry_of_a_site_can_accept_any_certificate(tmp_path):
    with served(tmp_path, ELSEWHERE, -1) as url:
        (tmp_path / "sites.toml").write_text(f'[sites.town]\nurl = "{url}"\nverify_certificates = false\n')
        done = newsextract(tmp_path, "crawl", "sites.toml", settings=QUICK)
    assert "1 page" in done.stderr and "invalid certificates" not in done.stderr
