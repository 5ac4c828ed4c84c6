"""Laws copied, pickled, read by many threads, interrupted, or too large: what is left is a law or a refusal."""

import contextlib
import copy
import functools
import pickle
import resource
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import stats

from randvar import *
from randvar.estimators import bootstrap_interval, clopper_pearson_interval

die = uniform(1, 7)
coin = Var([0, 1], [0.5, 0.5])
rough = Var([0.1, 0.7, 3.14159], [0.2, 0.3, 0.5])

LAWS = {
    "die": lambda: uniform(1, 7),
    "fractions": lambda: uniform(1, 7).rational(),
    "words": lambda: Var("ab", [0.5, 0.5]),
    "cut off": lambda: from_scipy(stats.poisson(3.0)),
    "sum": lambda: total(die, 50),
    "rough sum": lambda: total(rough, 9),
    "exact sum": lambda: total(die.rational(), 9),
    "binomial": lambda: binomial(10, 0.5),
    "mean": lambda: 2 * monte_carlo(die, 10) + 1,
    "without replacement": lambda: without_replacement([1, 2, 3], 2),
    "strata": lambda: stratified([die, coin], [0.5, 0.5], [2, 2]),
    "product": lambda: product_of_draws(die, 3),
    "shared": lambda: shared(die),
    "independent": lambda: indep(die, coin),
    "mean of pairs": lambda: monte_carlo(shared(die), 3),
    "score": lambda: leave_one_out_gradient(shared(coin), 3),
}


def arrays(law):
    """Everything that it is made of."""
    if isinstance(law, Var):
        return [law.values, law.probs]
    axes, codes, weights = [a.values for a in law.law.axes], law.law.codes, law.law.weights
    return [*axes, *codes, weights]


COPIES = {
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "pickled by protocol 2": lambda x: pickle.loads(pickle.dumps(x, 2)),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
    "copied in a list": lambda x: copy.deepcopy([x])[0],
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("read", [False, True])
def test_a_copy_is_the_same_law_and_read_only(name, how, read):
    law = LAWS[name]()
    if read:
        arrays(law), name == "words" or variance(law)
    other = COPIES[how](law)
    if isinstance(law, Var):
        assert other.lost_mass == law.lost_mass
        assert same_law(other, law)
    assert [a.tolist() for a in arrays(other)] == [a.tolist() for a in arrays(law)]
    if name != "words":
        assert np.all(expect(other) == expect(law))
        assert np.all(variance(other) == variance(law))
    for array in arrays(other):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[-1]
    if how.startswith("copied"):
        assert other is law  # immutable, as a tuple is
        assert {law: 1}[other] == 1
    else:
        assert other != law
        assert pickle.dumps(other) == pickle.dumps(pickle.loads(pickle.dumps(other)))


def test_laws_are_keys_of_a_cache():
    calls = []

    @functools.cache
    def mean(x):
        calls.append(x)
        return expect(x)

    assert mean(die) == mean(die) == mean(copy.deepcopy(die))
    assert len(calls) == 1


@pytest.mark.parametrize("name", LAWS)
def test_many_threads_read_one_law(name):
    for _ in range(5):
        law, barrier = LAWS[name](), threading.Barrier(8)

        def reading(i, law=law, barrier=barrier):
            barrier.wait()
            numeric = isinstance(law, Var) and name != "words"
            moments = (variance(law), law.source.cumulants(4)) if numeric and i % 2 else None
            found = arrays(law)
            return found, [a.tolist() for a in found], moments and len(moments[1])

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(reading, range(8)))
        first, numbers, _ = answers[0]
        for found, values, moments in answers:
            assert values == numbers
            assert all(np.shares_memory(a, b) for a, b in zip(found, first, strict=True) if len(a))
            assert moments in (None, 4)
        assert numbers == [a.tolist() for a in arrays(LAWS[name]())]


# -- interruptions ----------------------------------------------------------------------------------------------------

# started anew by each call: (the object that computes, its numbers)
LONG = {
    "sum": lambda: (x := total(uniform(0, 300), 300), lambda: x.values),
    "rough sum": lambda: (x := total(rough, 120), lambda: x.probs),
    "exact sum": lambda: (x := total(die.rational(), 300), lambda: x.probs),
    "moments": lambda: (x := total(uniform(0, 200000), 9), lambda: x.source.cumulants(4)),
    "rows": lambda: (x := iid(die, 7), lambda: x.weights),
    "pairs": lambda: (x := monte_carlo(shared(die).op(lambda a: a, lambda a: a * a), 40), lambda: x.weights),
    "sample": lambda: (None, lambda: sampling_distribution(np.median, die, 8).probs),
    "vectorized": lambda: (
        None,
        lambda: sampling_distribution(lambda a: a.max(axis=1), die, 20, symmetric=True, vectorized=True).probs,
    ),
    "chain": lambda: (None, lambda: markov_chain(die, lambda s: Var([s, s + 1], [0.5, 0.5]), 60).probs),
    "rollout": lambda: (None, lambda: rollout(lambda prefix: coin, 11).probs),
    "population": lambda: (x := without_replacement(list(range(30)), 12), lambda: x.probs),
    "coverage": lambda: (None, lambda: [coverage(clopper_pearson_interval, coin, 60)]),
    "bootstrap": lambda: (None, lambda: [coverage(bootstrap_interval(np.mean), coin, 7)]),
    "a picture": lambda: (None, lambda: [len(histogram(total(die, 300))._repr_html_())]),
}


