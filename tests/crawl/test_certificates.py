"""Certificates that can't be trusted: what a crawl says of them, and that a site's entry can accept one."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from evaluation.crawling import serving
from tests.crawling import QUICK, article, crawl, newsextract, sql

HERE = x509.IPAddress(ip_address("127.0.0.1"))
ELSEWHERE = x509.DNSName("other.example")


@contextmanager
def served(folder: Path, name: x509.GeneralName | None, days: int) -> Iterator[str]:
    """A site by https, whose self-signed certificate is valid for so many days."""
    key, who = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")]),
    )
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(who).issuer_name(who).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(now - timedelta(9)).not_valid_after(now + timedelta(days))
    if name is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName([name]), critical=False)
    text = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "both.pem").write_bytes(key.private_bytes(*form) + text)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = article("A story", "Harbour").encode() if self.path == "/" else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "both.pem")
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with serving(server):
        yield f"https://127.0.0.1:{server.server_port}/"


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
