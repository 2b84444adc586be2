"""One worker process and the thread that feeds it: a page that kills or hangs the process costs that page alone."""

import atexit
import multiprocessing
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from newsextract.crawl.workers.page_cache import Shelf
from newsextract.crawl.workers.worker import NotHeld, key_of, serve, without_body
from newsextract.errors import NewsextractError, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.items import FetchedPage

#: Seconds a page may take; more is a hang.
PATIENCE = 10.0
#: Seconds a new process may take to import what it needs, on a busy machine.
START = 60.0
#: Jobs that a worker has at hand. This thread gets its turn only between the crawl's own work, some milliseconds late;
#: a worker that waited for it after each page would do half as much.
AHEAD = 4


@dataclass(eq=False, slots=True)
class Job:
    """A call of a worker's method, and who waits for the answer."""

    method: str
    arguments: tuple[Any, ...]
    future: "Future[Any]"


class Lane:
    """Jobs in order, each answered or failed; the process is started at the first and after a death."""

    def __init__(
        self, extractor: str, options: Mapping[str, Any], patience: float, count: Callable[[str], None]
    ) -> None:
        self._extractor, self._options, self._patience, self._count = extractor, options, patience, count
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._again: deque[Job] = deque()  # to be sent anew, first
        self._sent: deque[Job] = deque()  # in the order of their answers
        self._process: Any = None
        self._connection: Connection | None = None
        self._shelf: Shelf[None] = Shelf()
        self._submitted = self._done = 0
        self._closing = self._interrupted = False
        # Python waits at its end for processes that nobody ended, and these ignore the signal by which it asks them
        atexit.register(self._leave)
        self._thread = threading.Thread(target=self._run, name="newsextract-lane", daemon=True)
        self._thread.start()

    def submit(self, method: str, arguments: tuple[Any, ...]) -> "Future[Any]":
        """Calls that method of the worker; pages among the arguments are sent once and held there."""
        future: Future[Any] = Future()
        self._submitted += 1
        self._jobs.put(Job(method, arguments, future))
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
        if wait:
            self._jobs.put(None)
        else:
            self.interrupt()
        self._thread.join(self._patience + 5)

    def interrupt(self) -> None:
        """Fails the jobs that wait, and kills the process over those that it has."""
        self._interrupted = True
        with suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                self._fail(job, WorkerDied("the crawl was told to stop"))
        self._jobs.put(None)
        if self._process is not None and self.load:
            self._process.kill()

    def _run(self) -> None:
        try:
            while self._fill():
                self._receive()
            if self._connection is not None:
                self._connection.close()  # the worker reads the end of its calls, and ends
                self._process.join(5)
            self._kill()
        except Exception:
            if not self._interrupted:  # else whoever waits has been told, and the process is dead
                raise
        atexit.unregister(self._leave)

    def _leave(self) -> None:
        """At the end of the program; what belongs to the thread is left to it."""
        self._interrupted, process = True, self._process
        if process is not None:
            process.kill()

    def _fill(self) -> bool:
        """Sends jobs until the worker has enough, waits for one if it has none; False when no more will come."""
        while len(self._sent) < AHEAD and (job := self._next()) is not None:
            try:
                self._send(job)
            except (EOFError, OSError):
                self._sent.append(job)  # the process is gone; the answer that does not come tells
            except Exception as error:
                self._fail(job, error)
            else:
                self._sent.append(job)
        return bool(self._sent)

    def _next(self) -> Job | None:
        if self._again:
            return self._again.popleft()
        while not self._closing:
            try:
                job = self._jobs.get(block=not self._sent)
            except queue.Empty:
                return None
            if job is None:
                self._closing = True
            elif job.future.set_running_or_notify_cancel():
                return job
            else:
                self._done += 1
        return None

    def _send(self, job: Job) -> None:
        if self._connection is None or not (self._sent or self._process.is_alive()):
            self._start()
        assert self._connection is not None
        self._connection.send((job.method, tuple(self._lightened(argument) for argument in job.arguments)))

    def _lightened(self, argument: Any) -> Any:
        if not isinstance(argument, FetchedPage):
            return argument
        key = key_of(argument)
        if key in self._shelf:
            self._shelf.get(key)
            return without_body(argument)
        self._shelf.put(key, None, len(argument.body))
        return argument

    def _receive(self) -> None:
        """The answer to the job sent first, or what became of it."""
        try:
            assert self._connection is not None
            if not self._connection.poll(self._patience):
                self._count("timeout")
                self._lose(WorkerTimeout(f"it took longer than {self._patience:g} seconds"))
                return
            went_well, result = self._connection.recv()
        except (EOFError, OSError):
            self._count("died")
            self._lose(WorkerDied(f"the worker process died over it (status {self._kill()})"))
            return
        job = self._sent.popleft()
        if isinstance(result, NotHeld):
            self._shelf = Shelf()
            self._again.append(job)
        elif went_well:
            self._done += 1
            job.future.set_result(result)
        else:
            self._fail(job, result)

    def _lose(self, error: NewsextractError) -> None:
        """Ends the process; the job that it was at is failed, those behind it go to the next process."""
        self._kill()
        self._fail(self._sent.popleft(), error)
        if self._interrupted:
            while self._sent:
                self._fail(self._sent.popleft(), error)
        self._again.extendleft(reversed(self._sent))
        self._sent.clear()

    def _fail(self, job: Job, error: BaseException) -> None:
        self._done += 1
        job.future.set_exception(error)

    def _start(self) -> None:
        if self._interrupted:
            raise WorkerDied("the crawl was told to stop")
        self._kill()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, self._extractor, self._options), name="newsextract-worker", daemon=True
        )
        try:
            self._process.start()
        except OSError as error:
            self._process = None
            raise WorkersUnusable(f"no worker process can be started: {error}") from error
        theirs.close()
        self._connection, self._shelf = ours, Shelf()
        self._count("started")
        try:
            ours.send(("ready", ()))
            if ours.poll(START):
                ours.recv()
                return
            what = f"was not ready within {START:g} seconds"
        except (EOFError, OSError):
            what = "ended before it was ready; what it printed says why"
        self._kill()
        raise WorkersUnusable(f"a worker process {what}")

    def _kill(self) -> int | None:
        """Ends the process whatever it does; its exit status, None if there was no process."""
        process, connection = self._process, self._connection  # at the end of the program two threads come here
        self._process = self._connection = None
        if process is None:
            return None
        process.kill()
        process.join()
        status: int | None = process.exitcode
        if connection is not None:
            with suppress(OSError):
                connection.close()
        return status
