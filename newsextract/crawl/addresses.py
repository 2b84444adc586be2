"""Which IP addresses are on the public Internet. Pure; the guard asks it about every address before it connects."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

#: The part of IPv6 that is assigned for global unicast; whatever lies outside is local, multicast or an embedding.
GLOBAL_UNICAST = IPv6Network("2000::/3")
#: Protocols' own assignments and the relays of 6to4: no web site, whatever the version of Python says of them.
NO_SITE_V4 = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
#: The well-known prefix under which networks without IPv4 reach IPv4 addresses (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")
#: Within it: Teredo and other protocols, and documentation; Python knows the last one only since 3.13.
NO_SITE = (IPv6Network("2001::/23"), IPv6Network("3fff::/20"))
#: The middle 32 bits of an interface address that embeds an IPv4 address (ISATAP, RFC 5214).
ISATAP = (0x00005EFE, 0x02005EFE)


def refused_because(address: str) -> str | None:
    """None for a public address; else what is wrong with it, in words that follow the address in a sentence."""
    try:
        ip = ip_address(address)
    except ValueError:
        return "is no IP address"
    if isinstance(ip, IPv4Address):
        return _refused_v4(ip)
    embedded = _embedded(ip)
    if embedded is not None:
        reason = _refused_v4(embedded)
        return f"leads to {embedded}, which {reason}" if reason else None
    if ip.scope_id or ip not in GLOBAL_UNICAST or not ip.is_global or any(ip in network for network in NO_SITE):
        return "is not on the public Internet"
    return None


def _refused_v4(ip: IPv4Address) -> str | None:
    public = ip.is_global and not (ip.is_multicast or ip.is_reserved or any(ip in network for network in NO_SITE_V4))
    return None if public else "is not on the public Internet"


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to this one end at, where it is such an address."""
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip in NAT64 or (int(ip) >> 32) & 0xFFFFFFFF in ISATAP:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return None
