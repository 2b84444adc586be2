"""A report in a real browser: it works there, and no page that it is about can run, load or ask anything in it."""

import html
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from lxml import html as tree

from newsextract import Page
from newsextract.report import render_report, write_report

pytestmark = pytest.mark.browser

#: `BASE` is where a server waits for a request. What any of it does shows in the title or at the server.
ATTACKS = (
    "<script>document.title='OWNED'</script>",
    "</script><script>document.title='OWNED'</script>",
    "</style><script>document.title='OWNED'</script>",
    "</title><script>document.title='OWNED'</script>",
    "--><script>document.title='OWNED'</script><!--",
    "<img src=nowhere onerror=\"document.title='OWNED'\">",
    '"><svg onload="document.title=\'OWNED\'">',
    "' autofocus onfocus='document.title=1' x='",
    "<img src=BASE/image><iframe src=BASE/frame></iframe><link rel=stylesheet href=BASE/style>",
    "<style>@import 'BASE/import'; body{background:url(BASE/background)}</style>",
    "<meta http-equiv=refresh content='0;url=BASE/refresh'><base href=BASE/>",
    "{{ 7 * 7 }}{% include 'report.js' %}",
    "&lt;script&gt;document.title='OWNED'&lt;/script&gt;",
    "\u202edetrevni\u202c \u2066left alone\x00\x1b[31m",
)


@pytest.fixture
def asked():
    """A server on loopback and the list of what it was asked for."""
    paths = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


def markup(attacks):
    """The attacks as a page's own markup, each by itself."""
    return "".join(f"<div>{attack}--></div>" for attack in attacks)


def hostile_page(base):
    """Every attack as markup and as text, in every place that a report shows."""
    attacks = [attack.replace("BASE", base) for attack in ATTACKS]
    all_of_it = " ".join(attacks)
    ld = {"@type": "NewsArticle", "headline": all_of_it, "author": {"@type": "Person", "name": attacks[5]}}
    ld |= {"keywords": all_of_it, "articleSection": attacks[6], "datePublished": attacks[0]}
    sentence = "The council met on Tuesday, talked for two hours, and decided nothing at all, which pleased everybody."
    structured = json.dumps(ld).replace("<", "\\u003c")
    paragraphs = "".join(f"<p>{sentence} {html.escape(attack)} {sentence}</p>" for attack in attacks)
    return f"""<!doctype html><html lang="{html.escape(attacks[6])}"><head><title>{html.escape(all_of_it)}</title>
<link rel="canonical" href="javascript:document.title='OWNED'">
<meta property="og:title" content="{html.escape(all_of_it)}"><meta property="og:image" content="{base}/og">
<script type="application/ld+json">{structured}</script></head>
<body><a href="javascript:document.title='OWNED'">A link of script</a>
<article class="{html.escape(attacks[0])}"><h1>{html.escape(all_of_it)}</h1>{paragraphs}</article>
{markup(attacks)}</body></html>"""


def report_on(page, folder, extractor="fusion", **more):
    file = folder / "report.html"
    write_report(render_report(page, "a page", extractor=extractor, **more), file)
    return file


@pytest.mark.parametrize("extractor", ["fusion", "cepr"])
def test_a_hostile_page_runs_nothing_and_asks_nobody(dom, asked, tmp_path, extractor):
    base, paths = asked
    url = f"javascript:document.title='OWNED'//{base}"
    document = dom(report_on(Page(hostile_page(base), url), tmp_path, extractor))
    root = tree.fromstring(document)
    assert root.findtext(".//title").startswith("Evidence: ")
    assert [element.tag for element in root.iter("script", "style", "img", "iframe", "link", "base")] == [
        "style",
        "script",
    ]
    handlers = [name for element in root.iter() for name in element.attrib if name.startswith("on") or name == "style"]
    links = {link for link in root.xpath("//@href | //@src") if not link.startswith("#")}
    assert (handlers, links, paths) == ([], set(), [])
    assert "document.title='OWNED'" in root.find("body").text_content()


def test_the_browser_of_these_tests_would_run_and_ask_what_such_a_page_wants(dom, asked, tmp_path):
    base, paths = asked
    file = tmp_path / "hostile.html"
    file.write_text(hostile_page(base).replace("http-equiv=refresh", ""))
    assert "<title>OWNED" in dom(file)
    assert {"/image", "/frame"} <= set(paths)


def test_what_were_to_slip_through_as_markup_would_still_do_nothing(dom, asked, tmp_path, story):
    base, paths = asked
    file = report_on(story[0], tmp_path)
    attacks = markup(attack for attack in ATTACKS if "refresh" not in attack).replace("BASE", base)
    file.write_text(file.read_text("utf-8").replace("<main>", f"<main>{attacks}"), "utf-8")
    document = dom(file)
    assert "<title>Evidence: " in document
    assert "nowhere" in document
    assert paths == []


def test_a_link_to_a_block_opens_it_and_no_other(dom, tmp_path, story):
    root = tree.fromstring(dom(report_on(story[0], tmp_path), "#b9"))
    assert root.xpath("//details[@open]/@id") == ["b9"]
    [block] = root.xpath("//details[@id='b9']")
    assert block.xpath(".//table[@class='evidence']//tr")
    assert "hidden" not in root.xpath("//*[@id='tools']")[0].attrib
