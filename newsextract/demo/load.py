"""More articles than anybody wrote, for crawls of thousands of pages: written paragraphs in new company."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from newsextract.demo.texts import Block, Publication, Story, publication

_PARAGRAPHS = range(5, 9)


def load_publication(count: int) -> Publication:
    """`count` stories of 5 to 8 English paragraphs; the n-th is always the same, and two share hardly more than one."""
    written = [story for template in ("broadsheet", "pieces") for story in publication(template).stories]
    donors = [(story, block) for story in written for block in story.blocks if len(block.text.split()) >= 25]
    headlines = sorted({story.headline for story in written})
    newest = max(story.published for story in written) - timedelta(days=1)
    stories = tuple(_story(number, donors, headlines, newest) for number in range(1, count + 1))
    return Publication("load", "Dispatches", "en", {"load": "Dispatches"}, stories)


def _story(number: int, donors: Sequence[tuple[Story, Block]], headlines: Sequence[str], newest: datetime) -> Story:
    draw = random.Random(f"dispatch {number}")
    chosen = draw.sample(donors, draw.choice(_PARAGRAPHS))
    first = chosen[0][0]
    return Story(
        template="load",
        slug=f"dispatch-{number:06}",
        headline=f"Dispatch {number}: {draw.choice(headlines)}",
        summary=chosen[0][1].text,
        authors=first.authors,
        published=newest - timedelta(minutes=17 * number),
        modified=None,
        section="load",
        section_label="Dispatches",
        tags=(),
        blocks=tuple(block for _, block in chosen),
        language="en",
    )
