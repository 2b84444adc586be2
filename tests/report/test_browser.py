"""A report in a real browser: it works, and the page that it is about can neither run nor load anything in it."""

import html
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html as tree

from newsextract import Page
from newsextract.report import render_report, write_report
from tests.crawling import web
from tests.examples import examples

pytestmark = pytest.mark.browser

#: The browser sends no requests of its own, so that every request is the page's.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
).split()
ATTACKS = examples(__file__, "attacks")


@pytest.fixture
def dom(tmp_path) -> Callable[..., str]:
    """Opens a file in chromium and returns the DOM after its scripts have run."""

    def opened(file: Path, fragment: str = "") -> str:
        program = shutil.which("chromium")
        profile = tmp_path / "profile"
        shutil.rmtree(profile, ignore_errors=True)
        command = [program, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", f"{file.as_uri()}{fragment}"]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
        assert "<html" in done.stdout, done.stderr
        return done.stdout

    return opened


@pytest.fixture
def requests():
    """A server on loopback, which an attack would ask, and the list of the paths requested of it."""
    with web() as server:
        yield server.url, server.asked


def markup(attacks):
    """The attacks as markup of a page, each in an element of its own."""
    return "".join(f"<div>{attack}--></div>" for attack in attacks)


def hostile_page(base):
    """A page with every attack as markup and as text, in every field that a report prints."""
    attacks = [attack.replace("BASE", base) for attack in ATTACKS]
    joined = " ".join(attacks)
    ld = {"@type": "NewsArticle", "headline": joined, "author": {"@type": "Person", "name": attacks[5]}}
    ld |= {"keywords": joined, "articleSection": attacks[6], "datePublished": attacks[0]}
    sentence = "The council met on Tuesday, talked for two hours, and decided nothing at all, which pleased everybody."
    structured = json.dumps(ld).replace("<", "\\u003c")
    paragraphs = "".join(f"<p>{sentence} {html.escape(attack)} {sentence}</p>" for attack in attacks)
    return f"""<!doctype html><html lang="{html.escape(attacks[6])}"><head><title>{html.escape(joined)}</title>
<link rel="canonical" href="javascript:document.title='OWNED'">
<meta property="og:title" content="{html.escape(joined)}"><meta property="og:image" content="{base}/og">
<script type="application/ld+json">{structured}</script></head>
<body><a href="javascript:document.title='OWNED'">A link of script</a>
<article class="{html.escape(attacks[0])}"><h1>{html.escape(joined)}</h1>{paragraphs}</article>
{markup(attacks)}</body></html>"""


def report_on(page, folder, extractor="fusion", **more):
    file = folder / "report.html"
    write_report(render_report(page, "a page", extractor=extractor, **more), file)
    return file


@pytest.mark.parametrize("extractor", ["fusion", "cepr"])
def test_report_of_hostile_page_runs_and_loads_nothing_and_opens_the_linked_block(dom, requests, tmp_path, extractor):
    base, paths = requests
    url = f"javascript:document.title='OWNED'//{base}"
    root = tree.fromstring(dom(report_on(Page(hostile_page(base), url), tmp_path, extractor), "#b9"))
    assert root.findtext(".//title").startswith("Evidence: ")
    loading = root.iter("script", "style", "img", "iframe", "link", "base")
    assert [element.tag for element in loading] == ["style", "script"]
    handlers = [name for element in root.iter() for name in element.attrib if name.startswith("on") or name == "style"]
    links = {link for link in root.xpath("//@href | //@src") if not link.startswith("#")}
    assert (handlers, links, paths) == ([], set(), [])
    assert "document.title='OWNED'" in root.find("body").text_content()
    assert root.xpath("//details[@open]/@id") == ["b9"]
    [block] = root.xpath("//details[@id='b9']")
    assert block.xpath(".//table[@class='evidence']//tr")
    assert "hidden" not in root.xpath("//*[@id='tools']")[0].attrib


def test_attacks_work_in_this_browser_without_a_report(dom, requests, tmp_path):
    base, paths = requests
    file = tmp_path / "hostile.html"
    file.write_text(hostile_page(base).replace("http-equiv=refresh", ""))
    assert "<title>OWNED" in dom(file)
    assert {"/image", "/frame"} <= set(paths)


def test_report_policy_blocks_attacks_that_slip_through_as_markup(dom, requests, tmp_path):
    base, paths = requests
    file = report_on(Page("<h1>Ferry</h1><p>The ferry runs again from Monday, the company said."), tmp_path)
    attacks = markup(attack for attack in ATTACKS if "refresh" not in attack).replace("BASE", base)
    file.write_text(file.read_text("utf-8").replace("<main>", f"<main>{attacks}"), "utf-8")
    document = dom(file)
    assert "<title>Evidence: " in document and "nowhere" in document and paths == []
