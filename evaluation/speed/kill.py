"""`scripts/bench kill`: crawls of the demonstration site, killed at random moments and started again until they end.

In the end every article is in the database once and in the JSON lines once, nothing else, and no URL was fetched more
often than 1 + retries + kills. Exit status 1 where that does not hold.
"""

import random
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from evaluation.speed.killing import Ordeal
from newsextract.demo import Site, serve


def main(
    kills: Annotated[int, typer.Option(help="How many in all.")] = 50,
    seed: Annotated[int, typer.Option(help="Of the random moments.")] = 1,
    longest: Annotated[float, typer.Option(help="Seconds from a crawl's first request to its end, at most.")] = 2.5,
) -> None:
    """Kill, check and count."""
    draw = random.Random(seed)
    site, done, crawls, broken = Site(slow_seconds=0.5), 0, 0, False
    while done < kills:
        with serve(site) as server, tempfile.TemporaryDirectory() as folder:
            ordeal = Ordeal(Path(folder), server)
            while done + ordeal.kills < kills and ordeal.kill_after(draw.uniform(0.0, longest)):
                pass
            if done + ordeal.kills >= kills:
                ordeal.finish()
            faults = ordeal.faults()
            done, crawls, broken = done + ordeal.kills, crawls + 1, broken or bool(faults)
            print(
                f"crawl {crawls}: {ordeal.kills} kills, {len(server.requests)} requests: {faults or 'whole'}",
                flush=True,
            )
    print(f"{done} kills of {crawls} crawls: {'something was lost or done twice' if broken else 'nothing lost'}")
    raise SystemExit(broken)


if __name__ == "__main__":
    typer.run(main)
