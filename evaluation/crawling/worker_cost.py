"""The instructions of a crawl's worker for one page, counted by valgrind: noise of the machine doesn't change them.

A worker as in a crawl reads pages of the demonstration site with a peer and the profile of the site, as most pages of a
crawl are read, together with others that wait. Counting begins when it has loaded everything.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import DEVNULL, PIPE

from newsextract.demo import Site
from newsextract.demo.site import BASE
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.site_profile import SiteEvidence
from newsextract.workers.messages import TOGETHER, Call, ExtractionPlan
from newsextract.workers.worker import PageWorker, answer_all, collect_seldom

#: Pages of the profile, pages that are read before counting begins, and pages that are counted.
KNOWN = 48
WARM = 8
COUNTED = 24
#: Maximum instructions for a page, in millions: a twentieth above 22 of CPython 3.11 on x86-64 (2026-11-29).
CEILING = 23.1
READY = "ready"
#: Seconds for the worker to load under valgrind, and for all pages.
TIMEOUT = 900


def read_pages() -> None:
    """The worker: says that it is ready, waits for a line, reads the pages."""
    site = Site(extra=KNOWN + WARM + COUNTED)
    stories = site.publications["load"].stories
    when = stories[0].published
    pages = [FetchedPage(BASE + one.path, site.page(one.path).body, when) for one in stories]
    worker = PageWorker(make_extractor("fusion"))
    worker.warm_up()
    alone = [worker.read(page, ExtractionPlan((), SiteEvidence())).article for page in pages[:KNOWN]]
    snapshot = worker.build_profile(tuple(one.summary.to_bytes() for one in alone if one and one.summary))

    def read(first: int, last: int) -> None:
        calls = [
            Call("read", (pages[number], ExtractionPlan((pages[number - 1],), SiteEvidence(snapshot))), {})
            for number in range(first, last)
        ]
        for start in range(0, len(calls), TOGETHER):
            answers = [*answer_all(worker, calls[start : start + TOGETHER])]
            assert all(answer.error is None for answer in answers[0])

    read(KNOWN, KNOWN + WARM)
    collect_seldom()
    print(READY, flush=True)
    sys.stdin.readline()
    read(KNOWN + WARM, KNOWN + WARM + COUNTED)
    os._exit(0)  # what the interpreter does at its end isn't counted


def instructions_of_page() -> float | None:
    """Millions of instructions for a page; None without valgrind."""
    if shutil.which("valgrind") is None or shutil.which("callgrind_control") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        valgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={counts}")
        command = (*valgrind, sys.executable, "-m", __name__)
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        process = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True, env=environment)
        with process:
            assert process.stdout is not None
            if process.stdout.readline().strip() != READY:
                raise SystemExit("the worker failed under valgrind")
            subprocess.run(("callgrind_control", "-i", "on", str(process.pid)), check=True, capture_output=True)
            process.communicate("\n", TIMEOUT)
        total = re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.M)
    return int(total[1]) / COUNTED / 1e6 if total else None


if __name__ == "__main__":
    read_pages()
