"""Settings in force for a block of code: they nest, end with the block, and go where the work goes."""

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextvars import copy_context
from fractions import Fraction

import numpy as np
import pytest

from randvar import (
    RandvarError,
    SupportTooLarge,
    Var,
    from_weights,
    iid,
    monte_carlo,
    product_of_draws,
    sampling_distribution,
    settings,
    total,
    uniform,
    without_replacement,
)
from randvar.context import MAX_ATOMS, Settings, carried, current

DEFAULTS = Settings(MAX_ATOMS, None)
die = uniform(1, 7)
roots = from_weights(np.sqrt(np.arange(2.0, 14.0)), range(1, 13))


def budget_in_force(sample):
    """A statistic that tells under which budget it runs."""
    return current().max_atoms


def no_progress_in_force(sample):
    """A statistic that tells whether bars are off."""
    return current().progress is False


def in_force(_=None):
    """The settings, for an executor to find."""
    return current()


def test_the_defaults():
    assert current() == DEFAULTS == Settings(5_000_000, None)


def test_settings_nest_and_those_that_are_not_named_stay():
    with settings(max_atoms=100) as outer:
        assert outer == current() == Settings(100, None)
        with settings(progress=False) as inner:
            assert inner == current() == Settings(100, False)
            with settings(max_atoms=10**7):
                assert current() == Settings(10**7, False)
            with settings():
                assert current() == inner
            with settings(progress=None):
                assert current() == outer
        assert current() == outer
    assert current() == DEFAULTS


def test_settings_end_with_the_block_also_when_it_raises():
    with settings(max_atoms=100):
        with pytest.raises(ZeroDivisionError), settings(max_atoms=10, progress=True):
            raise ZeroDivisionError
        assert current() == Settings(100, None)
        with pytest.raises(KeyboardInterrupt), settings(max_atoms=10):
            raise KeyboardInterrupt
        assert current() == Settings(100, None)
        with pytest.raises(SupportTooLarge, match="budget of 100"):
            iid(die, 3).weights
    assert len(iid(die, 3).weights) == 216


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"max_atom": 10}, TypeError, "max_atom"),
        ({"budget": 10}, TypeError, "budget"),
        ({"max_atoms": "many"}, TypeError, "settings: max_atoms must be a whole number, got str 'many'"),
        ({"max_atoms": 2.5}, TypeError, "settings: max_atoms must be a whole number, got float 2.5"),
        ({"max_atoms": float("inf")}, TypeError, "settings: max_atoms must be a whole number, got float inf"),
        ({"max_atoms": True}, TypeError, "settings: max_atoms must be a whole number, got bool True"),
        ({"max_atoms": [10]}, TypeError, "settings: max_atoms must be a whole number"),
        ({"max_atoms": 0}, RandvarError, "settings: max_atoms must be at least 1, got 0"),
        ({"max_atoms": -(10**9)}, RandvarError, "settings: max_atoms must be at least 1"),
        ({"progress": 1}, TypeError, "settings: progress must be True, False or None, got int 1"),
        ({"progress": "no"}, TypeError, "settings: progress must be True, False or None, got str 'no'"),
    ],
)
def test_what_is_no_setting_is_refused(given, error, says):
    with pytest.raises(error, match=says), settings(**given):
        pytest.fail("the block ran")
    assert current() == DEFAULTS


def test_settings_go_by_keyword_only():
    with pytest.raises(TypeError), settings(100):
        pytest.fail("the block ran")


@pytest.mark.parametrize("given", [10**7, 1e7, np.int64(10**7)])
def test_a_whole_number_of_any_type_is_a_budget(given):
    with settings(max_atoms=given) as chosen:
        assert (chosen.max_atoms, type(chosen.max_atoms)) == (10**7, int)


def test_no_function_takes_settings_as_arguments():
    for given in ({"max_atoms": 10}, {"progress": False}):
        with pytest.raises(TypeError, match=r"unexpected keyword argument"):
            sampling_distribution(max, die, 2, **given)


