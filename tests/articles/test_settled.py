"""The atlas of settled arguments: every number of its table by enumeration, and its pages against the notebook."""

import itertools
import json
import math
import statistics
from fractions import Fraction
from pathlib import Path

import pytest

from randvar import Var, compare, kl, reinforce, rollout, uniform, variance
from randvar.examples import settled
from randvar.examples.settled import penalties
from randvar.rollouts import TokenPolicy, rao_blackwell_kl_gradient, reverse_kl_gradient

F = Fraction
ATLAS = settled.atlas()
NUMBER = {page.claim: number for number, page in enumerate(ATLAS.pages, start=1)}
NOTEBOOK = json.loads((Path(__file__).parents[2] / "notebooks" / "04_settled.ipynb").read_text(encoding="utf-8"))
EXPECTED = {}  # page number -> {estimator: (mean, variance, target)}


def page(number):
    """Register a function that gives {estimator: outcomes} and the target, or several such pairs."""

    def register(enumerate_page):
        found = enumerate_page()
        parts = found if isinstance(found, list) else [found]
        EXPECTED[number] = {
            name: (*moments(outcomes), target) for laws, target in parts for name, outcomes in laws.items()
        }
        return enumerate_page

    return register


def moments(outcomes):
    """Mean and variance of [(probability, value), ...]."""
    total = sum(p for p, _ in outcomes)
    assert total == pytest.approx(1, abs=1e-12)
    mean = sum(p * v for p, v in outcomes)
    return mean, sum(p * (v - mean) ** 2 for p, v in outcomes)


def coin(share):
    return [(1 - share, 0), (share, 1)]


def samples(law, n):
    """(probability, draws) of all n-tuples of [(probability, outcome), ...]."""
    for rows in itertools.product(law, repeat=n):
        yield math.prod(p for p, _ in rows), [outcome for _, outcome in rows]


# The KL penalty. One token: p = 3/4, q = 1/5, old 1/2; s = a - p.

P, Q, OLD = F(3, 4), F(1, 5), F(1, 2)


def single(share, value):
    """[(probability, value(L, r, s, w))] over tokens drawn with `share`."""
    rows = []
    for a, (p, q, old) in enumerate(zip((1 - P, P), (1 - Q, Q), (1 - OLD, OLD), strict=True)):
        drawn = share if a else 1 - share
        rows.append((drawn, value(math.log(p / q), q / p, a - P, p / old)))
    return rows


TRUE = float(P * (1 - P)) * (math.log(P / Q) - math.log((1 - P) / (1 - Q)))


@page(1)
def _():
    laws = {"k1": lambda L, r, s, w: s, "k2": lambda L, r, s, w: L * s, "k3": lambda L, r, s, w: (1 - r) * s}
    return {f"{k} in the loss": single(P, f) for k, f in laws.items()}, TRUE


@page(2)
def _():
    laws = {"k1": lambda L, r, s, w: L * s, "k3": lambda L, r, s, w: (r - 1 + L) * s}
    return {f"{k} in the reward": single(P, f) for k, f in laws.items()}, TRUE


@page(3)
def _():
    laws = {
        "reward k1, no weight": lambda L, r, s, w: L * s,
        "loss k2, no weight": lambda L, r, s, w: L * s,
        "reward w·k1": lambda L, r, s, w: w * L * s,
        "loss w·k2, w fixed": lambda L, r, s, w: w * L * s,
        "loss w·k2, with ∇w": lambda L, r, s, w: w * (L**2 / 2 + L) * s,
        "loss w·k3, with ∇w": lambda L, r, s, w: w * L * s,
    }
    return {name: single(OLD, f) for name, f in laws.items()}, TRUE


# Two tokens: (at first, after 0, after 1)

POLICY, REFERENCE, OLDER = ([F(n, 10) for n in row] for row in ((5, 2, 8), (4, 5, 3), (6, 4, 5)))


def prob(shares, token, prefix=()):
    share = shares[1 + prefix[0]] if prefix else shares[0]
    return share if token else 1 - share


def divergence(p, q, prefix):
    return sum(float(prob(p, c, prefix)) * math.log(prob(p, c, prefix) / prob(q, c, prefix)) for c in (0, 1))


