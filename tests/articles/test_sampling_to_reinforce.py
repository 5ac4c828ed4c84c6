"""Every number of the article "From Sampling to Reinforce", against exact values computed without the package.

Each function below returns what the package says, in the shape of the exact entry of the same name.
"""

import functools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from agreement import Cancelling, agree
from exact_entries import ExactEntries

from randvar import (
    Joint,
    Var,
    best_coefficient,
    control_variate,
    correlation,
    covar,
    expect,
    iid,
    indep,
    k1,
    k2,
    kl,
    leave_one_out,
    leave_one_out_gradient,
    moment,
    monte_carlo,
    shared,
    softmax,
    stratified,
    stratify,
    topk,
    uniform,
    variance,
    weighted_die,
)
from randvar.examples.sampling_to_reinforce import (
    ab_sampling,
    ab_test,
    add,
    kl_k3,
    kl_topk,
    linear_control,
    monte_carlo_with_control,
    mul,
    quadratic_control,
    sub,
)

ENTRIES = ExactEntries("sampling_to_reinforce")
DATA, EXACT, entry = ENTRIES.data, ENTRIES.exact, ENTRIES.entry


@pytest.mark.parametrize("name", EXACT)
def test_entry(name):
    agree(ENTRIES.computed[name](), EXACT[name], name)


def test_no_entry_is_left_out():
    assert set(ENTRIES.computed) == set(EXACT)
    assert len(EXACT) == 54


def on_die(table):
    """The function on faces 1..6 that a table of six numbers stands for."""
    return dict(zip(range(1, 7), table, strict=True)).__getitem__


def grid(start, stop, step=0.25):
    """start, start + step, ..., stop."""
    return np.arange(round((stop - start) / step) + 1) * step + start


def law(x):
    """The three rows that most entries ask of a law."""
    return {"pmf": x, "mean": expect(x), "variance": variance(x)}


# Discrete random variables

die = uniform(1, 7)
eight = Var(np.arange(1, 9), np.array([1, 3, 1, 3, 1, 3, 1, 3]) / 16)


@entry("003.drv.mean")
def _():
    return {"mean": expect(eight)}


@entry("003.drv.variance")
def _():
    return {"variance": variance(eight)}


@entry("003.drv.double")
def _():
    return law(eight.op(lambda a: a * 2))


@entry("003.drv.cond_lt6")
def _():
    return law(eight.cond(lambda a: a < 6)) | {"kept_mass": eight.prob(lambda a: a < 6)}


@entry("003.drv.scaled_variance_slider")
def _():
    return {f"b={b}": variance(eight.op(lambda a, b=b: b * a)) for b in (1, 2, 3, 4)}


# Joint random variables

joint_example = Joint([0, 2, 5], [0, 1], [[1 / 12, 1 / 12], [1 / 6, 1 / 4], [1 / 4, 1 / 6]])
two_dice = indep(die, die)
two_dice_shared = shared(die)


def pair(j):
    """Marginals, moments, sum and difference of a Joint of two."""
    return {
        "marginal_x": j.marginal(0),
        "marginal_y": j.marginal(1),
        "mean_x": expect(j)[0],
        "mean_y": expect(j)[1],
        "var_x": variance(j[0]),
        "var_y": variance(j[1]),
        "cov": covar(j),
        "sum_pmf": j.add(),
        "var_sum": variance(add(j)),
        "var_diff": variance(sub(j)),
    }


@entry("003.joint.example")
def _():
    return pair(joint_example)


@entry("003.joint.transformed")
def _():
    transformed = joint_example.op(lambda a: 2 * a, lambda b: -1 * b + 3)
    return pair(transformed) | {"table": transformed}


@entry("003.joint.two_dice_sum")
def _():
    return law(two_dice.add())


@entry("003.joint.two_dice_shared_sum")
def _():
    return law(two_dice_shared.add())


@entry("003.joint.die_variance")
def _():
    return {"mean": expect(die), "variance": variance(die)}


@entry("003.joint.cov_indep_shared")
def _():
    return {"cov_independent": covar(two_dice), "cov_shared": covar(two_dice_shared)}


