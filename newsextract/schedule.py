"""The former name of `newsextract.runs`; goes with version 1.3."""