def pairs(value, drawn=POLICY, p=POLICY, q=REFERENCE, old=OLDER):
    """[(probability, value)] over both tokens; value of (L1, L2, s, w1, w2, first token)."""
    rows = []
    for a, b in itertools.product((0, 1), repeat=2):
        if prob(p, b, (a,)) == 0:
            continue
        L1, L2 = math.log(prob(p, a) / prob(q, a)), math.log(prob(p, b, (a,)) / prob(q, b, (a,)))
        w1, w2 = prob(p, a) / prob(old, a), prob(p, b, (a,)) / prob(old, b, (a,))
        rows.append((prob(drawn, a) * prob(drawn, b, (a,)), value(L1, L2, a - p[0], w1, w2, a)))
    return rows


def sequence_kl(first):
    """KL of the completions as a function of the policy's first share."""
    shares = [first, *map(float, POLICY[1:])]
    return sum(
        math.prod(m) * math.log(math.prod(m) / math.prod(n))
        for a, b in itertools.product((0, 1), repeat=2)
        for m, n in [
            ((prob(shares, a), prob(shares, b, (a,))), (float(prob(REFERENCE, a)), float(prob(REFERENCE, b, (a,)))))
        ]
    )


def slope_at_first_logit():
    """d KL / dz = p (1 - p) dKL/dp, by a central difference of order 4."""
    h, p = 1e-3, 0.5
    f = sequence_kl
    return 0.25 * (8 * (f(p + h) - f(p - h)) - (f(p + 2 * h) - f(p - 2 * h))) / (12 * h)


@page(4)
def _():
    laws = {
        "loss k2 of each token": pairs(lambda L1, L2, s, *_: L1 * s),
        "loss k2 of the sequence": pairs(lambda L1, L2, s, *_: (L1 + L2) * s),
        "reward k1 of sequence": pairs(lambda L1, L2, s, *_: (L1 + L2) * s),
    }
    return laws, slope_at_first_logit()


@page(5)
def _():
    parts = []
    for name, p, q in (("near", (50, 30, 20), (40, 30, 30)), ("far", (2, 68, 30), (50, 30, 20))):
        L, r = [math.log(a / b) for a, b in zip(p, q, strict=True)], [b / a for a, b in zip(p, q, strict=True)]
        mass = [a / 100 for a in p]
        truth = sum(m * x for m, x in zip(mass, L, strict=True))
        covariance = sum(m * (x - truth) * (y - 1) for m, x, y in zip(mass, L, r, strict=True))
        best = covariance / sum(m * (y - 1) ** 2 for m, y in zip(mass, r, strict=True))
        coefficients = {f"k1, {name}": 0, f"k3, {name}": -1, f"best b, {name}": best}
        laws = {k: [(m, x - b * (y - 1)) for m, x, y in zip(mass, L, r, strict=True)] for k, b in coefficients.items()}
        parts.append((laws, truth))
    return parts


@page(6)
def _():
    parts = []
    half = F(1, 2)
    for name, p, q in (
        ("ordinary", POLICY, REFERENCE),
        ("misleading", [half, F(1), F(1)], [F(1, 5), F(1, 4), F(1)]),
    ):
        plain = pairs(lambda L1, L2, *_: L1 + L2, p, p, q, p)
        first = sum(float(prob(p, a)) * math.log(prob(p, a) / prob(q, a)) for a in (0, 1))
        after = [
            sum(float(m) * math.log(m / prob(q, c, (a,))) for c in (0, 1) if (m := prob(p, c, (a,)))) for a in (0, 1)
        ]
        exact = [(float(prob(p, a)), first + after[a]) for a in (0, 1)]
        truth, _ = moments(plain)
        parts.append(({f"sum of k1, {name}": plain, f"sum of KLs, {name}": exact}, truth))
    return parts


@page(7)
def _():
    p, q = (8, 4, 3, 1), (4, 3, 3, 6)
    L = [math.log(a / b) for a, b in zip(p, q, strict=True)]
    top = (8 * L[0] + 4 * L[1]) / 16
    laws = {
        "top 2, rest dropped": [(1, top)],
        "top 2, a masked draw": [(12 / 16, top), (3 / 16, top + L[2]), (1 / 16, top + L[3])],
        "top 2, draw of the rest": [(3 / 4, top + L[2] / 4), (1 / 4, top + L[3] / 4)],
        "k1": [(a / 16, x) for a, x in zip(p, L, strict=True)],
    }
    return laws, sum(a / 16 * x for a, x in zip(p, L, strict=True))