@entry("003.joint.cov_interpolation")
def _():
    def mixed(share):
        table = (1 - share) * two_dice.table + share * two_dice_shared.table
        j = Joint(die.values, die.values, table)
        return {"cov": covar(j), "var_x": variance(j[0]), "var_sum": variance(j.add()), "sum_pmf": j.add()}

    return {f"{share:.1f}": mixed(share) for share in np.arange(11) / 10}


# Monte Carlo sampling

f_die = die.op(on_die(DATA["f"]))


@entry("003.mc.f_single")
def _():
    return law(monte_carlo(f_die, 1))


@entry("003.mc.f_ten")
def _():
    ten = monte_carlo(f_die, 10)
    return {
        "mean": expect(ten),
        "variance": variance(ten),
        "support_size": len(ten),
        "min": ten.values[0],
        "max": ten.values[-1],
        "pmf_counts_over_6^10": list(zip(ten.values, 6.0**10 * ten.probs, strict=True)),
    }


@entry("003.mc.randint_equiv")
def _():
    # random.randint(1, 6) includes the 6, as uniform(1, 7) does.
    return {
        "mean_any_T": expect(monte_carlo(f_die, 7)),
        "variance_T": {str(steps): variance(monte_carlo(f_die, steps)) for steps in (1, 2, 5, 10, 100)},
    }


@entry("003.mc.coin_slider")
def _():
    coin = Var([-1, 1], [0.5, 0.5])
    return {str(n): law(monte_carlo(coin, n)) for n in range(1, 21)}


# Example: polling

population = uniform(0, 30)
response = DATA["responses"].__getitem__
responses = population.op(response)
red = population.cond(lambda person: person < 10).op(response)
blue = population.cond(lambda person: person >= 10).op(response)
ordinary_poll = monte_carlo(responses, 6)
stratified_poll = stratify(red, blue, red_share=1 / 3, red_steps=2, blue_steps=4)


@entry("003.poll.response_law")
def _():
    return {
        "population_pmf": responses,
        "mean": expect(responses),
        "variance": variance(responses),
        "red_pmf": red,
        "red_mean": expect(red),
        "red_variance": variance(red),
        "blue_pmf": blue,
        "blue_mean": expect(blue),
        "blue_variance": variance(blue),
    }


@entry("003.poll.ordinary")
def _():
    blue_ones = population.prob(lambda person: person >= 10 and response(person) == 1)
    six_draws = iid(population.op(lambda person: person >= 10), 6)
    return {
        "mean": expect(ordinary_poll),
        "variance": variance(ordinary_poll),
        "support_size": len(ordinary_poll),
        "min": ordinary_poll.values[0],
        "max": ordinary_poll.values[-1],
        "P(estimate=1)": ordinary_poll.prob(1),
        "P(all six draws blue)": six_draws.prob(lambda *from_blue: all(from_blue)),
        "P(all draws blue | estimate=1)": blue_ones**6 / ordinary_poll.prob(1),
    }


@entry("003.poll.stratified")
def _():
    return law(stratified_poll) | {
        "ratio_ordinary_over_stratified": variance(ordinary_poll) / variance(stratified_poll),
        "support_size": len(stratified_poll),
        "min": stratified_poll.values[0],
        "max": stratified_poll.values[-1],
    }


@entry("003.poll.outliers")
def _():
    lowest, highest = stratified_poll.values[[0, -1]]
    return {
        "stratified_range": [lowest, highest],
        "ordinary_range": ordinary_poll.values[[0, -1]],
        "ordinary_mass_below": ordinary_poll.prob(lambda v: v < lowest - 1e-9),
        "ordinary_mass_above": ordinary_poll.prob(lambda v: v > highest + 1e-9),
    }


@entry("003.poll.decomposition")
def _():
    county = Var(["red", "blue"], [1 / 3, 2 / 3])
    within = expect(county, {"red": variance(red), "blue": variance(blue)}.get)
    between = variance(county.op({"red": expect(red), "blue": expect(blue)}.get))
    proportional = stratified([red, blue], [1 / 3, 2 / 3], [2, 4])
    return {"within": within, "between": between, "total": within + between, "within/6": variance(proportional)}


