import pytest

from newsextract.discovery.content_type import declared_charset, non_html_reason

HTML = b"<!doctype html><html><body>x</body></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (HTML, "text/html; charset=utf-8", None),
        (HTML, "application/xhtml+xml", None),
        (HTML, "TEXT/HTML", None),
        (b"just words", "text/html", None),
        (HTML, None, None),
        (b"\xef\xbb\xbf <?xml version='1.0'?>\n<html>", "text/plain", None),
        (b"<!-- a --><HTML>", "application/octet-stream", None),
        (b"%PDF-1.7 ...", "text/html", "not_html"),
        (b"\x89PNG\r\n", "text/html", "not_html"),
        (b"PK\x03\x04", "text/html", "not_html"),
        (b"plain text", "text/plain", "not_html"),
        (HTML, "application/json", "not_html"),
        (b"<rss></rss>", "application/xml", "not_html"),
        (b"", "text/html", "empty"),
        (b" \n\t ", "text/html", "empty"),
    ],
)
def test_non_html_reason_by_bytes_and_content_type(body: bytes, content_type: str, reason: str | None) -> None:
    assert non_html_reason(body, content_type) == reason


def test_declared_charset_of_content_type() -> None:
    types = ("text/html; charset=GB2312", "text/html;charset='utf-8'", "text/html", None)
    assert [*map(declared_charset, types)] == ["GB2312", "utf-8", None, None]
