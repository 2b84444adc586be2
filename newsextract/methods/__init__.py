"""The published methods, one paper a file: citation, idea, formula, and the paper's values as defaults.

They are extractors like those of any other package (`newsextract.extractors.base`); the registry imports one when its
name is asked for. `common/` has the mathematics that several papers share, and the views of a page that
only they read.
"""
