"""Fusion on articles with modules of newsrooms inside: each golden page is written for one kind of them."""

import numpy as np
import pytest

from newsextract import Page
from newsextract.extractors.fusion import Fusion
from newsextract.extractors.fusion.extractor import sibling_weights
from newsextract.extractors.fusion.features import build_features

TITLE = "Council votes to rebuild the old harbour wall"
STORY = (
    "The town council voted on Tuesday night to rebuild the harbour wall that a storm broke in January, after a debate "
    "of more than four hours in a full hall.",
    "Eleven of the seventeen members were in favour of the plan, which will cost about nine million over three years. "
    "Five voted against it, and one was absent.",
    "“We could have patched it once more, and we would be back here in two years,” said the mayor, Helen Marsh, who "
    "had proposed the plan in the spring.",
    "Fishermen had warned that boats could no longer be moored safely on the northern side. Two of them were damaged "
    "when the wind turned in March.",
    "Opponents said that the money was needed for the school, whose roof has leaked since the autumn, and asked for "
    "a vote of all citizens.",
    "Work is to begin after the summer, when the last visitors have left. Until then divers will examine the "
    "foundations and map what is left of them.",
)
MODULES = {
    "registration prompt": """<div class="regwall"><h3>Create a free account to keep reading</h3>
        <p>Save stories for later and follow your favourite topics.</p>
        <ul><li>Unlimited articles</li><li>No adverts</li></ul>
        <a href="/join">Register now</a> <a href="/login">Sign in</a></div>""",
    "newsletter form": """<div class="box"><form action="/letter"><h4>The Harbour Letter</h4>
        <p>All the news of the coast in your inbox every Friday.</p><label>E-mail</label><input name="mail">
        <p>By signing up you agree to our terms and privacy policy.</p><button>Sign up</button></form></div>""",
    "video player": """<div class="video-player"><p>To play this video you need to enable JavaScript.</p>
        <button><h3>Storm hits the coast</h3><span>1:24</span></button>
        <button><h3>Ferry stuck on a sandbank</h3><span>0:52</span></button><p>Up next</p></div>""",
    "donation appeal": """<aside class="support"><h3>Local reporting needs you</h3>
        <p>We have no owner and no paywall. If you value our work, please consider a monthly gift.</p>
        <a href="/give">Support us</a></aside>""",
    "recommendation box": """<div class="related"><h4>More on this story</h4><ul>
        <li><a href="/a">Storm breaks harbour wall</a></li><li><a href="/b">School roof still leaking</a></li>
        <li><a href="/c">Divers find a wreck from 1890</a></li></ul></div>""",
    "embedded post": """<div class="embed"><p>We need your consent to show this content.</p>
        <button>Allow</button></div>""",
}


def page(modules: str, end: str = "") -> str:
    """The article with a module after its second and fourth paragraph, between a menu and a foot."""
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("News", "Sport", "Culture", "Weather", "Jobs"))
    paragraphs = [f"<p>{text}</p>" for text in STORY]
    body = "".join([*paragraphs[:2], modules, *paragraphs[2:4], modules, *paragraphs[4:]])
    return (
        f"<html lang=en><head><title>{TITLE}</title></head><body><nav><ul>{menu}</ul></nav><main><article>"
        f"<h1>{TITLE}</h1>{body}{end}</article></main><footer><p>© Harbour News. All rights reserved.</p></footer>"
    )


def lines(html: str) -> list[str]:
    return [line for line in Fusion()(Page(html)).text.split("\n") if line != TITLE]


@pytest.mark.parametrize("kind", MODULES)
def test_fusion_takes_the_article_around_a_module(kind):
    assert lines(page(MODULES[kind])) == list(STORY)


@pytest.mark.parametrize(
    "end",
    [
        '<div class="author-box"><h4><a href="/ann">Ann Field</a></h4><p>Ann Field reports from the harbour.</p></div>',
        '<figure><img src="w.jpg"><figcaption>The wall in January. Photo: Ann Field</figcaption></figure>',
    ],
)
def test_fusion_leaves_out_what_stands_behind_the_last_paragraph(end):
    assert lines(page("", end)) == list(STORY)


def test_fusion_takes_an_article_inside_noscript():
    story = "".join(f"<p>{text}</p>" for text in STORY * 2)
    rendered_by_script = f"<h1>{TITLE}</h1><div id=app></div><noscript><article>{story}</article></noscript>"
    left_open = f"<noscript><div><img src=p.gif></noscript><h1>{TITLE}</h1><article>{story}</article>"
    for body in (rendered_by_script, left_open):
        assert set(STORY) <= set(lines(f"<html><head><title>{TITLE}</title></head><body>{body}<p>Foot.</p></body>"))


def test_sibling_weights_pull_equal_paragraphs_to_their_mean():
    table = build_features(Page(f"<div>{''.join(f'<p>{text}</p>' for text in STORY)}<p class=x>{STORY[0]}</p></div>"))
    logits = np.array([3, 3, 3, 3, 3, -1, -1], np.float32)
    moved = logits + sibling_weights(table, logits)
    assert (moved[:6] > 0).all()
    assert moved[6] == -1, "in other markup"
