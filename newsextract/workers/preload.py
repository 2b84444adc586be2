"""Imported by the process that workers are forked from, before it forks: loads what the default extractor needs.

Prints nothing on failure: each worker then tries by itself, and reports the error.
"""

import gc
import signal
import sys
from contextlib import suppress

sys.path[:] = [entry for entry in sys.path if entry]  # "" is the working folder, whose files may be anything
signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl decides when its workers end
signal.signal(signal.SIGTERM, signal.SIG_IGN)

with suppress(Exception):
    from newsextract.extractors import make_extractor
    from newsextract.extractors.registry import FITTED_EXTRACTOR
    from newsextract.workers.worker import PageWorker

    PageWorker(make_extractor(FITTED_EXTRACTOR, {})).warm_up()
gc.freeze()
