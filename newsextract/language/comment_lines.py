"""The line above the comments of readers: "2 comments", "Kommentare (14)", "コメント"."""

from newsextract.language import words

COMMENTS = words.pattern("comments")
#: What may stand around the word: a number, brackets, a colon.
AROUND = "0123456789 \t\u00a0()（）[]:：.,-–|·#"


def heads_comments(text: str) -> bool:
    """Whether a line only says that comments follow, perhaps with their number.

    >>> heads_comments("Comments (2)"), heads_comments("No comments on the matter")
    (True, False)
    """
    return COMMENTS.fullmatch(text.strip(AROUND)) is not None
