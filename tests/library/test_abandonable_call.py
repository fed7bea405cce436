"""Work that is waited for, or left to itself."""

import threading

import pytest

from app.library.abandonable_call import AbandonableCall, AbandonedError


def test_a_result_and_an_error_come_as_they_are() -> None:
    assert AbandonableCall(lambda: 7, lambda _: None).result() == 7
    with pytest.raises(ZeroDivisionError):
        AbandonableCall(lambda: 1 // 0, lambda _: None).result()


def test_what_is_left_ends_the_wait_and_is_disposed_of_when_it_comes() -> None:
    go_on, gone = threading.Event(), threading.Event()
    late: list[int] = []

    def act() -> int:
        go_on.wait()
        return 7

    def dispose(result: int) -> None:
        late.append(result)
        gone.set()

    work = AbandonableCall(act, dispose)
    work.leave()
    work.leave()
    with pytest.raises(AbandonedError):
        work.result()
    assert late == []
    go_on.set()
    assert gone.wait(30)
    assert late == [7]


def test_leaving_what_is_done_changes_nothing() -> None:
    late: list[int] = []
    work = AbandonableCall(lambda: 7, late.append)
    assert work.result() == 7
    work.leave()
    assert work.result() == 7
    assert late == []
