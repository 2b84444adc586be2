"""docs/STATS.md names every stat that the crawl sets."""

import re

from tests.sources import CHECKOUT

#: A stat in the code; what follows a slash or a brace is a reason, a kind or a site.
STAT = re.compile(r"""["']newsextract/([a-z_]+(?:/[a-z_]+)?)""")


def test_every_stat_is_documented() -> None:
    page = (CHECKOUT / "docs/STATS.md").read_text()
    sources = [*(CHECKOUT / "newsextract").rglob("*.py"), *(CHECKOUT / "pipelines").glob("*.py")]
    sources += [*(CHECKOUT / "spiders").glob("*.py")]
    names = {name for source in sources for name in STAT.findall(source.read_text())}
    known = set(re.findall(r"newsextract/([a-z_]+(?:/[a-z_]+)?)", page))
    families = set(re.findall(r"newsextract/([a-z_]+)/[A-Z]", page))
    assert len(names) > 25
    assert {name for name in names - known if name.split("/")[0] not in families} == set()
