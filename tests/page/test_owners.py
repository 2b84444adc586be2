"""Whom the parts of a page belong to."""

import pytest

from newsextract.page import Page
from newsextract.page.owners import Owner

TEXT = "<p>The council of the island met on Tuesday to talk about the old mill and its stones, said the miller.</p>" * 6
HEAD = "<title>The mill at Tarn - Isle Post</title>"
OWN = f"<h1>The mill at Tarn</h1>{TEXT}"
HEADER = (
    "<header class=top><h1 class=a>{}</h1><p>The island's paper has the story of the day for you to read.</p></header>"
)
NOW = f"<div class='post now'>{HEADER.format('The mill at Tarn')}<div>{TEXT}</div></div>"
LIST = "<title>The news of the isle and its churches and boats</title>"
NEXT = f"<div class=post>{HEADER.format('The baker')}<div><b id={{id}}>By Ann Lee</b>{TEXT}</div></div>"


def owner(html: str) -> Owner:
    page = Page(html if "<title>" in html else f"{HEAD}{html}")
    return page.owners.of(page.tree.xpath("//*[@id='x']")[0].node)


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<article>{own}<p id=x>By Ann Lee</p></article>", Owner.ARTICLE),
        ("<article>{own}<footer><time id=x>3 May</time></footer></article>", Owner.ARTICLE),
        ("<article>{own}<div><footer><div><time id=x>3 May</time></div></footer></div></article>", Owner.ARTICLE),
        ("<article>{own}</article><footer><article><time id=x>3 May</time></article></footer>", Owner.BESIDE),
        ("<main>{own}</main><footer><time id=x>3 May</time></footer>", Owner.BESIDE),
        ("<div class=related><article>{own}<time id=x>3 May</time></article></div>", Owner.ARTICLE),
        ("{own}<div class=related><i id=x>3 May</i></div>", Owner.OTHER_PAGES),
        ("{own}<aside><ul><li id=x>3 May</ul></aside>", Owner.BESIDE),
        ("{own}<figure><figcaption><b id=x>Ann Lee</b></figcaption></figure>", Owner.FIGURE),
        ("{own}<blockquote><p id=x>Ann Lee</p></blockquote>", Owner.QUOTATION),
        ("{own}<blockquote class=twitter-tweet><p id=x>Ann Lee</p></blockquote>", Owner.QUOTATION),
        ("{own}<address id=x>West Street 4</address>", Owner.ADDRESS),
        ("{own}<ol id=comments><li><b id=x>Ann Lee</b></ol>", Owner.COMMENT),
        ("<nav><a id=x>Ann Lee</a></nav>{own}", Owner.NAVIGATION),
    ],
)
def test_a_part_belongs_to_what_its_markup_names(html, wanted):
    assert owner(html.format(own=OWN)) == wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<article>{own}<div class=add><div><h1 id=x>The baker</h1></div>{text}</div></article>", True),
        ("<article>{own}</article><div><article><h1 id=x>The baker</h1>{text}</article></div>", True),
        ("<article>{own}</article><article><h2 id=x>The baker</h2>{text}</article>", True),
        ("<article>{own}<div class=body><article><h2 id=x>The baker</h2>{text}</article></div></article>", True),
        ("<main>{own}<section><h2><a id=x href=/b>The baker</a></h2>{text}</section></main>", True),
        ("<main>{own}<div data-url=/b><h2 id=x>The baker</h2>{text}</div></main>", True),
        ("<main>{own}<div><h2 id=x>The baker</h2><p>By Ann Lee</p>{text}</div></main>", True),
        ("<main>{own}<div><h3 id=x>The baker</h3><time>3 May</time>{text}</div></main>", True),
        # Whole articles below, each with its headline beside its text and in the markup of the page's own.
        (f"<main>{NOW}{NEXT.format(id='x')}</main>", True),
        (f"<main>{NOW}{NEXT.format(id='y') * 3}{NEXT.format(id='x')}</main>", True),
        # A list of posts: the page's title is none of theirs.
        (
            f"{LIST}<main>{NOW}{NEXT.format(id='y') * 3}{NEXT.format(id='x')}",
            False,
        ),
        # Sections of one article, entries of a live blog, and an article whose parts are in two elements.
        ("<article>{own}<h1 id=x>The baker</h1>{text}</article>", False),
        ("<main>{own}<section><h2 id=x>The baker</h2>{text}</section></main>", False),
        ("<main>{own}<section><h2><a id=x href=#baker>The baker</a></h2>{text}</section></main>", False),
        ("<main>{own}<div><h1 id=x>The mill at Tarn</h1>{text}</div></main>", False),
        (
            "<main>{own}<div><article><time>12:45</time><h2 id=x>The baker</h2>{text}</article>"
            "<article><time>12:40</time><h2>The bell</h2>{text}</article>"
            "<article><time>12:35</time><h2>The boat</h2>{text}</article></div></main>",
            False,
        ),
        # Labels and signatures of the article itself.
        ("<main>{own}<div><h3 id=x>Published</h3><time>3 May</time>{text}</div></main>", False),
        ("<main>{own}<div><h3 id=x>Written by Ann Lee</h3><p class=author>Ann Lee</p>{text}</div></main>", False),
        ("<article>{own}<footer><p class=author>Ann Lee</p><h2 id=x>Her island</h2>{text}</footer></article>", False),
        ("<main>{own}<article><h2 id=x>12:45 The baker</h2>{text}</article></main>", False),
        ("<article><h1>The mill at Tarn</h1></article><article><h2 id=x>The baker</h2>{text}</article>", False),
    ],
)
def test_another_article_begins_with_a_headline_below_the_text_of_the_first(html, wanted):
    assert (owner(html.format(own=OWN, text=TEXT)) == Owner.OTHER_ARTICLE) is wanted
