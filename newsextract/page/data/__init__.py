"""The data of a page: JSON-LD, states of frameworks, JSON in scripts; and the article in them (`article`).

Read but never executed, within limits of size, depth and time (docs/JAVASCRIPT.md).
"""
