from __future__ import annotations

import threading

from deedlog.faces.web.page.looks import SECONDS, Looks


def test_all_who_ask_at_once_share_one_look() -> None:
    looks, count = Looks(), []
    both = threading.Barrier(5)

    def look() -> bytes:
        count.append(1)
        return b"seen"

    def ask() -> None:
        both.wait(timeout=30)
        assert looks.look("tree", look) == b"seen"

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(count) == 1


def test_what_was_seen_is_looked_at_anew_after_a_while_and_not_kept() -> None:
    now = [1.0]
    looks = Looks(lambda: now[0])
    assert looks.look("a", lambda: b"1") == b"1"
    assert looks.look("a", lambda: b"2") == b"1"
    now[0] += SECONDS
    assert looks.look("b", lambda: b"3") == b"3"
    assert looks.look("a", lambda: b"4") == b"4"
    assert len(looks._seen) == 2


def test_who_could_not_look_leaves_nothing_behind() -> None:
    looks = Looks()

    def fails() -> bytes:
        raise OSError

    for _ in range(2):
        try:
            looks.look("a", fails)
        except OSError:
            continue
        raise AssertionError
    assert looks.look("a", lambda: b"1") == b"1"
