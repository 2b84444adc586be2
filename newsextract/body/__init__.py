"""From what an extractor chose to the article's body, as lines and as clean HTML.

Which lines are left out is a table of rules on whole lines; how a block is written follows from its place in the page.
No choice of blocks and no metadata here.
"""

from newsextract.body.lines import body_rows, is_furniture
from newsextract.render import body_html

__all__ = ["body_html", "body_rows", "is_furniture"]
