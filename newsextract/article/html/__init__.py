"""The article's body as text and as clean HTML, safe to display: the chosen blocks in the structure of the page.

Both are read from the same lines: a block is a line, a row of a data table is one with its cells separated by tabs, and
`pre` has its own. Without captions the text of the HTML is the body. HTML has only the elements of CONTAINERS, INLINE
and tables, p, pre, and figure with img and figcaption; links and images have absolute http(s) URLs; all text is
escaped. `body.body_rows` decides which blocks are the body.

A copy of the tree without what isn't text, written by an allow-list, would have other lines than the text: `br` divides
some, others stand in a `div` or a cell of a layout table, and images are the article's by where they stand.
"""

from newsextract.article.html.structure import body_text
from newsextract.article.html.writer import body_html

__all__ = ["body_html", "body_text"]
