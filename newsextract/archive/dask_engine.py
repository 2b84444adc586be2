"""Dask: the engine that runs the tasks of a run on its workers, and calls of page workers there, one page a task.

The engine survives the death of workers and scheduler. The run folder alone shows which tasks are done, never Dask. A
round ends when all of its futures have ended or the scheduler is gone; the next one submits the open tasks, over a new
connection if necessary.
"""

import faulthandler
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import dask.config
from distributed import Client, LocalCluster

from newsextract.archive.run import Step
from newsextract.archive.run_folder import MAX_FAILURES
from newsextract.errors import NewsextractError, WrongCall
from newsextract.extractors import make_extractor
from newsextract.limits import PAGE_TIMEOUT
from newsextract.workers.worker import PageWorker

#: Seconds between two polls of the futures, and for an answer of the scheduler.
POLL_INTERVAL = 0.2
CONNECT_TIMEOUT = 10.0
#: Seconds to wait for a scheduler that has never answered, and for one that has gone away.
FIRST_WAIT_SECONDS = 20.0
LATER_WAIT_SECONDS = 600.0
#: Worker deaths that Dask allows per task; the attempt log skips a deadly page long before.
ALLOWED_DEATHS = 1000


@dataclass
class DaskEngine:
    """Runs tasks on the workers of the scheduler at `address`. `connected`: whether it has ever answered."""

    address: str
    connected: bool = False

    def __call__(self, step: Step, on_done: Callable[[], None]) -> dict[Path, str]:
        """Runs the open tasks of a step; returns the last error of those that failed MAX_FAILURES times."""
        errors: dict[Path, list[str]] = {}
        while outputs := [output for output in step.open_tasks if len(errors.get(output, ())) < MAX_FAILURES]:
            for output, error in self._run_round(step, outputs, on_done):
                errors.setdefault(output, []).append(error)
        return {output: errors[output][-1] for output in step.open_tasks}

    def _run_round(self, step: Step, outputs: list[Path], on_done: Callable[[], None]) -> Iterator[tuple[Path, str]]:
        """Submits the tasks and waits until they have ended or the scheduler is gone; yields output and error."""
        with connect(self.address, LATER_WAIT_SECONDS if self.connected else FIRST_WAIT_SECONDS) as client:
            self.connected = True
            futures = {output: client.submit(step.tasks[output], pure=False) for output in outputs}
            while futures and client.status == "running":
                for output, future in list(futures.items()):
                    if future.status == "pending":
                        continue
                    if future.status == "error":
                        yield output, _message(future.exception(timeout=CONNECT_TIMEOUT))
                    elif future.status == "finished":
                        on_done()
                    del futures[output]
                sleep(POLL_INTERVAL)


def _message(error: BaseException) -> str:
    if isinstance(error, WrongCall):
        raise error
    return str(error) if isinstance(error, NewsextractError) else f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class DaskWorkers:
    """Calls of page workers on a cluster, as `WorkerPool.submit` makes them on this machine."""

    client: Any
    extractor: str
    options: Mapping[str, object]

    def submit(self, method: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """The future of a worker's method. Raises NewsextractError if the scheduler is gone."""
        if self.client.status != "running":
            raise NewsextractError("the Dask scheduler has gone away; run the same command again")
        call = (self.extractor, dict(self.options), method.__name__, *arguments)
        future: Future[Any] = self.client.submit(call_worker, *call, pure=False)
        return future


def call_worker(extractor: str, options: Mapping[str, object], method: str, *arguments: Any) -> Any:
    """Calls a method of a page worker in this process, which ends if a page takes too long: Dask starts another one."""
    worker = PageWorker(make_extractor(extractor, options), 0)
    with Path(os.devnull).open("wb") as nowhere:
        faulthandler.dump_traceback_later(PAGE_TIMEOUT, exit=True, file=nowhere)
        try:
            return getattr(worker, method)(*arguments)
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def connect(address: str, patience: float) -> Iterator[Any]:
    """A client of the scheduler, tried for `patience` seconds. Raises WrongCall for an invalid address."""
    for name in ("distributed", "distributed.client"):  # they log a traceback for each lost connection
        logging.getLogger(name).setLevel(logging.CRITICAL)
    deadline = monotonic() + patience
    while True:
        try:
            client: Any = Client(  # type: ignore[no-untyped-call]
                address, timeout=CONNECT_TIMEOUT, set_as_default=False
            )
            break
        except (ValueError, TypeError) as error:
            raise WrongCall(f"{address} isn't the address of a Dask scheduler, such as tcp://10.0.0.1:8786") from error
        except (OSError, TimeoutError) as error:
            if monotonic() > deadline:
                raise NewsextractError(f"no Dask scheduler answers at {address}") from error
            sleep(POLL_INTERVAL)
    try:
        yield client
    finally:
        client.close(timeout=CONNECT_TIMEOUT)


@contextmanager
def local_cluster(workers: int, dashboard: str | None = "127.0.0.1:0") -> Iterator[tuple[str, str]]:
    """Yields the addresses of a scheduler with worker processes on this machine, and of its dashboard."""
    settings = {
        "distributed.scheduler.allowed-failures": ALLOWED_DEATHS,
        "distributed.comm.timeouts.connect": "30s",
        "distributed.worker.profile.enabled": False,  # keeps a call tree of each second for an hour, in the worker
    }
    with (
        dask.config.set(settings),
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers,
            threads_per_worker=1,  # the watchdog over slow pages ends the whole process
            processes=True,
            host="127.0.0.1",
            dashboard_address=dashboard,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster.scheduler_address, cluster.dashboard_link
