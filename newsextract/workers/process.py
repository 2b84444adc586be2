"""One worker process as seen by the crawl: the thread that sends it calls, and restarts it after a death.

A page that kills or hangs the process affects only that page.
"""

import atexit
import queue
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, takewhile
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from newsextract.errors import NewsextractError, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.workers.messages import TOGETHER, Answer, Call, PageNotCached, SentKeys
from newsextract.workers.start import start_worker, without_main_module, worker_context

#: Seconds a new process may take for its imports, on a busy machine.
START_TIMEOUT = 60.0
#: Seconds for a process to end after its pipe was closed, and then for the feeding thread.
EXIT_TIMEOUT = 5.0
#: Calls that a worker has queued. The feeding thread runs only between the crawl's own work, some milliseconds late; a
#: worker that waited for it after each page would do half as much.
SENT_AHEAD = 2 * TOGETHER
STOPPED = "the crawl is stopping"
NOT_STARTED = "no worker process can be started"
ENDED_EARLY = "it ended before it was ready; what it printed says why"


@dataclass(eq=False, slots=True)
class Job:
    """A call, and the future of its answer."""

    call: Call
    future: "Future[Any]"


class WorkerProcess:
    """Answers calls in order; restarted after a death. `counts`: "started", "died", "timeout". Thread-safe."""

    def __init__(
        self, extractor: str, options: Mapping[str, object], call_timeout: float, counts: dict[str, int]
    ) -> None:
        self._extractor, self._options, self._call_timeout, self._counts = extractor, options, call_timeout, counts
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._resend: deque[Job] = deque()  # sent without success; before all others
        self._sent: deque[Job] = deque()  # in the order of their answers
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._keys = SentKeys()
        self._submitted = self._done = 0
        self._closing = self._interrupted = False
        #: The error for all further calls: a new attempt would take seconds.
        self._unusable: WorkersUnusable | None = None
        # At its end Python asks daemon processes by SIGTERM, which workers ignore, and then waits for them
        atexit.register(self._kill_at_exit)
        self._thread = threading.Thread(target=self._run, name="newsextract-feeder", daemon=True)
        self._thread.start()

    def submit(self, call: Call) -> "Future[Any]":
        """The future of the call's answer; fails with its exception, WorkerDied, WorkerTimeout or WorkersUnusable."""
        future: Future[Any] = Future()
        self._submitted += 1
        self._jobs.put(Job(call, future))
        return future

    @property
    def load(self) -> int:
        return self._submitted - self._done

    def close(self, wait: bool = True) -> None:
        """Ends the process when its calls are answered, or at once."""
        if wait:
            self._jobs.put(None)
        else:
            self.interrupt()
        self._thread.join(self._call_timeout + EXIT_TIMEOUT)

    def interrupt(self) -> None:
        """Fails the waiting calls, and kills the process over those in progress."""
        self._interrupted = True
        with suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                self._fail(job, WorkerDied(STOPPED))
        self._jobs.put(None)
        if self._process is not None and self.load:
            self._process.kill()

    def _run(self) -> None:
        """The feeding thread: sends calls and takes answers until `close`."""
        try:
            while self._send_ahead():
                self._receive_answers()
            if self._connection is not None and self._process is not None:
                self._connection.close()  # the worker reads to the end of its calls, and exits
                self._process.join(EXIT_TIMEOUT)
            self._kill()
        except Exception:
            if not self._interrupted:  # otherwise the callers have been notified, and the process is dead
                raise
        atexit.unregister(self._kill_at_exit)

    def _kill_at_exit(self) -> None:
        """Kills the process at the end of the program; the rest is left to the feeding thread."""
        self._interrupted, process = True, self._process
        if process is not None:
            process.kill()

    def _send_ahead(self) -> bool:
        """Sends calls until the worker has enough; waits for one if it has none. False when none will come."""
        while len(self._sent) < SENT_AHEAD and (job := self._next_job()) is not None:
            try:
                self._send(job)
            except (EOFError, OSError):
                self._sent.append(job)  # the process is gone, which `_receive_answers` notices
            except Exception as error:
                self._fail(job, error)
            else:
                self._sent.append(job)
        return bool(self._sent)

    def _next_job(self) -> Job | None:
        if self._resend:
            return self._resend.popleft()
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
        connection = self._connection
        if connection is None or not (self._sent or (self._process is not None and self._process.is_alive())):
            connection = self._start()
        connection.send(self._keys.note(job.call))

    def _receive_answers(self) -> None:
        """Takes the answers to the calls sent first, or notices the end of the process."""
        try:
            if self._connection is None:
                raise EOFError
            if not self._connection.poll(self._call_timeout):
                self._counts["timeout"] += 1
                self._lose_process(WorkerTimeout(f"it took longer than {self._call_timeout:g} seconds"))
                return
            answers: list[Answer] = self._connection.recv()
        except (EOFError, OSError):
            self._counts["died"] += 1
            self._lose_process(WorkerDied(f"the worker process died over it (status {self._kill()})"))
            return
        for answer in answers:
            self._take_answer(self._sent.popleft(), answer)

    def _take_answer(self, job: Job, answer: Answer) -> None:
        if isinstance(answer.error, PageNotCached):
            self._keys = SentKeys()
            self._resend.append(job)
        elif answer.error is not None:
            self._fail(job, answer.error)
        else:
            self._done += 1
            job.future.set_result(answer.result)

    def _lose_process(self, error: NewsextractError) -> None:
        """Kills the process and fails its current call; those sent after it go to the next process.

        Of calls that it may have answered together, the one to blame is found by sending each alone.
        """
        self._kill()
        together = [*takewhile(lambda job: job.call.joins, islice(self._sent, TOGETHER))]
        if len(together) > 1 and not self._interrupted:
            for job in together:
                job.call.is_alone = True
        else:
            self._fail(self._sent.popleft(), error)
        if self._interrupted:
            while self._sent:
                self._fail(self._sent.popleft(), error)
        self._resend.extendleft(reversed(self._sent))
        self._sent.clear()

    def _fail(self, job: Job, error: BaseException) -> None:
        self._done += 1
        job.future.set_exception(error)

    def _start(self) -> Connection:
        """Starts a process and waits until it is ready. Raises WorkerDied, or WorkersUnusable, from then on at once."""
        if self._interrupted:
            raise WorkerDied(STOPPED)
        if self._unusable is not None:
            raise self._unusable
        self._kill()
        context = worker_context()
        ours: Connection
        ours, theirs = context.Pipe()
        process: BaseProcess = context.Process(
            target=start_worker, args=(theirs, self._extractor, self._options), name="newsextract-worker", daemon=True
        )
        try:
            with without_main_module():
                process.start()
            theirs.close()
            self._process, self._connection, self._keys = process, ours, SentKeys()
            self._counts["started"] += 1
            if not ours.poll(START_TIMEOUT):
                failure = f"it was not ready within {START_TIMEOUT:g} seconds"
            elif isinstance(first := ours.recv(), list):
                return ours
            else:
                failure = str(first)
        except (EOFError, ConnectionError):  # of the worker, or of the process that it is forked from
            failure = ENDED_EARLY
        except OSError as error:
            failure = str(error)
        self._kill()
        self._unusable = WorkersUnusable(f"{NOT_STARTED}: {failure}")
        raise self._unusable

    def _kill(self) -> int | None:
        """Kills the process in any state; returns its exit status, None if there was no process."""
        process, connection = self._process, self._connection  # at the end of the program two threads come here
        self._process = self._connection = None
        if process is None:
            return None
        process.kill()
        process.join()
        status = process.exitcode
        if connection is not None:
            with suppress(OSError):
                connection.close()
        return status
