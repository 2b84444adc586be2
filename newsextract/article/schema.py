"""The fields of an exported line, from the table in `items`, as JSON Schema."""

from datetime import datetime
from typing import Any

from newsextract.items import ARTICLE_FIELDS, SCHEMA_VERSION, Article, Image

TEXTS = {"type": "array", "items": {"type": "string"}}
#: JSON Schema of each type of a field.
JSON_TYPES: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    Image: {"$ref": "#/$defs/image"},
    list[str]: TEXTS,
    list[Image]: {"type": "array", "items": {"$ref": "#/$defs/image"}},
    dict[str, str]: {"type": "object", "additionalProperties": {"type": "string"}},
}
#: Ranges of numeric fields.
LIMITS: dict[str, dict[str, Any]] = {"confidence": {"minimum": 0, "maximum": 1}, "version": {"minimum": 1}}
IMAGE_MEANINGS = {"url": "Absolute URL.", "caption": "Caption.", "credit": "Who made it or owns it."}
CHANGE_KINDS = ("new", "changed", "deleted", "reextracted", "retracted", "removed", "renamed")
#: What lines of `newsextract export` and NEWSEXTRACT_JSONL have besides the fields; the last two with `--tokens`.
BESIDE: dict[str, tuple[dict[str, Any], str]] = {
    "change": (
        {"type": "integer", "minimum": 1},
        "Number of the change that led to this state; later changes have higher ones.",
    ),
    "change_kind": ({"type": "string", "enum": [*CHANGE_KINDS]}, f"Kind of that change: {', '.join(CHANGE_KINDS)}."),
    "sentences": (TEXTS, "Sentences of the text."),
    "words": ({"type": "array", "items": TEXTS}, "Words of each sentence."),
}
MEANINGS = {spec.name: spec.meaning for spec in ARTICLE_FIELDS} | {name: BESIDE[name][1] for name in BESIDE}


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one line; `x-since` is the schema version that introduced a field."""
    properties = {
        spec.name: {
            **(_or_null(JSON_TYPES[spec.type]) if spec.optional else JSON_TYPES[spec.type]),
            **LIMITS.get(spec.name, {}),
            "description": spec.meaning,
            "x-since": spec.since,
        }
        for spec in ARTICLE_FIELDS
    }
    for name, (schema, meaning) in BESIDE.items():
        properties[name] = {**schema, "description": meaning, "x-since": 1}
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


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