@entry("003.poll.float_support")
def _():
    def sums(x, steps):
        return functools.reduce(lambda seen, _: {a + b for a in seen for b in x.values.tolist()}, range(steps), {0.0})

    # What equality of bits would find: the same weighted means in floats, kept apart wherever they round apart.
    bitwise = {1 / 3 * (a / 2) + (1 - 1 / 3) * (b / 4) for a in sums(red, 2) for b in sums(blue, 4)}
    return {"exact_support": len(stratified_poll), "float64_distinct_naive": len(bitwise)}


# Control variates


def terms(j):
    """The variance of a controlled draw A - B, term by term."""
    return {
        "mean": expect(sub(j)),
        "var_A": variance(j[0]),
        "var_B": variance(j[1]),
        "cov": covar(j),
        "var_adjusted": variance(sub(j)),
    }


def printed_terms(j, steps):
    """The same terms, of one draw and of the mean of `steps` draws."""
    adjusted = monte_carlo_with_control(j, steps)
    return terms(j) | {
        "two_cov": 2 * covar(j),
        "mc_var_A": variance(monte_carlo(j[0], steps)),
        "mc_var_B": variance(monte_carlo(j[1], steps)),
        "mc_two_cov": 2 * covar(j) / steps,
        "mc_var_adjusted": variance(adjusted),
        "mean_B": expect(j[1]),
        "mc_pmf": adjusted,
    }


linear_f = on_die(DATA["linear_f"])
quadratic_f = on_die(DATA["quadratic_f"])


@entry("003.cv.centered_coin")
def _():
    coin = uniform(0, 2).op(lambda a: 2 * a - 1)
    j = shared(coin).op(lambda a: 2 * a, lambda b: b)
    return {
        "var1": variance(j[0]),
        "var2": variance(j[1]),
        "cov": covar(j),
        "result": variance(j.sub()),
        "reduction_condition_2cov_gt_var2": 2 * covar(j) > variance(j[1]),
    }


@entry("003.cv.linear")
def _():
    return printed_terms(linear_control(die, linear_f, b=3), 5)


@entry("003.cv.linear_best_b")
def _():
    b_star = best_coefficient(linear_control(die, linear_f, b=1))
    best = linear_control(die, linear_f, b=b_star)
    return {
        "b_star": b_star,
        "var_adjusted": variance(best.sub()),
        "mc5_var": variance(monte_carlo_with_control(best, 5)),
        "var_at_b3": variance(linear_control(die, linear_f, b=3).sub()),
    }


@entry("003.cv.linear_exact_case")
def _():
    def row(b):
        j = linear_control(die, lambda a: 10 + 3 * a, b=b)
        adjusted = monte_carlo_with_control(j, 5)
        return {"mean": expect(adjusted), "var_adjusted": variance(j.sub()), "mc_var_adjusted": variance(adjusted)}

    return {f"b={b}": row(b) for b in (-3, 0, 3, 6, 9)}


@entry("003.cv.linear_widget_frames")
def _():
    def frame(bend):
        j = linear_control(die, lambda a: linear_f(a) + bend * ((a - 3.5) ** 2 - 35 / 12), b=3)
        return terms(j) | {"mc_var_adjusted": variance(monte_carlo_with_control(j, 5))}

    return {f"{bend:.1f}": frame(bend) for bend in np.arange(21) / 10}


@entry("003.cv.quadratic")
def _():
    return printed_terms(quadratic_control(die, quadratic_f, a=1, b=2), 5)


# Example: A/B tests

people = uniform(0, 4)


def initial(person):
    return -0.25 * (person % 2)


def untreated(person):
    return 2 * initial(person) + person % 2


def treated(person):
    return untreated(person) + 1


raw_difference = ab_sampling(people, treated, untreated, steps=5)


def single_pair():
    """(treated(U) - untreated(V), initial(U) - initial(V)) for one independent pair of people."""
    both = indep(people, people).combine(lambda u, v: (u, v))
    return shared(both).op(
        lambda uv: treated(uv[0]) - untreated(uv[1]),
        lambda uv: initial(uv[0]) - initial(uv[1]),
    )


