"""The benchmarks at tiny sizes: their exact answers, their judges, the limits of a measurement, and the table."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from benchmarks import exact, judges, small
from benchmarks.measuring import Limits, Result, run
from benchmarks.table import document, duration, lines, ratio
from benchmarks.worker import measure
from benchmarks.workload import Contender, Finding, Workload
from benchmarks.workloads import WORKLOADS, dice, exact_dice, irregular


def randvar_answer(prepare):
    return prepare()()


# -- exact answers -----------------------------------------------------------------------------------------------------


def test_ways_of_dice():
    throws = Counter(map(sum, itertools.product(range(1, 7), repeat=4)))
    assert exact.dice_ways(4, range(4, 25)) == [throws[t] for t in range(4, 25)]


@pytest.mark.parametrize("total", [100, 101, 180, 350, 499])
def test_probability_of_a_total_to_fifty_digits(total):
    mpmath = pytest.importorskip("mpmath")
    ways = exact.dice_ways(100, [total])[0]
    with mpmath.workdps(60):
        assert abs(exact.dice_probability(100, total) * 6**100 / ways - 1) < 1e-50


def test_products_of_faces():
    throws = Counter(map(math.prod, itertools.product([1, 2, 2, 3, 3, 3], repeat=3)))
    assert exact.power_law([1, 2, 3], [1, 2, 3], 3) == throws


def test_multisets_and_deviations():
    throws = Counter(
        3 * sum(x * x for x in draws) - sum(draws) ** 2 for draws in itertools.product([1, 2, 2, 4], repeat=3)
    )
    assert exact.deviation_law([1, 2, 4], [1, 2, 1], 3) == {v: Fraction(ways, 64) for v, ways in throws.items()}
    counted = dict(exact.multisets([1, 2, 1], 3))
    assert len(counted) == math.comb(5, 2)
    assert sum(counted.values()) == 4**3
    assert counted[1, 1, 1] == math.factorial(3) * 2


# -- what randvar answers ----------------------------------------------------------------------------------------------


def test_sums_of_dice():
    values, probs = randvar_answer(dice.randvar_dice(7))
    assert values.tolist() == list(range(7, 43))
    np.testing.assert_allclose(probs, [w / 6**7 for w in exact.dice_ways(7, range(7, 43))], rtol=1e-14)
    assert randvar_answer(exact_dice.randvar_exact(3)) == [Fraction(w, 216) for w in exact.dice_ways(3, range(3, 19))]
    assert math.isclose(randvar_answer(dice.randvar_variance(9)), 35 / 108, rel_tol=1e-14)


def test_means_of_log_ratios():
    finding = judges.whole_law(lambda: irregular.k1_law(3))(randvar_answer(irregular.randvar_k1(3)))
    assert finding.support == len(exact.power_law(range(1, 7), range(1, 7), 3))
    assert finding.error < 1e-13


@pytest.mark.parametrize("key", ["std-6", "group"])
def test_statistics_of_samples(key):
    found = measure(key, "randvar", 60, 8)
    assert found["support"] == found["expected"]
    assert found["error"] < 1e-12


def test_every_workload_compares_with_randvar():
    assert all(workload.contenders[0].name == "randvar" for workload in WORKLOADS.values())
    assert all(
        len({c.name for c in workload.contenders}) == len(workload.contenders) for workload in WORKLOADS.values()
    )
    assert all(set(workload.harder_than) <= set(WORKLOADS) for workload in WORKLOADS.values())


# -- judges ------------------------------------------------------------------------------------------------------------


def law(*pairs):
    values, probs = zip(*pairs, strict=True)
    return np.array(values, float), np.array(probs, float)


def test_a_law_is_judged_by_its_worst_atom():
    judge = judges.whole_law(lambda: law((0, 0.25), (1, 0.75)))
    assert judge(law((1, 0.75), (0, 0.25))) == Finding(2, 0.0)
    assert judge(law((0, 0.25), (1, 0.75), (9, 1e-310))) == Finding(2, 0.0)
    assert math.isclose(judge(law((0, 0.2), (1, 0.8))).error, 0.2)
    assert judge(law((0, 0.25), (2, 0.75))).error == math.inf
    assert math.isnan(judge(law((0, 0.25), (0.5, 0.25), (1, 0.5))).error)


def test_a_law_is_judged_at_some_values():
    judge = judges.at_some_values(lambda: {0: Fraction(1, 4), 2: Fraction(1, 2)})
    assert judge(law((0, 0.25), (1, 0.3), (2, 0.5))) == Finding(3, 0.0)
    assert judge(law((0, 0.25), (1, 0.75))).error == 1.0


# -- measuring ---------------------------------------------------------------------------------------------------------


def workload(*contenders):
    return Workload("key", "Title", "a goal", contenders, judges.number(lambda: 1.0))


def test_one_measurement():
    found = measure("variance-100", "randvar", 60, 8)
    assert found["error"] < 1e-13
    assert found["seconds"] > 0
    assert found["peak"] > 2**20


def test_who_is_over_a_limit_is_shown_as_such(monkeypatch):
    name, hard = "lea", WORKLOADS["dice-10000"]
    monkeypatch.setattr("benchmarks.measuring._once", lambda key, name, limits: Result(name, failure="over 1 s"))
    results = run(hard, Limits(seconds=1, rounds=2), beaten={name})
    verdicts = {result.name: result.verdict(1e-9) for result in results}
    assert verdicts[name].startswith("not tried")
    assert verdicts["randvar"] == "over 1 s"


def test_the_best_round_counts(monkeypatch):
    times = iter([3.0, 1.0, 2.0])
    monkeypatch.setattr("benchmarks.measuring._once", lambda key, name, limits: Result(name, next(times), error=0.0))
    (result,) = run(workload(Contender("randvar", lambda: lambda: 1.0)), Limits(rounds=3), beaten=set())
    assert result.seconds == 1.0


# -- the table ---------------------------------------------------------------------------------------------------------


def test_numbers_in_words():
    assert [duration(s) for s in (1.5, 0.0123, 4.56e-5, 2e-8, math.nan)] == [
        "1.5 s",
        "12.3 ms",
        "45.6 µs",
        "0.02 µs",
        "-",
    ]
    assert [ratio(s, 0.5) for s in (0.5, 1.2345, 1234.0, math.nan)] == ["1", "2.47", "2,468", "-"]


def test_the_table_says_who_is_right():
    results = [
        Result("randvar", 0.002, 2**20 * 50, 3, 3, 1e-15),
        Result("fast but wrong", 0.001, 2**20 * 50, 3, 3, 0.5),
        Result("too many", 0.004, 2**20 * 50, 5, 3),
        Result("slow", failure="over 60 s"),
    ]
    row = workload(*(Contender(r.name, lambda: lambda: None) for r in results))
    shown = document([(row, results)], Limits(), ["Date: today"])
    assert "| randvar | 2 ms | 1 | 3 | 1.0e-15 | 50 MB | right |" in shown
    assert "| fast but wrong | 1 ms | 0.5 | 3 | 5.0e-01 | 50 MB | wrong |" in shown
    assert "| too many | 4 ms | 2 | 5 | - | 50 MB | wrong: 3 outcomes |" in shown
    assert "| slow | - | - | - | - | - | over 60 s |" in shown
    assert "fast but wrong 0.5 (wrong); too many 2 (wrong); slow: over 60 s" in shown
    assert len(lines(row, results)) == 3 + len(results)


# -- small programs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["floats", "fractions"])
def test_small_programs_run(kind):
    assert all(program() is not None for program in small.programs(kind).values())


def test_table_of_small_programs():
    assert small.rows({"op": 2.0}) == ["op                         2.0"]
    assert small.rows({"op": 2.0}, {"op": 4.0}) == ["op                         4.0       2.0    0.50"]
