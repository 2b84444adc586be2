"""What is described of a page whose text is the council's."""

import tomllib
from pathlib import Path

from newsextract.metadata.describe import Metadata, describe
from newsextract.page import Page

BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"
#: Language -> a paragraph in it, left open.
BODIES = {
    language: f"<p>{text * 12}"
    for language, text in tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8")).items()
}


def described(html, url="https://paper.example/a", anchor=None, listing=None, **more) -> Metadata:
    page = Page(html, url, anchor_text=anchor)
    page.listing = listing
    return describe(page, [row for row, text in enumerate(page.blocks.texts) if len(text) > 200], **more)
