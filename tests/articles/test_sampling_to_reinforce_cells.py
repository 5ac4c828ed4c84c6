"""The code cells of the article "From Sampling to Reinforce", run in order in one namespace, as a notebook would.

The cells define several names of the package over again (expect, variance, monte_carlo, k1, ...), in the article's own
way; those definitions must work on the package's Var and Joint too. Sliders are tested where they live.
"""

import contextlib
import io
import json
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agreement import agree

REFERENCE = json.loads((Path(__file__).parents[1] / "support" / "reference" / "sampling_to_reinforce.json").read_text())


@dataclass(frozen=True)
class Cell:
    """A code cell and the lines that the article shows below it."""

    name: str
    code: str
    prints: tuple[str, ...] = ()


CELLS = [
    Cell(
        "imports",
        """
from randvar import *
from randvar.examples.sampling_to_reinforce import *
""",
    ),
    Cell(
        "eight",
        """
eight = Var(np.arange(1, 9),
            np.array([1, 3, 1, 3, 1, 3, 1, 3])/16)

histogram(eight)
""",
    ),
    Cell(
        "double and filter",
        """
histogram_row(eight.op(lambda a: a * 2), eight.cond(lambda a: a < 6),
              labels=("Double the value", "Keep values below 6"))
""",
    ),
    Cell(
        "expect",
        """
def expect(x: Var) -> float:
    return float(x.values @ x.probs)

print(f"E[X] = {expect(eight):.2f}")
""",
        ("E[X] = 4.75",),
    ),
    Cell(
        "variance",
        """
def variance(x: Var) -> float:
    mean = expect(x)
    return expect(x.op(lambda value: (value - mean)**2))

print(f"Var(X) = {variance(eight):.4f}")
""",
        ("Var(X) = 5.1875",),
    ),
    Cell(
        "joint example",
        """
joint_example = Joint([0, 2, 5], [0, 1],
                      [[1/12, 1/12], [1/6, 1/4], [1/4, 1/6]])
histogram(joint_example)
""",
    ),
    Cell(
        "joint transformed",
        """
transformed = joint_example.op(lambda a: 2 * a, lambda b: -1 * b + 3)
histogram(transformed)
""",
    ),
    Cell("joint added", "histogram(transformed.add())"),
    Cell(
        "two dice",
        """
die = uniform(1, 7)
two_dice = indep(die, die)
histogram(two_dice)
""",
    ),
    Cell(
        "two dice shared",
        """
two_dice_shared = shared(die)
histogram(two_dice_shared)
""",
    ),
    Cell(
        "sums of two dice",
        """
histogram_row(two_dice.add(), two_dice_shared.add(),
              labels=("Independent", "Shared"))
""",
    ),
    Cell(
        "covariance",
        """
assert np.isclose(covar(two_dice), 0)
assert np.isclose(covar(two_dice_shared), variance(die))
""",
    ),
    Cell(
        "monte carlo with randomness",
        """
def monte_carlo_with_randomness(f, T):
    import random
    return sum(f(random.randint(1, 6)) for _ in range(T)) / T
""",
    ),
    Cell(
        "monte carlo",
        """
def monte_carlo(f_x: Var, steps: int) -> Var:
    total = f_x.op(lambda value: 0)
    for _ in range(steps):
        total = add(indep(total, f_x))
    return total.op(lambda value: value / steps)
""",
    ),
    Cell(
        "single",
        """
histogram(die.op(f))
check("single", monte_carlo(die.op(f), 1), variance_diagram=True)
""",
    ),
    Cell("ten", """check("ten", monte_carlo(die.op(f), 10))"""),
    Cell(
        "ordinary poll",
        """
population = uniform(0, 30)
group = lambda person: person < 10
ordinary_poll = monte_carlo(population.op(response), 6)
histogram(ordinary_poll)
""",
    ),
    Cell(
        "stratified poll",
        """
red = population.cond(group).op(response)
blue = population.cond(lambda person: not group(person)).op(response)
stratified_poll = stratify(red, blue, red_share=1/3, red_steps=2, blue_steps=4)
print(f"Sampling variance: {variance(ordinary_poll):.3f} → {variance(stratified_poll):.3f}")
density(stratified_poll, without=ordinary_poll,
        comparison_labels=("ordinary poll", "stratified poll"))
""",
        ("Sampling variance: 0.671 → 0.107",),
    ),
    Cell(
        "control variate",
        """
def control_variate(x: Var, f: Fn, h: Fn,
                    known_mean: float, b: float = 1) -> Joint:
    return shared(x).op(f, lambda a: b*(h(a)-known_mean))

def monte_carlo_with_control(pair: Joint, steps: int) -> Var:
    return monte_carlo(pair.sub(), steps)
""",
    ),
    Cell(
        "variance decomposition",
        """
centered_coin = uniform(0, 2).op(lambda a: 2*a - 1)
decomposition = shared(centered_coin).op(lambda a: 2*a, lambda b: b)
variance_reduction_3d(decomposition)
""",
        ("Var 1 = 4.00; Var 2 = 1.00; Cov = 2.00", "Var(result) = 4.00 + 1.00 − 2 × (2.00) = 1.00"),
    ),
    Cell("linear control", "pair: Joint = linear_control(die, linear_f, b=3)"),
    Cell(
        "quadratic control",
        """
pair: Joint = quadratic_control(die, quadratic_f, a=1, b=2)
show_control(pair, steps=5, density_view=True)
check("quadratic", monte_carlo(sub(pair), 5), plot=False)
""",
        (
            "Var 1 = 46.5611; Var 2 = 48.4944; 2 Cov = 94.9222",
            "Var(adjusted) = 46.5611 + 48.4944 - (94.9222) = 0.133333",
        ),
    ),
    Cell(
        "A/B raw",
        """
population = uniform(0, 4)

def initial(person: float) -> float:
    "Initial preference. Think of this as user features."
    return -0.25 * (person % 2)

def untreated(person: float) -> float:
    "Change from baseline"
    return 2*initial(person) + person % 2

def treated(person: float) -> float:
    "Change from treatment"
    return untreated(person) + 1

raw_difference = ab_sampling(population, treated, untreated, steps=5)
density(raw_difference)
""",
    ),
    Cell(
        "A/B adjusted",
        """
adjusted_difference = ab_test(population, treated, untreated, initial, b=1, steps=5)
density(adjusted_difference, without=raw_difference)
""",
    ),
    Cell(
        "exact KL",
        """
p = weighted_die([1, 2, 3, 4, 5, 6])
q = uniform(1, 7)
exact_kl = kl(p, q)
print(f"Exact KL(p || q) = {exact_kl:.6f}")
""",
        ("Exact KL(p || q) = 0.129383",),
    ),
    Cell(
        "k1",
        """
def k1(p: Var, q: Var) -> Var:
    return p.op(lambda a: p.log_prob(a) - q.log_prob(a))

k1_draw = k1(p, q)
k1_samples = monte_carlo(k1_draw, 5)
check("kl", k1_samples, plot=False)
assert np.isclose(expect(k1_samples), exact_kl)
""",
    ),
    Cell(
        "k2",
        """
def k2(p: Var, q: Var) -> Var:
    return p.op(lambda a: 0.5 * (p.log_prob(a) - q.log_prob(a))**2)

k2_draw = k2(p, q)
print(f"k2 expectation = {expect(k2_draw):.6f}; exact KL = {exact_kl:.6f}")
histogram(k2_draw)
""",
        ("k2 expectation = 0.112323; exact KL = 0.129383",),
    ),
    Cell(
        "k3 with the wrong sign",
        """
def kl_k3(p: Var, q: Var, b: float = -1) -> Joint:
    return control_variate(
        p, lambda a: p.log_prob(a) - q.log_prob(a),
        lambda a: q.prob(a) / p.prob(a), known_mean=1, b=b)

pair: Joint = kl_k3(p, q, b=1)
covariance_3d(pair, max_post_labels=0)
""",
    ),
    Cell(
        "k3",
        """
pair = kl_k3(p, q, b=-1)
show_control(pair, steps=5, density_view=True, show=False)
k3_draw = sub(pair)
k3_samples = monte_carlo(k3_draw, 5)
check("k3", k3_samples, plot=False)
assert np.isclose(expect(k3_samples), exact_kl)
""",
        (
            "Var 1 = 0.0415811; Var 2 = 0.0858333; 2 Cov = 0.114241",
            "Var(adjusted) = 0.0415811 + 0.0858333 - (0.114241) = 0.013173",
        ),
    ),
    Cell(
        "top-k",
        """
def kl_topk(p: Var, q: Var, k: int) -> Var:
    return topk(p, lambda a: np.log(p.prob(a)/q.prob(a)) if p.prob(a) else 0.0, k)


topk_draw = kl_topk(p, q, 3)
topk_samples = monte_carlo(topk_draw, 5)
check("topk", topk_samples, plot=False)
assert np.isclose(expect(topk_samples), exact_kl)
""",
    ),
    Cell(
        "policy",
        """
def policy(temperature: float) -> Var:
    logits = np.arange(8, dtype=float)
    weights = np.exp((logits - logits.max()) / temperature)
    return Var(logits, weights / weights.sum())

temperature = 3.0
action = policy(temperature)
""",
    ),
    Cell(
        "score",
        '''
def temperature_score(action: float, mean_action: float, temperature: float) -> float:
    """Derivative of log p_T(action) with respect to T."""
    return (mean_action - action) / temperature**2


score: Var = action.op(lambda a: temperature_score(a, expect(action), temperature))
histogram(score)
assert np.isclose(expect(score), 0)
''',
    ),
    Cell(
        "reinforce",
        """
def r(a):
    "Set reward to the value."
    return a

score_joint: Joint = shared(action).op(
    lambda a: a,
    lambda a: temperature_score(a, expect(action), temperature))
reinforce: Joint = score_joint.op(r, lambda s: s)
gradient_draw = reinforce.mul()
gradient_samples = monte_carlo(gradient_draw, 5)

exact_gradient = -variance(action) / temperature**2
histogram(gradient_samples)
""",
    ),
    Cell(
        "constant baseline",
        '''
def reinforce_control(r: Fn, b: float, score: Joint) -> Var:
    """Subtract a constant baseline from the reward, then multiply by the score."""
    return score.op(lambda a: r(a) - b, lambda s: s).mul()


controlled_draw = reinforce_control(r, 4.0, score_joint)
controlled_samples = monte_carlo(controlled_draw, 5)
''',
    ),
    Cell(
        "leave-one-out",
        """
baseline = leave_one_out(temperature, n=3)
gradient = reinforce_control(r, baseline, score_joint)

assert np.isclose(expect(gradient), exact_gradient)
""",
    ),
]


