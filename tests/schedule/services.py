"""Alert services on loopback: a mail server and a web server that keep what they get."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def running(server: socketserver.TCPServer) -> Iterator[int]:
    """Serves in a thread until the block ends; gives the port."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def mail_server() -> Iterator[tuple[int, list[str]]]:
    """An SMTP server: its port, and subject and text of each mail."""
    mails: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 ready")
            while line := self.rfile.readline():
                command = line[:4].upper().strip()
                if command == b"DATA":
                    self.say("354 go on")
                    content = b""
                    while (line := self.rfile.readline()) != b".\r\n":
                        content += line
                    mail = message_from_bytes(content, policy=policy.default)
                    body = mail.get_body(("plain", "html"))
                    mails.append(f"{mail['subject']}\n{body.get_content() if body else ''}")
                self.say("221 bye" if command == b"QUIT" else "250 done")
                if command == b"QUIT":
                    return

        def say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with running(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as port:
        yield port, mails


@contextmanager
def json_server() -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """A web server: its port, and the JSON object of each request."""
    messages: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        yield port, messages
