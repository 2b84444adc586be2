"""The evidence report: why each block of a page was kept or not, as one HTML file that works offline.

`block_rows` and `curve` turn an extraction into drawings, `comparison` runs all extractors, `render` fills the
template. Nothing here imports Scrapy, uses the network or decides about a block. Pages are hostile: their text is
escaped in the template, colours are our own classes, and only our script may run.
"""

from newsextract.report.render import render_report, write_report

__all__ = ["render_report", "write_report"]
