"""A name server of the test's own: the guard with its names looked up in a table instead of the system's.

STUB_NAMES holds the table as JSON, name -> list of answers; each look-up takes the next answer, the last one stays.
127.0.0.2 counts as an address on the public Internet here, so that something can be fetched at all.
"""

import json
import os
import socket
from typing import Any

from twisted.internet._resolver import GAIResolver

from newsextract.crawl.security import GuardedResolver

PUBLIC_HERE = "127.0.0.2"


class StubResolver(GuardedResolver):
    def __init__(self, reactor: Any, allow_private: bool = False) -> None:
        super().__init__(reactor, allow_private)
        self.names: dict[str, list[list[str]]] = json.loads(os.environ["STUB_NAMES"])
        self.inner = GAIResolver(reactor, getaddrinfo=self.look_up)

    def look_up(self, host: str, port: int, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
        if host not in self.names:
            return socket.getaddrinfo(host, port, family, type)
        answers = self.names[host]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return [found for address in answer for found in socket.getaddrinfo(address, port, 0, type)]

    def refuses(self, host: str, addresses: list[str]) -> bool:
        return super().refuses(host, [address for address in addresses if address != PUBLIC_HERE])
