"""The command `newsextract`. Each command reads its arguments, calls one package and prints the result.

Commands import heavy modules only when they need them: extracting a file never imports Scrapy. Results go to stdout,
everything else to stderr. The exit status is 0, 1 (the work failed) or 2 (wrong call).
"""

from newsextract.cli.app import main

__all__ = ["main"]
