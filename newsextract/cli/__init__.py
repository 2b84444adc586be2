"""The command `newsextract`. Each command reads its arguments, calls one package and prints the result.

Nothing is computed here, and nothing heavy is imported before a command needs it: extracting a file never imports
Scrapy. Results go to stdout, all else to stderr; exit status 0, 1 (the work failed) or 2 (the call is wrong).
"""

from newsextract.cli.app import main

__all__ = ["main"]
