"""Comments are found by the line above them, in any language and with any class, without text of the article."""

import pytest

import newsextract
from newsextract.page import Page
from newsextract.parts.comments import comment_ranges

TEXT = "".join(
    f"<p>The crane number {n} went back to the harbour, as the keepers of the eastern gate told us.</p>"
    for n in range(7)
)
BOTH = "<div class=x7><b>sailor7</b><p>{}</p></div><div class=x7><b>gull</b><p>{}</p></div>"
SAID = BOTH.format(
    "I have said for years that the crane should be painted blue like the old one.",
    "My uncle built the old one, and it stood there for eighty winters.",
)


@pytest.mark.parametrize(
    "line",
    [
        "2 comments",
        "Comments (2)",
        "Kommentare (2)",
        "2 комментария",
        "コメント2件",
        "2 条评论",
        "14 reacties",
        "Yorumlar",
    ],
)
def test_comments_are_left_out_whatever_their_class(line: str) -> None:
    page = f"<body><h1>Crane</h1><article>{TEXT}<section class=a1b2><h3>{line}</h3>{SAID}</section></article>"
    body = newsextract.extract(page).article_body
    assert body is not None
    assert "number 6" in body
    assert "painted blue" not in body
    assert "eighty winters" not in body


def test_comments_may_stand_in_the_text_s_own_element() -> None:
    page = Page(f"<body><article><h1>Crane</h1>{TEXT}<h4>2 comments</h4>{SAID}</article>")
    ((first, last),) = comment_ranges(page)
    assert page.blocks.texts[first] == "2 comments"
    assert last == len(page.blocks)


@pytest.mark.parametrize("line", ["2 comments", "Kommentare (2)", "2 комментария", "コメント2件", "Yorumlar"])
@pytest.mark.parametrize("form", ["<section>{}</section>", "{}"])
def test_dates_authors_and_images_of_comments_are_not_the_article_s(line: str, form: str) -> None:
    comment = (
        "<div><hr></div><div class=x7><img src=/sailor.jpg><a rel=author href=/author/sailor>By Ann Sailor</a>"
        "<span itemprop=datePublished>2025-06-0{}</span><p>I have said so for years.</p></div>"
    )
    comments = form.format(f"<h3>{line}</h3>{comment.format(3)}{comment.format(4)}")
    html = f"<body><article><h1>Crane</h1>{TEXT}<div><img src=/crane.jpg></div>{comments}</article>"
    article = newsextract.extract(html, "https://a.example/crane")
    images = [image.url for image in article.images]
    assert (article.date_published, article.authors, images) == (None, [], ["https://a.example/crane.jpg"])


@pytest.mark.parametrize(
    "html",
    [
        f"<article><h1>Crane</h1><p><a href='#c'>2 comments</a></p>{TEXT}</article>",
        f"<article><h1>Crane</h1>{TEXT}<p><a href='#c'>2 comments</a></p>{TEXT}</article>",
        f"<article><h1>Crane</h1>{TEXT}<h2>Comments on the crane</h2>{TEXT}</article>",
        f"<article><h1>Crane</h1>{TEXT}<section><h2>Kommentar</h2>{TEXT}</section></article>",
        f"<h1>2 comments</h1>{SAID}",
    ],
)
def test_the_article_is_not_taken_for_comments(html: str) -> None:
    page = Page(f"<body>{html}")
    assert comment_ranges(page) == []
