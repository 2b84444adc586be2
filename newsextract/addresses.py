"""Which IP addresses are on the public Internet: the rule of the address guard (protection against SSRF)."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

#: The part of IPv6 assigned for global unicast; the rest is local, multicast or embeds an IPv4 address.
GLOBAL_UNICAST = IPv6Network("2000::/3")
#: IETF protocol assignments and 6to4 relays; `is_global` of some Python versions holds for them.
NO_SITE_IPV4 = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
#: The well-known prefix under which networks without IPv4 reach IPv4 addresses (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")
#: Within global unicast: Teredo and other protocols, and documentation (in Python only since 3.13).
NO_SITE_IPV6 = (IPv6Network("2001::/23"), IPv6Network("3fff::/20"))
#: The middle 32 bits of an interface address that embeds an IPv4 address (ISATAP, RFC 5214).
ISATAP = (0x00005EFE, 0x02005EFE)


def refusal_of(address: str) -> str | None:
    """Why an IP address is refused, as a clause; None for one on the public Internet."""
    try:
        ip = ip_address(address)
    except ValueError:
        return "isn't an IP address"
    if isinstance(ip, IPv4Address):
        return _refused_v4(ip)
    embedded = _embedded(ip)
    if embedded is not None:
        reason = _refused_v4(embedded)
        return f"leads to {embedded}, which {reason}" if reason else None
    if ip.scope_id or ip not in GLOBAL_UNICAST or not ip.is_global or any(ip in network for network in NO_SITE_IPV6):
        return "is not on the public Internet"
    return None


def _refused_v4(ip: IPv4Address) -> str | None:
    public = ip.is_global and not (ip.is_multicast or ip.is_reserved or any(ip in network for network in NO_SITE_IPV4))
    return None if public else "is not on the public Internet"


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address embedded in an IPv6 address, to which its packets go, or None."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip in NAT64 or (int(ip) >> 32) & 0xFFFFFFFF in ISATAP:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return None