@page(8)
def _():
    slope = TRUE_FIRST = float(POLICY[0] * (1 - POLICY[0])) * (
        math.log(POLICY[0] / REFERENCE[0]) - math.log((1 - POLICY[0]) / (1 - REFERENCE[0]))
    )

    def old(value):
        return pairs(value, OLDER)

    laws = {
        "reward k1, no weight": old(lambda L1, L2, s, *_: (L1 + L2) * s),
        "loss w_t·k3 of tokens": old(lambda L1, L2, s, w1, *_: w1 * L1 * s),
        "reward k1, whole weight": old(lambda L1, L2, s, w1, w2, _: w1 * w2 * (L1 + L2) * s),
        "L, prefix weights": old(lambda L1, L2, s, w1, w2, _: (w1 * L1 + w1 * w2 * L2) * s),
        "token KL, prefix weights": old(
            lambda L1, L2, s, w1, w2, a: slope + w1 * divergence(POLICY, REFERENCE, (a,)) * s
        ),
    }
    assert moments(laws["loss w_t·k3 of tokens"])[0] == pytest.approx(TRUE_FIRST)
    return laws, slope_at_first_logit()


# Groups


def group(law, n, baseline):
    """[(probability, mean of (R - baseline) S)] for a law of (reward, score)."""
    return [
        (p, sum((r - baseline(rewards, i)) * s for i, (r, s) in enumerate(draws)) / F(n))
        for p, draws in samples(law, n)
        for rewards in [[r for r, _ in draws]]
    ]


def mean_of(rewards, i):
    return sum(rewards) / F(len(rewards))


def others(rewards, i):
    return (sum(rewards) - rewards[i]) / F(len(rewards) - 1)


def nothing(rewards, i):
    return 0


def binary(p, low=0, high=1):
    return [(1 - p, (low, -p)), (p, (high, 1 - p))]


@page(9)
def _():
    draws = binary(F(1, 4))
    laws = {f"own group mean, G = {n}": group(draws, n, mean_of) for n in (2, 4)}
    by_count = [math.comb(16, c) * F(1, 4) ** c * F(3, 4) ** (16 - c) for c in range(17)]
    laws["own group mean, G = 16"] = [(p, F(c, 16) * (1 - F(c, 16))) for c, p in enumerate(by_count)]
    laws["others' mean, G = 4"] = group(draws, 4, others)
    return laws, F(3, 16)


@page(10)
def _():
    weights = [math.exp(a / 3) for a in range(8)]
    mean = sum(w * a for a, w in enumerate(weights)) / sum(weights)
    draws = [(w / sum(weights), (a, (mean - a) / 9)) for a, w in enumerate(weights)]
    laws = {
        f"{name}, G = {n}": group(draws, n, baseline)
        for n in (2, 3)
        for name, baseline in (("no baseline", nothing), ("leave-one-out", others))
    }
    return laws, sum(p * r * s for p, (r, s) in draws)


@page(11)
def _():
    draws = binary(F(1, 4), -1, 2)
    baselines = {
        "no baseline": nothing,
        "the known mean reward": lambda rewards, i: F(-1, 4),
        "mean of the others": others,
        "the best constant": lambda rewards, i: F(5, 4),
    }
    return {name: group(draws, 3, baseline) for name, baseline in baselines.items()}, 3 * F(3, 16)


@page(12)
def _():
    parts = []
    for name, p in (("1/2", F(1, 2)), ("1/10", F(1, 10))):
        divided = []
        for weight, draws in samples(binary(p), 4):
            spread = statistics.pstdev(r for r, _ in draws)
            mean = mean_of([r for r, _ in draws], 0)
            divided.append((float(weight), sum(float((r - mean) * s) for r, s in draws) / 4 / spread if spread else 0))
        laws = {
            f"divided by std, p = {name}": divided,
            f"not divided, p = {name}": group(binary(p), 4, mean_of),
            f"leave-one-out, p = {name}": group(binary(p), 4, others),
        }
        parts.append((laws, p * (1 - p)))
    return parts