@entry("003.ab.raw")
def _():
    return law(raw_difference) | {"support_size": len(raw_difference)}


@entry("003.ab.b1")
def _():
    adjusted = ab_test(people, treated, untreated, initial, b=1, steps=5)
    return law(adjusted) | {
        "support_size": len(adjusted),
        "ratio_to_raw": variance(adjusted) / variance(raw_difference),
        "cov_single(raw,B)": covar(single_pair()),
    }


@entry("003.ab.sweep")
def _():
    def row(b):
        adjusted = ab_test(people, treated, untreated, initial, b=b, steps=5)
        return {"mean": expect(adjusted), "mc5_variance": variance(adjusted)}

    best = best_coefficient(single_pair())
    return {str(Fraction(b)): row(b) for b in grid(-4, 2)} | {
        "best_b": best,
        "best_variance": row(best)["mc5_variance"],
    }


# Example: KL divergence

p = weighted_die([1, 2, 3, 4, 5, 6])
q = uniform(1, 7)
exact_kl = kl(p, q)


def log_ratio(a):
    return p.log_prob(a) - q.log_prob(a)


@entry("003.kl.exact")
def _():
    return {"KL_p_q": exact_kl, "KL_q_p": kl(q, p)}


@entry("003.kl.weighted_die")
def _():
    return law(p)


@entry("003.kl.k1")
def _():
    draw = k1(p, q)
    five = monte_carlo(draw, 5)
    return {
        "mean": expect(draw),
        "variance": variance(draw),
        "mc5_variance": variance(five),
        "values": {str(a): log_ratio(a) for a in range(1, 7)},
        "min": draw.values[0],
        "P(k1<0)": draw.prob(lambda v: v < 0),
        "P(5-sample mean<0)": five.prob(lambda v: v < 0),
    }


@entry("003.kl.k2")
def _():
    draw = k2(p, q)
    bias = expect(draw) - exact_kl
    five = monte_carlo(draw, 5)
    return {
        "mean": expect(draw),
        "bias": Cancelling(bias, exact_kl),
        "variance": variance(draw),
        "mc5_variance": variance(five),
        "mse_mc5": variance(five) + bias**2,
    }


@entry("003.kl.k3_terms")
def _():
    j = kl_k3(p, q, b=-1)
    draw = sub(j)
    five = monte_carlo(draw, 5)
    return {
        "var_k1": variance(j[0]),
        "var_ratio": variance(j[1]),
        "cov(k1,ratio)": covar(kl_k3(p, q, b=1)),
        "mc5_var1": variance(monte_carlo(j[0], 5)),
        "mc5_var2": variance(monte_carlo(j[1], 5)),
        "mc5_2cov": 2 * covar(j) / 5,
        "mc5_var_adjusted": variance(five),
        "single_var_k3": variance(draw),
        "mean": expect(five),
        "min_k3": Cancelling(draw.values[0], 0.1),
        "reduction_factor": variance(j[0]) / variance(draw),
    }


@entry("003.kl.k3_b1_cov")
def _():
    j = kl_k3(p, q, b=1)
    return {
        "cov": covar(j),
        "mc5_cov": covar(j) / 5,
        "var_adjusted_b1": variance(j.sub()),
        "mc5_var_adjusted_b1": variance(monte_carlo_with_control(j, 5)),
    }


@entry("003.kl.k3_best_b")
def _():
    b_star = best_coefficient(kl_k3(p, q, b=1))
    best = kl_k3(p, q, b=b_star)
    return {
        "b_star": b_star,
        "var_at_b_star": variance(best.sub()),
        "mc5_var_at_b_star": variance(monte_carlo_with_control(best, 5)),
        "var_at_b_-1": variance(kl_k3(p, q, b=-1).sub()),
        "corr_sq": correlation(best) ** 2,
    }


@entry("003.kl.k3_b_sweep")
def _():
    def row(b):
        draw = kl_k3(p, q, b=b).sub()
        return {"mean": expect(draw), "variance": variance(draw), "min": Cancelling(min(draw.values), 1)}

    return {f"{b:g}": row(b) for b in grid(-2, 1)}


