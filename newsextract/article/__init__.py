"""From a page to an article: `extract` is the public call, `body` chooses the lines of the text, `html` writes them as
HTML, and `schema` describes an article's fields."""
