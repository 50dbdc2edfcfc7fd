"""Several processes share the files of a tree; what comes out is what one process says."""

import os
import signal
from pathlib import Path

import pytest

from flagguard import config, remembering
from flagguard.discover import Tree
from flagguard.forking import Workers
from flagguard.remembering import check

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@needs_fork
def test_each_question_is_answered_once() -> None:
    big = "x" * 3_000_000  # more than a pipe holds
    with Workers(3, lambda question: (question, question * 2, big)) as workers:
        found = {answer[:2] for answer, _ in workers.answers(range(20))}
    assert found == {(n, n * 2) for n in range(20)}


@needs_fork
def test_a_worker_answers_what_only_it_can() -> None:
    seen: list[int] = []

    def remember(question: int) -> tuple[int, int, list[int]]:
        seen.append(question)
        return question, os.getpid(), seen

    with Workers(2, remember) as workers:
        owner = {answer[0]: worker for answer, worker in workers.answers(range(8))}
        for answer, worker in workers.answers(range(8), owner.get):
            assert answer[1] == worker.pid == owner[answer[0]].pid
            assert answer[2].count(answer[0]) == 2


@needs_fork
def test_what_a_worker_dies_of_is_left_unanswered() -> None:
    def work(question: int) -> int:
        if question == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        if question == 4:
            raise ValueError
        return question

    with Workers(3, work) as workers:
        assert sorted(answer for answer, _ in workers.answers(range(10))) == [0, 1, 2, 5, 6, 7, 8, 9]
        assert len(workers.all) == 1


@needs_fork
def test_without_workers_nothing_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with Workers(3, str) as workers:
        assert list(workers.answers([1, 2])) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files that call each other, so that some are judged again less what others run."""
    for number in range(15):
        (tmp_path / f"b{number}.sh").write_text(f"gcc -march=native x{number}.c\nsh b{(number + 7) % 15}.sh\n")
    (tmp_path / "Makefile").write_text("include rules.mk\nall: ; sh b3.sh && gcc $(FLAGS) -c y.c\n")
    (tmp_path / "rules.mk").write_text("FLAGS = -march=native\nextra: ; gcc $(FLAGS) -c z.c\n")
    (tmp_path / "broken.sh").write_text("gcc 'x.c\n")
    (tmp_path / "notes.txt").write_text("gcc -march=native\n")
    return tmp_path


@needs_fork
@pytest.mark.parametrize("dying", [False, True])
def test_several_processes_say_what_one_says(tree: Path, monkeypatch: pytest.MonkeyPatch, dying: bool) -> None:
    def outcome(jobs: int) -> remembering.Outcome:
        return check(Tree(tree), config.default(), kept=False, jobs=jobs)

    alone = outcome(1)
    assert len(alone.report.findings) > 15
    here, shared = os.getpid(), remembering._Run._answer

    def answer(run: remembering._Run, question: tuple[str, remembering._Share]) -> tuple[str, object]:
        assert os.getpid() != here
        if dying and question[0] == "b3.sh":
            os._exit(3)
        return shared(run, question)

    monkeypatch.setattr(remembering._Run, "_answer", answer)
    assert outcome(4) == alone
