"""The version, in its one place; pyproject.toml and the user agent read it here."""

VERSION = "1.1.0"
