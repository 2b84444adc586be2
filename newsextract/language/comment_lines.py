"""The line above the comments of readers: "2 comments", "Kommentare (14)", "コメント"."""

from newsextract.language import words

COMMENTS = frozenset(words.listed("comments"))
#: What may stand around the word: a number with its counter, brackets, a colon.
AROUND = "0123456789 \t\u00a0()（）[]:：.,-–|·#条條则則件"


def heads_comments(text: str) -> bool:
    """Whether a line only says that comments follow, perhaps with their number.

    >>> heads_comments("Comments (2)"), heads_comments("No comments on the matter")
    (True, False)
    """
    return text.strip(AROUND).lower() in COMMENTS