@page(13)
def _():
    # (reward, score of "long" less score of "wrong", length): the common -p of the two scores cancels
    answers = [(F(1, 3), row) for row in ((1, 0, 2), (0, -1, 2), (0, 1, 8))]
    laws = {"GRPO: own tokens": [], "DAPO: group's tokens": [], "Dr. GRPO: a constant": []}
    for p, draws in samples(answers, 4):
        mean = mean_of([r for r, _, _ in draws], 0)
        laws["GRPO: own tokens"].append((p, sum((r - mean) * s / n for r, s, n in draws) / 4))
        laws["DAPO: group's tokens"].append((p, sum((r - mean) * s for r, s, _ in draws) / sum(n for *_, n in draws)))
        laws["Dr. GRPO: a constant"].append((p, sum((r - mean) * s for r, s, _ in draws) / 32))
    return laws, 0


@page(14)
def _():
    p, gamma = F(1, 4), F(1, 2)
    return {"with γ^t": [(m, gamma * a * (a - p)) for m, a in coin(p)], "without γ^t": [
        (m, a * (a - p)) for m, a in coin(p)
    ]}, gamma * p * (1 - p)  # fmt: skip


@page(15)
def _():
    completions = [(F(1, 2), (1, 1)), (F(1, 2), (0, 3))]
    laws = {"mean of means": [], "mean over all tokens": [], "sum over a constant": []}
    for p, ((x, m), (y, n)) in samples(completions, 2):
        laws["mean of means"].append((p, F(x + y, 2)))
        laws["mean over all tokens"].append((p, F(x * m + y * n, m + n)))
        laws["sum over a constant"].append((p, F(x * m + y * n, 4)))
    return laws, F(1, 2) / 2


# Importance weights


@page(16)
def _():
    laws = {"product of the ratios": [], "geometric mean": [], "arithmetic mean": []}
    for a, b in itertools.product((0, 1), repeat=2):
        v, w = (F(3, 2) if c else F(1, 2) for c in (a, b))
        weights = v * w, math.sqrt(v * w), (v + w) / 2
        for law, weight in zip(laws.values(), weights, strict=True):
            law.append((F(1, 4), weight * (a + a * b)))
    return laws, F(3, 4) + F(9, 16)


@page(17)
def _():
    rows = [(F(3, 6), F(1, 3), 1), (F(2, 6), F(1), -2), (F(1, 6), F(3), 3)]
    cuts = {
        "plain weights": lambda w: w,
        "cut down to the cap": lambda w: min(w, 2),
        "masked above the cap": lambda w: w * (w <= 2),
    }
    return {name: [(p, cut(w) * a) for p, w, a in rows] for name, cut in cuts.items()}, 1


@page(18)
def _():
    rounds = [
        (F(1, 2) * chance, (w, r))
        for w, share in ((F(8, 5), F(3, 4)), (F(2, 5), F(1, 4)))
        for r, chance in ((1, share), (0, 1 - share))
    ]
    laws = {"sum of w·r over n": [], "sum of w·r over sum of w": []}
    for p, draws in samples(rounds, 3):
        weighted = sum(w * r for w, r in draws)
        laws["sum of w·r over n"].append((p, weighted / 3))
        laws["sum of w·r over sum of w"].append((p, weighted / sum(w for w, _ in draws)))
    return laws, F(4, 5) * F(3, 4) + F(1, 5) * F(1, 4)


# Evaluation, intervals and tests


@page(19)
def _():
    laws = {"1 − C(n−c, k)/C(n, k)": [], "1 − (1 − c/n)^k": []}
    for p, draws in samples(coin(F(3, 10)), 5):
        subsets = list(itertools.combinations(draws, 3))
        laws["1 − C(n−c, k)/C(n, k)"].append((p, F(sum(map(any, subsets)), len(subsets))))
        laws["1 − (1 − c/n)^k"].append((p, F(sum(map(any, itertools.product(draws, repeat=3))), 125)))
    return laws, 1 - F(7, 10) ** 3


@page(20)
def _():
    sums = [(p, sum(draws)) for p, draws in samples([(F(1, 2), -1), (F(1, 2), 1)], 4)]
    larger = [(p, 1 if s >= 0 else -1) for p, s in sums]
    by_coin = [(p / 2, side) for p, s in sums for side in ((1, -1) if s == 0 else (s, s))]
    return {"ties to the larger value": larger, "ties by a coin": [(p, v / abs(v)) for p, v in by_coin]}, 0


def indicator(share):
    return [(1 - share, 0), (share, 1)]


