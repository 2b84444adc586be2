"""What a line of an export promises, from the table in `items`: as JSON Schema, and as the page docs/SCHEMA.md."""

from datetime import datetime
from typing import Any

from newsextract.items import ARTICLE_FIELDS, SCHEMA_VERSION, Article, Image

#: JSON Schema of each type of a field.
JSON_TYPES: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    Image: {"$ref": "#/$defs/image"},
    list[str]: {"type": "array", "items": {"type": "string"}},
    list[Image]: {"type": "array", "items": {"$ref": "#/$defs/image"}},
    dict[str, str]: {"type": "object", "additionalProperties": {"type": "string"}},
}
#: The same in words.
TYPE_NAMES: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime: "time",
    Image: "image",
    list[str]: "list of texts",
    list[Image]: "list of images",
    dict[str, str]: "object of texts",
}
#: What the number and words of a field can be.
LIMITS: dict[str, dict[str, Any]] = {
    "confidence": {"minimum": 0, "maximum": 1},
    "version": {"minimum": 1},
}
IMAGE_MEANINGS = {"url": "Absolute address.", "caption": "Caption.", "credit": "Who made it or owns it."}
#: What the lines of `newsextract export` and NEWSEXTRACT_JSONL have beside the article's fields.
CHANGE_KINDS = ("new", "changed", "deleted", "reextracted", "retracted")
EXPORT_MEANINGS = {
    "change": "Number of the change that led to this state; later changes have higher ones.",
    "change_kind": f"Kind of that change: {', '.join(CHANGE_KINDS)}.",
}
#: What `--tokens` adds.
TOKEN_MEANINGS = {
    "sentences": "Sentences of the text.",
    "words": "Words of each sentence.",
}
MEANINGS = {spec.name: spec.use.meaning for spec in ARTICLE_FIELDS} | EXPORT_MEANINGS | TOKEN_MEANINGS
TEXTS = {"type": "array", "items": {"type": "string"}}
PAGE = """\
# The schema of an article

Each line of `articles.jsonl`, of `newsextract export` and of Scrapy's feeds, and each row of Parquet, has the fields
below. `newsextract schema` prints them as JSON Schema. Every line validates against it:

```sh
newsextract schema > article.schema.json
```

This is version {version} of the schema. A changed field, type or meaning makes a new version, listed in `CHANGELOG.md`.
New versions may add fields, so ignore fields that you don't know.

Unknown values are null or an empty list, never guessed. Times are ISO 8601 with their offset from UTC. In the database,
`article_versions.document` has all fields as JSON, and the table `articles` has some of them as columns. The meanings
are column comments in PostgreSQL, and each column's `description` in Parquet.

{fields}

An image is an object: {image}.

## Beside the article

| field | type | meaning |
|---|---|---|
{beside}

`change` and `change_kind` come with `newsextract export`, `NEWSEXTRACT_JSONL` and the feeds of a crawl (`-O`);
`sentences` and `words` with `newsextract export --tokens`.
"""


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one line; `x-since` is the version of the schema that has a field first."""
    properties = {
        spec.name: {
            **_with_null(JSON_TYPES[spec.type], spec.optional),
            **LIMITS.get(spec.name, {}),
            "description": spec.use.meaning,
            "x-since": spec.use.since,
        }
        for spec in ARTICLE_FIELDS
    }
    properties["change"] = {"type": "integer", "minimum": 1}
    properties["change_kind"] = {"type": "string", "enum": [*CHANGE_KINDS]}
    properties |= {"sentences": TEXTS, "words": {"type": "array", "items": TEXTS}}
    for name, meaning in (EXPORT_MEANINGS | TOKEN_MEANINGS).items():
        properties[name] |= {"description": meaning, "x-since": 1}
    image = {
        name: {"type": "string" if name == "url" else ["string", "null"], "description": meaning}
        for name, meaning in IMAGE_MEANINGS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:newsextract:article:{SCHEMA_VERSION}",
        "title": "Article",
        "description": (Article.__doc__ or "").partition("\n")[0],
        "type": "object",
        "properties": properties,
        "required": [spec.name for spec in ARTICLE_FIELDS],
        "$defs": {"image": {"type": "object", "properties": image, "required": [*image]}},
    }


def schema_page() -> str:
    """docs/SCHEMA.md."""
    rows = ["| field | type | null | since | meaning |", "|---|---|---|---|---|"]
    for spec in ARTICLE_FIELDS:
        null = "yes" if spec.optional else ""
        rows.append(f"| `{spec.name}` | {TYPE_NAMES[spec.type]} | {null} | {spec.use.since} | {spec.use.meaning} |")
    types = {"change": "whole number", "words": "list of lists of texts", "sentences": "list of texts"}
    beside = [
        f"| `{name}` | {types.get(name, 'text')} | {meaning} |"
        for name, meaning in (EXPORT_MEANINGS | TOKEN_MEANINGS).items()
    ]
    image = ", ".join(f"`{name}` ({meaning.rstrip('.').lower()})" for name, meaning in IMAGE_MEANINGS.items())
    return PAGE.format(version=SCHEMA_VERSION, fields="\n".join(rows), image=image, beside="\n".join(beside))


def _with_null(schema: dict[str, Any], optional: bool) -> dict[str, Any]:
    """The schema, or null."""
    if not optional:
        return dict(schema)
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