@dataclass(frozen=True)
class Run:
    """What a cell printed, and the traceback when it failed."""

    printed: str
    failure: str


@pytest.fixture(scope="module")
def article() -> tuple[dict[str, Any], dict[str, Run]]:
    """The namespace that all cells leave, and the run of each."""
    namespace: dict[str, Any] = {}
    runs = {}
    for cell in CELLS:
        printed, failure = io.StringIO(), ""
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(cell.code, f"<{cell.name}>", "exec"), namespace)
            except Exception:
                failure = traceback.format_exc()
        runs[cell.name] = Run(printed.getvalue(), failure)
    return namespace, runs


@pytest.mark.parametrize("cell", CELLS, ids=[cell.name for cell in CELLS])
def test_cell_runs_and_prints_what_the_article_prints(cell, article):
    _, runs = article
    assert not runs[cell.name].failure, runs[cell.name].failure
    for line in cell.prints:
        assert line in runs[cell.name].printed.splitlines()


# What the cells leave behind, in the article's own definitions: (entry and key of the reference, expression).
LEFT_BEHIND = [
    ("003.drv.mean", "mean", "expect(eight)"),
    ("003.drv.variance", "variance", "variance(eight)"),
    ("003.joint.transformed", "table", "transformed"),
    ("003.joint.two_dice_sum", "pmf", "two_dice.add()"),
    ("003.joint.two_dice_shared_sum", "pmf", "two_dice_shared.add()"),
    ("003.mc.f_ten", "support_size", "len(monte_carlo(die.op(f), 10))"),
    ("003.mc.f_ten", "variance", "variance(monte_carlo(die.op(f), 10))"),
    ("003.poll.ordinary", "variance", "variance(ordinary_poll)"),
    ("003.poll.ordinary", "support_size", "len(ordinary_poll)"),
    ("003.poll.stratified", "pmf", "stratified_poll"),
    ("003.poll.stratified", "variance", "variance(stratified_poll)"),
    ("003.cv.linear", "mc_pmf", "monte_carlo_with_control(linear_control(die, linear_f, b=3), 5)"),
    ("003.cv.quadratic", "mc_pmf", "monte_carlo_with_control(quadratic_control(die, quadratic_f, a=1, b=2), 5)"),
    ("003.ab.raw", "pmf", "raw_difference"),
    ("003.ab.b1", "pmf", "adjusted_difference"),
    ("003.kl.exact", "KL_p_q", "exact_kl"),
    ("003.kl.k1", "mc5_variance", "variance(k1_samples)"),
    ("003.kl.k2", "mean", "expect(k2_draw)"),
    ("003.kl.k3_terms", "mc5_var_adjusted", "variance(k3_samples)"),
    ("003.kl.estimator_ranking", "topk3_conditional", "variance(topk_samples)"),
    ("003.rl.policy_T3", "probs", "action.probs"),
    ("003.rl.score", "variance", "variance(score)"),
    ("003.rl.exact_gradient", "gradient", "exact_gradient"),
    ("003.rl.reinforce", "mc5_variance", "variance(gradient_samples)"),
    ("003.rl.baseline4", "mc5_variance", "variance(controlled_samples)"),
    ("003.rl.loo_repo_seeded", "true_single_term_variance_n3", "variance(gradient)"),
]