@page(21)
def _():
    n, p, z = 100, F(1, 50), F(49, 25)
    wald = wilson = F(0)
    for k in range(n + 1):
        mass, share = math.comb(n, k) * p**k * (1 - p) ** (n - k), F(k, n)
        wald += mass * ((share - p) ** 2 * (n - 1) <= z**2 * share * (1 - share))
        wilson += mass * ((share - p) ** 2 * n <= z**2 * p * (1 - p))
    return {"Wald interval covers": indicator(wald), "Wilson interval covers": indicator(wilson)}, 0.95


@page(22)
def _():
    prompts = [
        (weight * p, F(sum(draws), 4))
        for weight, skill in ((F(1, 4), F(0)), (F(1, 2), F(1, 2)), (F(1, 4), F(1)))
        for p, draws in samples(coin(skill), 4)
    ]
    merged = {}
    for p, mean in prompts:
        merged[mean] = merged.get(mean, 0) + p
    law = [(p, mean) for mean, p in merged.items()]
    laws = {"s²/16 of completions": [], "s²/4 of prompts' means": []}
    for p, means in samples(law, 4):
        mean = sum(means) / 4
        laws["s²/16 of completions"].append((p, mean * (1 - mean) / 15))
        laws["s²/4 of prompts' means"].append((p, statistics.variance(means) / 4))
    return laws, moments(law)[1] / 4


DIE = [(F(1, 6), F(a)) for a in range(1, 7)]


@page(23)
def _():
    rolls = list(samples(DIE, 2))
    squares = {
        "s², divisor n − 1": [(p, statistics.variance(v)) for p, v in rolls],
        "s², divisor n": [(p, statistics.pvariance(v)) for p, v in rolls],
    }
    roots = {"s, divisor n − 1": [(p, math.sqrt(statistics.variance(v))) for p, v in rolls]}
    return [(squares, F(35, 12)), (roots, math.sqrt(35 / 12))]


def slope(rolls):
    mean = sum(rolls) / len(rolls)
    spread = sum((a - mean) ** 2 for a in rolls)
    return sum(a**2 * (a - mean) for a in rolls) / spread if spread else 0


@page(24)
def _():
    laws = {"plain mean": [], "same rolls' coefficient": [], "other rolls' coefficient": [], "coefficient 7": []}
    for p, v in samples(DIE, 3):
        plain, off = sum(a**2 for a in v) / 3, sum(v) / 3 - F(7, 2)
        each = [v[i] ** 2 - slope(v[:i] + v[i + 1 :]) * (v[i] - F(7, 2)) for i in range(3)]
        values = plain, plain - slope(v) * off, sum(each) / 3, plain - 7 * off
        for law, value in zip(laws.values(), values, strict=True):
            law.append((p, value))
    return laws, F(91, 6)


@page(25)
def _():
    def rejects(n, heads):
        return (2 * heads - n) ** 2 > F(49, 25) ** 2 * n

    going, rejected = {0: 1}, F(0)
    for n in range(1, 41):
        moved = {}
        for heads, paths in going.items():
            for c in (0, 1):
                moved[heads + c] = moved.get(heads + c, 0) + paths
        stops = {heads for heads in moved if n >= 20 and rejects(n, heads)}
        rejected += F(sum(moved[heads] for heads in stops), 2**n)
        going = {heads: paths for heads, paths in moved.items() if heads not in stops}
    once = F(sum(math.comb(40, h) for h in range(41) if rejects(40, h)), 2**40)
    return {"rejects, one test": indicator(once), "rejects, 21 tests": indicator(rejected)}, 0.05


@pytest.mark.parametrize("number", range(1, 26))
def test_every_row_by_enumeration(number):
    reports = ATLAS[number].reports
    assert list(reports) == list(EXPECTED[number])
    for name, (mean, spread, target) in EXPECTED[number].items():
        found = reports[name]
        near = {"rel": 1e-10, "abs": 1e-12}
        assert float(found.target) == pytest.approx(float(target), rel=1e-9), name
        assert float(found.mean) == pytest.approx(float(mean), **near), name
        assert float(found.variance) == pytest.approx(float(spread), **near), name
        if isinstance(mean, Fraction) and isinstance(found.mean, Fraction):
            assert found.mean == mean, name
        assert found.unbiased is (abs(float(mean) - float(target)) < 1e-9), name


