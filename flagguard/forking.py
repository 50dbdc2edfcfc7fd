"""Work shared among processes that are forked from this one: plain values go out, and plain values come back.

Follows fork(2) and pipe(2); where the system cannot fork there are no workers, and the caller does the work itself.
Values are what `marshal` takes. Nothing here knows what the work is.
"""

import marshal
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from select import select
from typing import Any

from flagguard.values import dataclass

_SIZE = 8
"""Bytes before each value, which say how many follow."""


@dataclass
class Worker:
    """One process; it answers one question after the other."""

    pid: int
    questions: int
    answers: int
    busy: bool = False


class Workers:
    """Processes that answer questions. To be closed; what one of them knows stays in it."""

    def __init__(self, count: int, work: Callable[[Any], Any]) -> None:
        self.all: list[Worker] = []
        if hasattr(os, "fork"):
            with suppress(OSError):  # no more processes, no more open files: those that there are do it
                for _ in range(count):
                    self.all.append(self._start(work))

    def _start(self, work: Callable[[Any], Any]) -> Worker:
        theirs, questions = os.pipe()
        answers, ours = os.pipe()
        pid = os.fork()
        if pid:
            os.close(theirs)
            os.close(ours)
            return Worker(pid, questions, answers)
        status = 1
        try:
            for descriptor in (questions, answers, *(d for w in self.all for d in (w.questions, w.answers))):
                os.close(descriptor)
            while (question := _receive(theirs)) is not None:
                _send(ours, work(question[0]))
            status = 0
        finally:
            os._exit(status)  # whatever happened: nothing of the parent's may run in the child
        raise AssertionError

    def answers(
        self, questions: Iterable[Any], of: Callable[[Any], Worker | None] = lambda _: None
    ) -> Iterator[tuple[Any, Worker]]:
        """The answers as they come, each with who gave it; none to a question that a worker died of.

        ``of``: who must be asked, where only one can answer.
        """
        anyone: list[Any] = []
        own: dict[int, list[Any]] = {}
        for question in reversed(list(questions)):
            worker = of(question)
            (anyone if worker is None else own.setdefault(worker.pid, [])).append(question)
        while True:
            for worker in list(self.all):
                mine = own.get(worker.pid) or anyone
                if mine and not worker.busy:
                    self._ask(worker, mine.pop())
            ready = {worker.answers: worker for worker in self.all if worker.busy}
            if not ready:
                return
            for descriptor in select(list(ready), [], [])[0]:
                worker = ready[descriptor]
                worker.busy = False
                answer = _receive(descriptor)
                if answer is None:
                    self._bury(worker)
                else:
                    yield answer[0], worker

    def _ask(self, worker: Worker, question: Any) -> None:
        try:
            _send(worker.questions, question)
            worker.busy = True
        except BrokenPipeError:
            self._bury(worker)

    def _bury(self, worker: Worker) -> None:
        self.all.remove(worker)
        os.close(worker.questions)
        os.close(worker.answers)
        with suppress(ChildProcessError):
            os.waitpid(worker.pid, 0)

    def close(self) -> None:
        """No more questions: the workers end."""
        for worker in list(self.all):
            self._bury(worker)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _send(descriptor: int, value: Any) -> None:
    data = marshal.dumps((value,))
    data = len(data).to_bytes(_SIZE, "little") + data
    while data:
        data = data[os.write(descriptor, data) :]


def _receive(descriptor: int) -> tuple[Any] | None:
    """A value in a tuple; None at the end."""
    head = _read(descriptor, _SIZE)
    data = _read(descriptor, int.from_bytes(head, "little")) if len(head) == _SIZE else b""
    value: tuple[Any] | None = marshal.loads(data) if data else None
    return value


def _read(descriptor: int, size: int) -> bytes:
    parts = []
    while size and (part := os.read(descriptor, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts) if not size else b""
