"""The schema revisions, one file each, in order."""