@entry("003.kl.topk")
def _():
    ranked = sorted(range(1, 7), key=p.prob, reverse=True)

    def row(k):
        top = ranked[:k]
        conditional = kl_topk(p, q, k)
        masked = topk(p, log_ratio, k, masked=True)
        return {
            "top": top,
            "remaining_mass": p.prob(lambda a: a not in top),
            "exact_part": math.fsum(p.prob(a) * log_ratio(a) for a in top),
            "conditional_mean": expect(conditional),
            "conditional_variance": variance(conditional),
            "conditional_mc5_variance": variance(monte_carlo(conditional, 5)),
            "masked_mean": expect(masked),
            "masked_variance": variance(masked),
            "masked_mc5_variance": variance(monte_carlo(masked, 5)),
        }

    return {str(k): row(k) for k in range(7)}


@entry("003.kl.estimator_ranking")
def _():
    draws = {
        "k1": k1(p, q),
        "k2(biased)": k2(p, q),
        "k3": sub(kl_k3(p, q)),
        "topk3_conditional": kl_topk(p, q, 3),
        "topk3_masked": topk(p, log_ratio, 3, masked=True),
    }
    return {name: variance(monte_carlo(draw, 5)) for name, draw in draws.items()}


# Example: model training

TEMPERATURE = 3.0
action = softmax(np.arange(8), temperature=TEMPERATURE)
mean_action = expect(action)


def score(a):
    """d/dT log p_T(a) of the softmax policy with logits a/T."""
    return (mean_action - a) / TEMPERATURE**2


draws = shared(action).op(lambda a: a, score)


def reinforce(baseline):
    """(A - b) * score(A); a baseline that is a Var is drawn independently of A."""
    return draws.op(lambda a: a - baseline, lambda s: s).mul()


@entry("003.rl.policy_T3")
def _():
    return {
        "probs": action.probs,
        "mean": mean_action,
        "variance": variance(action),
        "second_moment": moment(action, 2),
        "third_central_moment": expect(action, lambda a: (a - mean_action) ** 3),
        "fourth_central_moment": expect(action, lambda a: (a - mean_action) ** 4),
        "sum": math.fsum(action.probs),
    }


@entry("003.rl.policy_T_slider")
def _():
    def row(temperature):
        x = softmax(np.arange(8), temperature=temperature)
        return {
            "probs": x.probs,
            "mean": expect(x),
            "variance": variance(x),
            "gradient": -variance(x) / temperature**2,
        }

    return {f"{t:g}": row(t) for t in (0.25, 0.5, 0.7, 1, 2, 3, 5, 8, 20)}


@entry("003.rl.score")
def _():
    return {
        "scores": [score(a) for a in action.values],
        "mean": expect(draws[1]),
        "variance": variance(draws[1]),
    }


@entry("003.rl.exact_gradient")
def _():
    return {"gradient": -variance(action) / TEMPERATURE**2}


@entry("003.rl.reinforce")
def _():
    draw = mul(draws)
    return {
        "mean": expect(draw),
        "variance": variance(draw),
        "mc5_variance": variance(monte_carlo(draw, 5)),
        "mc2_variance": variance(monte_carlo(draw, 2)),
        "values": [a * score(a) for a in action.values],
    }


def constant_baseline(b):
    draw = reinforce(b)
    return {
        "mean": expect(draw),
        "variance": variance(draw),
        "mc5_variance": variance(monte_carlo(draw, 5)),
        "mc2_variance": variance(monte_carlo(draw, 2)),
    }


@entry("003.rl.baseline4")
def _():
    return constant_baseline(4.0)


@entry("003.rl.optimal_baseline")
def _():
    # Var((r - b) s) is a parabola in b with its minimum at b* = E[r s^2] / E[s^2], equal at 0 and at 2 b*.
    b_star = expect(draws.op(lambda a: a, lambda s: s**2).mul()) / expect(draws[1], lambda s: s**2)
    at_star, at_mean, at_zero = (variance(reinforce(b)) for b in (b_star, mean_action, 0))
    return {
        "b_star": b_star,
        "variance_at_b_star": at_star,
        "b_mean": mean_action,
        "variance_at_mean": at_mean,
        "variance_at_0": at_zero,
        "variance_lower_than_raw_for_b_in": [0, 2 * b_star],
        "reduction_at_mean": at_zero / at_mean,
        "reduction_at_star": at_zero / at_star,
    }


