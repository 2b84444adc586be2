"""Certificates that tests make for sites on loopback."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def make_certificate(folder: Path, names: Sequence[x509.GeneralName], days: int = 9) -> Path:
    """A PEM file with a key and a self-signed certificate for these hosts, valid for so many days.

    A crawl whose environment has it as SSL_CERT_FILE trusts it.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(who).issuer_name(who).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(now - timedelta(9)).not_valid_after(now + timedelta(days))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    text = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "both.pem"
    file.write_bytes(key.private_bytes(*form) + text)
    return file
