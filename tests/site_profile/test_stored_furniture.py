"""Lines that are taken out of a stored article: out of its text and its HTML, nothing else."""

from newsextract.items import Article
from newsextract.site_profile.stored_furniture import without_lines
from newsextract.site_profile.summary import hash_of
from newsextract.text import letters_and_digits


def test_lines_leave_text_and_html_with_what_only_held_them():
    article = Article(url="https://one.example/1", site="one.example", headline="The wall")
    article.article_body = "The wall fell.\nListen!\n4698 views\nNobody was hurt."
    article.article_body_html = (
        "<p>The <b>wall</b> fell.</p><ul><li>Listen!</li></ul><p>4698 views</p>"
        "<blockquote><p>Nobody was hurt.</p></blockquote>"
    )
    keys = {hash_of(letters_and_digits(line)) for line in ("LISTEN", "4698 views")}
    shorter = without_lines(article, keys)
    assert shorter is not None and shorter.article_body == "The wall fell.\nNobody was hurt."
    assert shorter.article_body_html == "<p>The <b>wall</b> fell.</p><blockquote><p>Nobody was hurt.</p></blockquote>"
    assert shorter.content_hash != article.content_hash
    assert without_lines(shorter, keys) is None
    every = {hash_of(letters_and_digits(line)) for line in article.article_body.split("\n")}
    assert without_lines(article, every) is None, "a text isn't emptied"
