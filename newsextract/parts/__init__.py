"""Parts of a page: what each element is, and whose.

`owners` says whose a part is, `surroundings` what is a caption, a cell of a data table, preformatted. What class, id
and tag of an element name is read from one vocabulary: `newsextract.page.class_names`.
"""

from newsextract.parts.owners import Owner, Owners, owners_of
from newsextract.parts.surroundings import Surroundings, surroundings_of

__all__ = ["Owner", "Owners", "Surroundings", "owners_of", "surroundings_of"]
