"""One worker process and the thread that feeds it: a page that kills or hangs the process costs that page alone."""

import multiprocessing
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from newsextract.crawl.shelf import Shelf
from newsextract.crawl.worker import NotHeld, key_of, serve, without_body
from newsextract.errors import WorkerDied, WorkerTimeout
from newsextract.items import FetchedPage

#: Seconds a page may take; more is a hang.
PATIENCE = 10.0
#: Seconds a new process may take to import what it needs, on a busy machine.
START = 60.0

Job = tuple[str, tuple[Any, ...], "Future[Any]"]


class Lane:
    """Jobs in order, one at a time, each answered or failed; the process is started at the first and after a death."""

    def __init__(
        self, extractor: str, options: Mapping[str, Any], patience: float, count: Callable[[str], None]
    ) -> None:
        self._extractor, self._options, self._patience, self._count = extractor, options, patience, count
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._process: Any = None
        self._connection: Connection | None = None
        self._shelf: Shelf[None] = Shelf()
        self._submitted = self._done = 0
        self._thread = threading.Thread(target=self._run, name="newsextract-lane", daemon=True)
        self._thread.start()

    def submit(self, method: str, arguments: tuple[Any, ...]) -> "Future[Any]":
        """Calls that method of the worker; pages among the arguments are sent once and held there."""
        future: Future[Any] = Future()
        self._submitted += 1
        self._jobs.put((method, arguments, future))
        return future

    @property
    def load(self) -> int:
        """Jobs that wait or run."""
        return self._submitted - self._done

    def holds(self, page: FetchedPage) -> bool:
        """Whether the worker has the page parsed, as far as can be told from here."""
        return key_of(page) in self._shelf

    def close(self, wait: bool = True) -> None:
        """Ends the process when its jobs are done, or at once."""
        self._jobs.put(None)
        if not wait and self._process is not None:
            self._process.kill()
        self._thread.join(self._patience + 5)

    def interrupt(self) -> None:
        """Fails the jobs that wait, and kills the process over the one that runs."""
        with suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                job[2].set_exception(WorkerDied("the crawl was told to stop"))
                self._done += 1
            self._jobs.put(None)
        if self._process is not None and self.load:
            self._process.kill()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            method, arguments, future = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self._call(method, arguments))
                except BaseException as error:
                    future.set_exception(error)
            self._done += 1
        self._end()

    def _call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        try:
            went_well, result = self._ask(method, arguments)
            if isinstance(result, NotHeld):
                self._shelf = Shelf()
                went_well, result = self._ask(method, arguments)
        except (EOFError, OSError) as error:
            status = self._kill()
            self._count("died")
            raise WorkerDied(f"the worker process died over it (status {status})") from error
        if not went_well:
            raise result
        return result

    def _ask(self, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        connection = self._connected()
        connection.send((method, tuple(self._lightened(argument) for argument in arguments)))
        if not connection.poll(self._patience):
            self._kill()
            self._count("timeout")
            raise WorkerTimeout(f"it took longer than {self._patience:g} seconds")
        answer: tuple[bool, Any] = connection.recv()
        return answer

    def _lightened(self, argument: Any) -> Any:
        if not isinstance(argument, FetchedPage):
            return argument
        key = key_of(argument)
        if key in self._shelf:
            self._shelf.get(key)
            return without_body(argument)
        self._shelf.put(key, None, len(argument.body))
        return argument

    def _connected(self) -> Connection:
        if self._connection is not None and self._process.is_alive():
            return self._connection
        self._kill()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, self._extractor, self._options), name="newsextract-worker", daemon=True
        )
        self._process.start()
        theirs.close()
        self._connection, self._shelf = ours, Shelf()
        self._count("started")
        ours.send(("ready", ()))
        if not ours.poll(START):
            raise WorkerTimeout(f"the worker process did not start within {START:g} seconds")
        ours.recv()
        return ours

    def _kill(self) -> int | None:
        """Ends the process whatever it does; its exit status, None if there was no process."""
        if self._process is None:
            return None
        self._process.kill()
        self._process.join()
        status: int | None = self._process.exitcode
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None
        return status

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()  # the worker reads the end of its calls, and ends
            self._process.join(5)
        self._kill()
