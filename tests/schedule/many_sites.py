"""Many small sites on loopback, and the sites.toml that names them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.crawling import Web, article, front, web


@contextmanager
def many_sites(folder: Path, number: int, paths: Sequence[str]) -> Iterator[list[Web]]:
    """So many sites with stories at these paths; in the folder's sites.toml they are site-0, site-1 and so on."""
    with ExitStack() as stack:
        sites = [stack.enter_context(web(f"127.0.0.{n + 2}")) for n in range(number)]
        for n, site in enumerate(sites):
            site["/"] = front(*paths)
            for path in paths:
                site[path] = article(f"Story of site {n} at {path}", f"Place {n} at {path}")
        entries = (f'[sites.site-{n}]\nurl = "{site.url}/"\n' for n, site in enumerate(sites))
        (folder / "sites.toml").write_text("".join(entries))
        yield sites
