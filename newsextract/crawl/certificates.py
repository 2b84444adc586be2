"""TLS certificates: what is wrong with one, in a clause; Scrapy only knows that the connection failed."""

from typing import Any

from OpenSSL.crypto import X509
from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER, Connection
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, ServiceID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from newsextract.crawl.failures import InvalidCertificate

#: What is wrong, by OpenSSL's number of the error.
PROBLEMS = {
    2: "was issued by an unknown authority",
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed",
    19: "was issued by an unknown authority",
    20: "was issued by an unknown authority",
    21: "was issued by an unknown authority",
    23: "was revoked",
}
INVALID = "is invalid"
EXPIRED = PROBLEMS[10]
OTHER_HOST = "is for another host"
NO_HOST = "names no host"


@implementer(IOpenSSLClientConnectionCreator)
class VerifyingCreator:
    """Creates the TLS connections to one host, with Scrapy's creator; `crawl.engine` puts it in that one's place."""

    def __init__(self, creator: Any, hostname: str) -> None:
        self.creator = creator
        is_address = isIPAddress(hostname) or isIPv6Address(hostname)
        self.host: ServiceID = IPAddress_ID(hostname) if is_address else DNS_ID(hostname)

    def clientConnectionForTLS(self, protocol: Any) -> Connection:
        """Called by Twisted."""
        connection: Connection = self.creator.clientConnectionForTLS(protocol)

        def verify(of: Connection, certificate: X509, error: int, depth: int, is_valid: int) -> bool:
            problems = [] if is_valid else [PROBLEMS.get(error, INVALID)]
            if depth == 0:  # those above it are of authorities
                problems += [problem for problem in problems_of(certificate, self.host) if problem not in problems]
            if problems:
                failure: Any = Failure
                protocol.failVerification(failure(InvalidCertificate(f"its certificate {' and '.join(problems)}")))
            return not problems

        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, verify)
        return connection


def problems_of(certificate: X509, host: ServiceID) -> list[str]:
    """What is wrong with a host's certificate, besides who issued it. Raises nothing: OpenSSL calls it."""
    problems = [EXPIRED] if certificate.has_expired() else []
    try:
        verify_service_identity(extract_patterns(certificate), [host], [])
    except CertificateError:
        problems.append(NO_HOST)
    except VerificationError:
        problems.append(OTHER_HOST)
    except Exception:  # a certificate that can't be read
        problems.append(INVALID)
    return problems
