"""The evidence report: why each block of one page was kept or not, as one HTML file that works offline.

`compare` asks every extractor, `rows` and `curve` turn what one of them found into what is drawn, `fields` lists the
article, `render` fills the template. What may not be here: Scrapy, the network, a decision about a block. The page is
hostile: its text reaches the template escaped, its colours are classes of ours, and no script but ours may run.
"""

from newsextract.report.render import render_report
from newsextract.report.write import write_report

__all__ = ["render_report", "write_report"]