@contextlib.contextmanager
def interrupted_after(seconds):
    """What Ctrl-C does, so long after the beginning."""

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Python prints an interruption that falls into the end of an object, and goes on
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", LONG)
def test_an_interrupted_law_is_computed_when_asked_again(name):
    wanted = list(LONG[name]()[1]())
    _, compute = LONG[name]()
    begun = time.perf_counter()
    compute()  # the second time: the first one imports
    takes = time.perf_counter() - begun
    stopped = 0
    for share in np.linspace(0.02, 0.95, 12):
        _, compute = LONG[name]()
        try:
            with interrupted_after(max(share * takes, 1e-5)):
                compute()
        except KeyboardInterrupt:
            stopped += 1
        assert list(compute()) == wanted
    assert stopped > 0


def test_an_interruption_in_a_persons_function_passes_unchanged():
    def stop(*_):
        raise KeyboardInterrupt

    for attempt in (
        lambda: die.op(stop),
        lambda: die.cond(stop),
        lambda: die.vector(stop),
        lambda: shared(die).combine(stop),
        lambda: dependent(die, stop),
        lambda: sampling_distribution(stop, die, 2),
        lambda: sampling_distribution(stop, die, 2, vectorized=True),
        lambda: rollout(stop, 2),
        lambda: rollout(lambda prefix: coin, 2, stop),
        lambda: markov_chain(die, stop, 2),
        lambda: without_replacement([1, 2], 1, stop),
        lambda: coverage(stop, coin, 3),
        lambda: clustered(coin, stop, 2),
        lambda: antithetic(die, stop, 2).values,
        lambda: rao_blackwell(shared(die), stop),
    ):
        with pytest.raises(KeyboardInterrupt):
            attempt()


# -- past the budget --------------------------------------------------------------------------------------------------


def fresh(a):
    """A law that shares no memory with another."""
    return uniform(0, 10**5 + a)


many = uniform(0, 10**4)


def under(max_atoms: int, f: Callable[[], Any]) -> Any:
    """What f returns under this budget."""
    with settings(max_atoms=max_atoms):
        return f()


TOO_LARGE = {
    "a mixture": lambda: mixture([monte_carlo(rough, 300 + i) for i in range(10**3)], [1e-3] * 10**3),
    "a mixture of large laws": lambda: mixture([uniform(0, 10**6 + i) for i in range(10)], [0.1] * 10),
    "op": lambda: many.op(fresh),
    "op of laws that are computed when read": lambda: many.op(lambda a: monte_carlo(rough, 300)),
    "op after many numbers": lambda: uniform(0, 10**5).op(lambda a: fresh(a) if a > 9000 else a),
    "combine": lambda: shared(many).combine(lambda a, b: fresh(a)),
    "op of a Joint": lambda: shared(many).op(fresh, fresh),
    "dependent": lambda: dependent(many, fresh),
    "a chain": lambda: markov_chain(many, fresh, 5),
    "a rollout": lambda: rollout(lambda prefix: fresh(len(prefix)), 4),
    "a rollout of few tokens": lambda: under(10**5, lambda: rollout(lambda prefix: coin, 40)),
    "a chain of histories": lambda: under(
        10**4, lambda: markov_chain(constant(()), lambda s: Var([(*s, 0), (*s, 1)], [0.5, 0.5]), 40)
    ),
    "samples of many draws": lambda: sampling_distribution(max, coin, 10**6),
    "arrays of many draws": lambda: sampling_distribution(
        lambda a: a.max(axis=1), coin, 10**6, symmetric=True, vectorized=True
    ),
    "one sample of too many draws": lambda: sampling_distribution(max, constant(1), 10**7),
    "ordered samples": lambda: sampling_distribution(max, coin, 40, symmetric=False),
    "samples of a population": lambda: without_replacement(list(range(60)), 30, max),
    "large samples of a population": lambda: without_replacement([0, 1] * 10**5, 10**5, max),
    "clusters": lambda: clustered(uniform(0, 1000) / 1000, bernoulli, 10**5, 2).values,
    "rows": lambda: iid(die, 50).weights,
    "long vectors": lambda: uniform(0, 10**5).vector(lambda a: [0] * 10**4),
    "votes": lambda: majority_vote(uniform(0, 50), 20),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_refused_at_the_budget(name):
    memory, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(SupportTooLarge):
        TOO_LARGE[name]()
    assert time.process_time() - begun < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 600_000


@pytest.mark.parametrize(
    ("population", "n"),
    [([1], 1), ([1, 2, 2, 3, 3, 3], 3), ([1, 2, 2, 3, 3, 3], 6), (list("aabbcdde"), 5), (list(range(9)), 4)],
)
def test_the_samples_of_a_population_are_counted_before_they_are_made(population, n):
    from itertools import combinations

    samples = len({tuple(sorted(s)) for s in combinations(population, n)})
    with settings(max_atoms=max(samples, n)):
        without_replacement(population, n, lambda s: tuple(sorted(s)), symmetric=True)
    if samples > 1:
        with settings(max_atoms=samples - 1), pytest.raises(SupportTooLarge):
            without_replacement(population, n, lambda s: tuple(sorted(s)), symmetric=True)
