"""The engine that hands tasks to Dask's workers, and does not mind which of them, or whether the scheduler, dies.

What is done is known from the folder alone, never from Dask: a task is done when its output is there. So a round ends
when Dask has nothing more to say, and the next begins with what is missing, with a new connection if need be.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from newsextract.cluster.tasks import Step
from newsextract.errors import NewsextractError, WrongCall

try:
    import dask.config
    from distributed import Client, LocalCluster
except ImportError as error:
    raise NewsextractError("clusters need Dask: pip install 'newsextract[cluster]'") from error

#: Seconds between two looks at what is done; for a scheduler to answer; for which one is waited for that never answered
#: yet, and one that went away.
LOOK, ANSWER, NEVER, GONE = 0.2, 10.0, 20.0, 600.0
#: How often a task may fail with an error before it is given up. A worker's death is no error of the task.
TRIES = 3
#: Deaths of workers over one task that Dask takes for bad luck; `Attempts` leaves out the page long before.
DEATHS = 1000


@dataclass
class DaskEngine:
    """Tasks for the workers of the scheduler at `address`."""

    address: str
    answered: bool = False

    def __call__(self, step: Step, told: Callable[[], None]) -> dict[int, str]:
        """Does the open tasks of a step; gives the errors of those that failed `TRIES` times."""
        failures: dict[int, list[str]] = {}
        while open_tasks := [n for n in step.open if len(failures.get(n, ())) < TRIES]:
            for number, why in self._round(step, open_tasks, told):
                failures.setdefault(number, []).append(why)
        return {number: whys[-1] for number, whys in failures.items() if number in step.open}

    def _round(self, step: Step, numbers: list[int], told: Callable[[], None]) -> Iterator[tuple[int, str]]:
        """Gives the tasks to the workers and waits until they have ended or the scheduler has; yields errors."""
        with connected(self.address, GONE if self.answered else NEVER) as client:
            self.answered = True
            futures = {number: client.submit(step.work[number], pure=False) for number in numbers}
            while futures and client.status == "running":
                for number, future in list(futures.items()):
                    if future.status == "pending":
                        continue
                    if future.status == "error":
                        yield number, _sentence(future.exception(timeout=ANSWER))
                    elif future.status == "finished":
                        told()
                    del futures[number]
                sleep(LOOK)


def _sentence(error: BaseException) -> str:
    if isinstance(error, WrongCall):
        raise error
    return str(error) if isinstance(error, NewsextractError) else f"{type(error).__name__}: {error}"


@contextmanager
def connected(address: str, patience: float) -> Iterator[Any]:
    """A client of the scheduler, which is waited for so many seconds.

    WrongCall for what is no address, NewsextractError where nobody answers.
    """
    for name in ("distributed", "distributed.client"):  # which tell of each lost connection at length
        logging.getLogger(name).setLevel(logging.CRITICAL)
    until = monotonic() + patience
    while True:
        try:
            client: Any = Client(  # type: ignore[no-untyped-call]
                address, timeout=ANSWER, set_as_default=False
            )
            break
        except (ValueError, TypeError) as error:
            raise WrongCall(f"{address} is no address of a Dask scheduler, such as tcp://10.0.0.1:8786") from error
        except (OSError, TimeoutError) as error:
            if monotonic() > until:
                raise NewsextractError(f"no Dask scheduler answers at {address}") from error
            sleep(LOOK)
    try:
        yield client
    finally:
        client.close(timeout=ANSWER)


@contextmanager
def local_cluster(workers: int, dashboard: str | None = "127.0.0.1:0") -> Iterator[tuple[str, str]]:
    """A scheduler and so many worker processes on this machine; gives its address and that of its dashboard.

    Each worker does one task at a time: the watch over a page that takes too long ends the whole process.
    """
    settings = {"distributed.scheduler.allowed-failures": DEATHS, "distributed.comm.timeouts.connect": "30s"}
    with (
        dask.config.set(settings),
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=dashboard,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster.scheduler_address, cluster.dashboard_link