@entry("003.rl.baseline_sweep")
def _():
    def row(b):
        all_numbers = constant_baseline(b)
        return {
            "mean": all_numbers["mean"],
            "single_variance": all_numbers["variance"],
            "mc2_variance": all_numbers["mc2_variance"],
        }

    rows = {f"{b:g}": row(b) for b in grid(-4, 8)}
    return rows | {"best_on_grid": float(min(rows, key=lambda b: rows[b]["single_variance"]))}


@entry("003.rl.loo")
def _():
    def row(n):
        single = reinforce(leave_one_out(action, n))
        group = leave_one_out_gradient(draws, n)
        # r_i - mean(r) = (n-1)/n * (r_i - mean of the others), whatever the sample.
        included = group * ((n - 1) / n)
        return {
            "single_term_mean": expect(single),
            "single_term_variance": variance(single),
            "group_average_mean": expect(group),
            "group_average_variance": variance(group),
            "plain_reinforce_mean_of_n_variance": variance(monte_carlo(reinforce(0), n)),
            "oracle_baseline_mean_of_n_variance": variance(monte_carlo(reinforce(mean_action), n)),
            "group_mean_included_mean": expect(included),
            "group_mean_included_variance": variance(included),
        }

    return {str(n): row(n) for n in (2, 3, 4, 5, 6)}


@entry("003.rl.loo_is_sample_variance")
def _():
    return {
        "mu4": expect(action, lambda a: (a - mean_action) ** 4),
        "sigma2": variance(action),
        "variance_n": {str(n): variance(leave_one_out_gradient(draws, n)) for n in (2, 3, 4, 5, 6)},
    }


@entry("003.rl.loo_repo_seeded")
def _():
    baseline = statistics.mean(DATA["loo_draws"])
    seeded = constant_baseline(baseline)
    return {
        "baseline": baseline,
        "mean": seeded["mean"],
        "variance": seeded["variance"],
        "true_single_term_variance_n3": variance(reinforce(leave_one_out(action, 3))),
        "true_group_average_variance_n3": variance(leave_one_out_gradient(draws, 3)),
    }


@entry("003.rl.baseline_any_constant")
def _():
    def mean(b):
        draw = reinforce(b)
        return Cancelling(expect(draw), expect(draw, abs))

    return {f"{b:.7g}": mean(b) for b in (-100, 0, 3.14, 10**6)}


@entry("003.rl.dependent_baseline_biased")
def _():
    def own_mean_included(n):
        def group_average(*sample):
            centre = sum(sample) / n
            return sum((a - centre) * score(a) for a in sample) / n

        return expect(iid(action, n).combine(group_average))

    return {
        "own_reward_mean": expect(draws.op(lambda a: a - a, lambda s: s).mul()),
        "group_mean_incl_n2": own_mean_included(2),
        "group_mean_incl_n3": own_mean_included(3),
        "exact_gradient": expect(reinforce(0)),
    }


def test_leave_one_out_average_is_the_sample_variance():
    """With reward A the group average is -S^2/T^2 on every sample, so the two laws are one."""
    for n in (2, 3):
        group = leave_one_out_gradient(draws, n)
        by_samples = iid(action, n).combine(lambda *sample: -statistics.variance(sample) / TEMPERATURE**2)
        assert len(group) == len(by_samples)
        np.testing.assert_allclose(group.values, by_samples.values, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(group.probs, by_samples.probs, rtol=1e-12)


def test_control_variate_names_are_one_calculation():
    """linear_control and quadratic_control are control_variate with the mean worked out."""
    by_hand = control_variate(die, linear_f, lambda a: a, known_mean=3.5, b=3)
    named = linear_control(die, linear_f, b=3)
    np.testing.assert_array_equal(by_hand.weights, named.weights)
    np.testing.assert_allclose(
        np.asarray(list(by_hand.outcomes), float), np.asarray(list(named.outcomes), float), rtol=1e-15
    )
