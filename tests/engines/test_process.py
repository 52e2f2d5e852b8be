from __future__ import annotations

import subprocess
import sys

from deedlog.process import is_dead, this_process

MARK = "from deedlog.process import this_process; print(this_process(), flush=True); input()"


def test_a_process_is_known_by_its_mark_until_it_dies() -> None:
    assert not is_dead(this_process())
    with subprocess.Popen([sys.executable, "-c", MARK], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        mark = process.stdout.readline().decode().strip()
        assert not is_dead(mark)
        process.kill()
        process.wait()
        assert is_dead(mark)


def test_another_process_with_the_same_number_is_not_taken_for_it() -> None:
    pid, _, space = this_process().split(" ", 2)
    assert is_dead(f"{pid} 1 {space}")


def test_of_a_process_elsewhere_nobody_can_tell() -> None:
    pid, started, _ = this_process().split(" ", 2)
    assert not is_dead(f"{pid} {started} elsewhere")
