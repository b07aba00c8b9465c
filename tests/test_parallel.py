import itertools
import threading
import time

import pytest

from fairmend.parallel import in_order


def test_results_come_in_order_whatever_ends_first():
    def slow_for_even(x):
        time.sleep(0.01 * (x % 2 == 0))
        return x

    assert list(in_order(slow_for_even, range(40), workers=4)) == list(range(40))


@pytest.mark.parametrize(("memory", "size", "most"), [(None, 0, 4), (10, 5, 2), (10, 99, 1)])
def test_items_under_way_are_bounded_by_number_and_by_memory(memory, size, most):
    lock, under_way, seen = threading.Lock(), 0, 0

    def work(x):
        nonlocal under_way, seen
        with lock:
            under_way += 1
            seen = max(seen, under_way)
        time.sleep(0.002)
        return x

    for _ in in_order(work, range(40), workers=3, memory=memory, size=lambda x: size):
        time.sleep(0.001)
        with lock:
            under_way -= 1
    assert 1 <= seen <= most


def test_a_result_does_not_wait_for_the_next_item():
    seen = threading.Event()

    def trickle():
        yield 1
        assert seen.wait(5)
        yield 2

    results = in_order(lambda x: x, trickle(), workers=2)
    assert next(results) == 1
    seen.set()
    assert list(results) == [2]


@pytest.mark.parametrize("where", ["work", "source"])
def test_an_error_comes_in_its_turn_and_nothing_is_started_after_it(where):
    started = []

    def source():
        for x in range(1000):
            if where == "source" and x == 7:
                raise KeyError(x)
            yield x

    def work(x):
        started.append(x)
        if where == "work" and x == 7:
            raise KeyError(x)
        return x

    done = []
    with pytest.raises(KeyError, match="7"):
        done.extend(in_order(work, source(), workers=3))
    assert done == list(range(7))
    assert len(started) <= 7 + 1 + 3 + 1


def test_a_caller_who_stops_early_leaves_no_thread():
    before = threading.active_count()
    results = in_order(lambda x: x, itertools.count(), workers=3)
    assert next(results) == 0
    results.close()
    assert threading.active_count() == before


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("where", ["work", "source"])
def test_results_may_be_closed_by_one_of_their_own_threads(where):
    closed, results = threading.Event(), []

    def close():
        if not closed.is_set():
            results.pop().close()
            closed.set()

    def source():
        yield 1
        yield 2
        started.wait(5)
        if where == "source":
            close()

    def work(x):
        if x == 2 and where == "work":
            started.wait(5)
            close()
        return x

    started = threading.Event()
    results.append(in_order(work, source(), workers=2))
    assert next(results[0]) == 1
    started.set()
    assert closed.wait(5)
