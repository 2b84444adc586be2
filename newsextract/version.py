"""The version, in one place; pyproject.toml and the user agent read it from here."""

VERSION = "2.0.0"
