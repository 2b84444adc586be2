"""Parts of a page: what each element is, and whose.

`owners` says whose a part is, `roles` what is a caption, a cell of a data table, preformatted. `frame` is what is the
article's in any case, `other_articles` finds further stories by their signs (`article_signs`), `records` equal parts in
a row. What class, id and tag of an element name is read from one vocabulary: `newsextract.page.class_names`.
"""

from newsextract.parts.owners import Owner, Owners
from newsextract.parts.roles import Roles

__all__ = ["Owner", "Owners", "Roles"]