@pytest.mark.parametrize(("entry", "key", "expression"), LEFT_BEHIND, ids=[row[2] for row in LEFT_BEHIND])
def test_the_articles_own_definitions_give_the_exact_numbers(entry, key, expression, article):
    namespace, _ = article
    agree(eval(expression, namespace), REFERENCE["entries"][entry]["exact"][key], expression)


def test_toy_data_of_the_article():
    """What the article assumes and does not print, number by number."""
    from randvar.examples import sampling_to_reinforce as toys

    assert [toys.f(face) for face in range(1, 7)] == REFERENCE["data"]["f"]
    assert [toys.linear_f(face) for face in range(1, 7)] == REFERENCE["data"]["linear_f"]
    assert [toys.quadratic_f(face) for face in range(1, 7)] == REFERENCE["data"]["quadratic_f"]
    assert [toys.response(person) for person in range(30)] == REFERENCE["data"]["responses"]


@pytest.mark.parametrize("name", ["single", "ten", "kl", "k3", "quadratic", "topk"], ids=lambda name: f"wrong {name}")
def test_check_tells_a_wrong_estimator(name):
    """check compares whole laws, so a law with the right mean and another spread does not pass."""
    from randvar import constant
    from randvar.examples import sampling_to_reinforce as toys

    right_mean = {"single": 15.5, "ten": 15.5, "quadratic": 133 / 6}.get(name, 0.12938251003523268)
    with pytest.raises((AssertionError, ValueError)):
        toys.check(name, constant(right_mean), plot=False)
