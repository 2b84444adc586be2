"""From a page to an article: `extract` combines all, `body` chooses its lines, `html` writes them, `schema` describes
the fields."""