LAZY = {
    "a mean": (lambda: monte_carlo(roots, 4), 1365),
    "a sum": (lambda: total(roots, 4), 1365),
    "a mean moved": (lambda: 1 - 2 * monte_carlo(roots, 4), 1365),
    "a product": (lambda: product_of_draws(uniform(2, 8).rational(), 4), 126),
    "a sample": (lambda: without_replacement(np.sqrt(np.arange(2.0, 14.0)), 4), 495),
    "sums of rows": (lambda: total(Var(roots.values, roots.probs).vector(lambda a: (a, a * a)), 4), 1365),
}


@pytest.mark.parametrize("name", LAZY)
def test_a_law_that_is_read_later_keeps_the_larger_budget(name):
    make, _ = LAZY[name]
    with settings(max_atoms=50):
        small = make()
        with pytest.raises(SupportTooLarge, match="50"):
            len(small)
    with settings(max_atoms=10**6):
        large = make()
    with settings(max_atoms=50):
        kept = len(large)  # the budget under which it was made
    assert kept == len(small) == len(make())  # that of here and now, which is larger


def test_a_law_that_is_read_later_is_refused_under_the_budget_of_both():
    with settings(max_atoms=50):
        small = monte_carlo(roots, 4)
    with settings(max_atoms=60), pytest.raises(SupportTooLarge, match="60"):
        small.probs
    assert len(small) > 60


THREADS = {"a thread": lambda: ThreadPoolExecutor(1)}
PROCESSES = {
    f"a process by {how}": lambda how=how: ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(how))
    for how in ("fork", "spawn")
    if how in multiprocessing.get_all_start_methods()
}
POOLS = {**THREADS, **PROCESSES}


@pytest.mark.parametrize("name", POOLS)
def test_settings_reach_an_executor_and_do_not_stay_there(name):
    with POOLS[name]() as pool:
        with settings(max_atoms=1234, progress=False):
            assert sampling_distribution(budget_in_force, die, 2, executor=pool).values.tolist() == [1234]
            assert sampling_distribution(no_progress_in_force, die, 2, executor=pool).values.tolist() == [True]
        assert pool.submit(in_force).result() == DEFAULTS
        assert sampling_distribution(budget_in_force, die, 2, executor=pool).values.tolist() == [MAX_ATOMS]
        with settings(max_atoms=100):
            assert list(pool.map(carried(in_force), range(3))) == [Settings(100, None)] * 3
        assert pool.submit(in_force).result() == DEFAULTS


def test_a_thread_of_ones_own_starts_with_the_defaults_unless_they_are_carried():
    found = []
    with settings(max_atoms=100, progress=False):
        plain = threading.Thread(target=lambda: found.append(current()))
        taken = threading.Thread(target=carried(lambda: found.append(current())))
        for thread in (plain, taken):
            thread.start()
            thread.join()
    assert found == [DEFAULTS, Settings(100, False)]


def test_what_is_carried_takes_arguments_and_passes_errors_on():
    with settings(max_atoms=100):
        power, failing = carried(pow), carried(Fraction)
    assert power(2, 10) == 1024
    with pytest.raises(ZeroDivisionError):
        failing(1, 0)
    assert current() == DEFAULTS


def test_threads_do_not_disturb_each_other():
    both_inside, found = threading.Barrier(2), {}

    def work(budget):
        with settings(max_atoms=budget):
            both_inside.wait(10)
            found[budget] = current().max_atoms
            both_inside.wait(10)

    threads = [threading.Thread(target=work, args=(budget,)) for budget in (10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {10: 10, 20: 20}
    assert copy_context().run(current) == DEFAULTS


@pytest.mark.parametrize(("progress", "shown"), [(True, True), (False, False), (None, False)])
def test_a_bar_from_the_start_or_never_or_after_a_while(progress, shown, capsys):
    with settings(progress=progress):
        sampling_distribution(max, die, 3)
    assert ("sampling_distribution" in capsys.readouterr().err) is shown


@pytest.mark.parametrize(("progress", "shown"), [(True, True), (False, False), (None, True)])
def test_long_work_shows_a_bar_unless_told_not_to(progress, shown, capsys, monkeypatch):
    monkeypatch.setattr("randvar.progress._PATIENCE", -1.0)
    monkeypatch.setattr("randvar.estimators.sampling_distribution._CALLS", 8)  # several chunks
    with settings(progress=progress):
        sampling_distribution(max, die, 3)
    assert ("sampling_distribution" in capsys.readouterr().err) is shown