def test_what_is_proved_of_all_policies():
    always = {number: set(ATLAS[number].always) for number in range(1, 26) if ATLAS[number].always}
    assert always == {
        1: {"k2 in the loss"},
        2: {"k1 in the reward"},
        3: {"reward w·k1", "loss w·k2, w fixed", "loss w·k3, with ∇w"},
        4: {"loss k2 of the sequence", "reward k1 of sequence"},
        5: {f"{name}, {model}" for name in ("k1", "k3", "best b") for model in ("near", "far")},
        6: {"sum of k1, ordinary", "sum of KLs, ordinary"},
        8: {"reward k1, whole weight", "L, prefix weights", "token KL, prefix weights"},
    }


def test_the_table():
    text = repr(ATLAS).splitlines()
    assert text[0].split() == ["estimator", "unbiased?", "bias", "variance", "page"]
    assert len(text) == 1 + sum(len(entry.reports) for entry in ATLAS.pages)
    assert text[2].split()[:7] == ["k2", "in", "the", "loss", "always", "0", "0.0550653"]
    shown = ATLAS._repr_html_()
    assert all(f'href="#page-{number}"' in shown for number in range(1, 26))
    assert "the group&#x27;s standard deviation" in shown


def test_names_fit_in_the_pictures():
    assert [name for entry in ATLAS.pages for name in entry.reports if len(name) > 24] == []


def test_a_page_that_says_something_else_does_not_agree():
    verdict = compare({"ties to the larger value": Var([0], [1]), "ties by a coin": Var([0], [1])}, 0)
    assert not ATLAS.agrees(20, verdict)
    assert not ATLAS.agrees(20)
    die = compare({"a die": uniform(1, 7).rational()}, F(7, 2))
    assert settled.Atlas([settled.table.page("A die", die)]).agrees(1, die)


def test_the_notebook_has_a_page_for_each_claim():
    texts = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "markdown"]
    headings = [line for text in texts for line in text.splitlines() if line.startswith('### <a id="page-')]
    assert headings == [
        f'### <a id="page-{number}"></a>{number}. {entry.claim}' for number, entry in enumerate(ATLAS.pages, start=1)
    ]
    code = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert all(f"atlas.agrees({number}, " in "\n".join(code) for number in NUMBER.values())


def test_token_divergences_can_make_a_gradient_vary_more():
    """Of samples of the policy itself, which is nearly certain: against sampled tokens, by enumeration."""
    p, q = (F(95, 100), F(1, 100), F(1, 4)), (F(1, 4), F(95, 100), F(1, 4))
    policy, reference = penalties.two_tokens(*p), penalties.two_tokens(*q)
    drawn = rollout(policy, 2)
    sampled, exact = (
        float(variance(law(drawn, policy, reference))[1]) for law in (reverse_kl_gradient, rao_blackwell_kl_gradient)
    )
    plain = pairs(lambda L1, L2, s, *_: (L1 + L2) * s, p, p, q, p)
    slope = float(p[0] * (1 - p[0])) * (math.log(p[0] / q[0]) - math.log((1 - p[0]) / (1 - q[0])))
    in_expectation = pairs(lambda L1, L2, s, w1, w2, a: slope + divergence(p, q, (a,)) * s, p, p, q, p)
    assert sampled == pytest.approx(moments(plain)[1], rel=1e-10)
    assert exact == pytest.approx(moments(in_expectation)[1], rel=1e-10)
    assert exact > 2 * sampled


def test_a_divergence_in_symbols():
    sympy = pytest.importorskip("sympy")
    p, q = sympy.symbols("p q", positive=True)
    x, y = (Var([0, 1], [1 - share, share]) for share in (p, q))
    at = {p: sympy.Rational(3, 4), q: sympy.Rational(1, 5)}
    assert float(kl(x, y).subs(at)) == pytest.approx(0.75 * math.log(3.75) + 0.25 * math.log(0.3125), rel=1e-14)
    assert kl(x, x) == 0
    half = Var([0, 1], [F(1, 2)] * 2)
    mixed = kl(half, y).subs(at)
    assert float(mixed) == pytest.approx(-math.log(4 * 0.8 * 0.2) / 2, rel=1e-14)
    assert kl(x, Var([0], [F(1)])) == math.inf


def test_scores_in_symbols():
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    policy = TokenPolicy({(): Var([0, 1], [1 - p, p])})
    assert [sympy.expand(s) for s in policy.score((1,))] == [p - 1, 1 - p]
    assert reinforce(Var([0, 1], [1 - p, p]).vector(lambda a: (a, policy.score((a,))[1])), 1).kind == "symbolic"
