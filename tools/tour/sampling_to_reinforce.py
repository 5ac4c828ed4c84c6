"""What "From Sampling to Reinforce" prints and asserts, computed as its cells do."""

from __future__ import annotations

import numpy as np

from randvar import (
    Joint,
    Var,
    covar,
    expect,
    indep,
    k1,
    k2,
    kl,
    monte_carlo,
    shared,
    softmax,
    stratify,
    uniform,
    variance,
    weighted_die,
)
from randvar.examples.sampling_to_reinforce import (
    kl_k3,
    kl_topk,
    leave_one_out,
    quadratic_control,
    quadratic_f,
    response,
)
from tools.tour.table import Article, Asserted, Printed, Row

__all__ = ["article"]

DIE = uniform(1, 7)


def article() -> Article:
    """All numbers of the article, in its order."""
    return Article(
        "From Sampling to Reinforce",
        [*_one_variable(), *_joints(), *_sampling(), *_polling(), *_controls(), *_divergence(), *_policy_gradient()],
    )


def _one_variable() -> list[Row]:
    section = "Discrete Random Variables"
    eight = Var(np.arange(1, 9), np.array([1, 3, 1, 3, 1, 3, 1, 3]) / 16)
    return [
        Printed(section, "E[X]", "4.75", lambda: expect(eight)),
        Printed(section, "Var(X)", "5.1875", lambda: variance(eight)),
        Printed(section, "Var(bX) at b = 1", "5.19", lambda: variance(1 * eight)),
    ]


def _joints() -> list[Row]:
    section = "Joint Random Variables"
    two_dice, same_die = indep(DIE, DIE), shared(DIE)
    return [
        Asserted(section, "Cov of two independent dice", "= 0", lambda: covar(two_dice), lambda: 0.0),
        Asserted(section, "Cov of one die seen twice", "= Var(X)", lambda: covar(same_die), lambda: variance(DIE)),
        Printed(section, "Cov(X, Y), independent", "0.000", lambda: covar(two_dice)),
        Printed(section, "Var(X)", "2.917", lambda: variance(DIE)),
        Printed(section, "Var(X + Y), independent", "5.833", lambda: variance(two_dice.add())),
    ]


def _sampling() -> list[Row]:
    coin = uniform(0, 2).op(lambda a: 2 * a - 1)
    return [Printed("Monte Carlo Sampling", "Var of one coin flip", "1.00", lambda: variance(monte_carlo(coin, 1)))]


def _polling() -> list[Row]:
    section = "Example: Polling"
    population = uniform(0, 30)
    red = population.cond(lambda person: person < 10).op(response)
    blue = population.cond(lambda person: person >= 10).op(response)
    ordinary = monte_carlo(population.op(response), 6)
    stratified = stratify(red, blue, red_share=1 / 3, red_steps=2, blue_steps=4)
    return [
        Printed(section, "Var of the ordinary poll", "0.671", lambda: variance(ordinary)),
        Printed(section, "Var of the stratified poll", "0.107", lambda: variance(stratified)),
    ]


def _controls() -> list[Row]:
    section = "Control Variates"
    coin = uniform(0, 2).op(lambda a: 2 * a - 1)
    pair = shared(coin).op(lambda a: 2 * a, lambda b: b)
    return [
        Printed(section, "coin: Var 1", "4.00", lambda: variance(pair[0])),
        Printed(section, "coin: Var 2", "1.00", lambda: variance(pair[1])),
        Printed(section, "coin: Cov", "2.00", lambda: covar(pair)),
        Printed(section, "coin: Var(result)", "1.00", lambda: variance(pair.sub())),
        *_adjusted(
            section,
            "quadratic",
            quadratic_control(DIE, quadratic_f, a=1, b=2),
            ("46.5611", "48.4944", "94.9222", "0.133333"),
        ),
    ]


def _adjusted(section: str, name: str, pair: Joint, stated: tuple[str, str, str, str], steps: int = 5) -> list[Row]:
    """The four numbers printed under a control: all of the mean of `steps` draws."""
    return [
        Printed(section, f"{name}: Var 1", stated[0], lambda: variance(monte_carlo(pair[0], steps))),
        Printed(section, f"{name}: Var 2", stated[1], lambda: variance(monte_carlo(pair[1], steps))),
        Printed(section, f"{name}: 2 Cov", stated[2], lambda: 2 * covar(monte_carlo(pair, steps))),
        Printed(section, f"{name}: Var(adjusted)", stated[3], lambda: variance(monte_carlo(pair.sub(), steps))),
    ]


def _divergence() -> list[Row]:
    section = "Example: KL Divergence"
    p, q = weighted_die([1, 2, 3, 4, 5, 6]), uniform(1, 7)
    k3 = kl_k3(p, q, b=-1)

    def unbiased(name: str, draw: Var) -> Row:
        mean = monte_carlo(draw, 5)
        return Asserted(section, f"E[mean of 5 {name}]", "= KL(p || q)", lambda: expect(mean), lambda: kl(p, q))

    return [
        Printed(section, "KL(p || q)", "0.129383", lambda: kl(p, q)),
        unbiased("k1", k1(p, q)),
        Printed(section, "E[k2]", "0.112323", lambda: expect(k2(p, q))),
        *_adjusted(section, "k3", k3, ("0.0415811", "0.0858333", "0.114241", "0.013173")),
        unbiased("k3", k3.sub()),
        unbiased("top-3", kl_topk(p, q, 3)),
    ]


def _policy_gradient() -> list[Row]:
    section = "Example: Model Training"
    temperature = 3.0
    action = softmax(range(8), temperature=temperature)
    mean = expect(action)
    pair = shared(action).op(lambda a: a, lambda a: (mean - a) / temperature**2)
    baseline = leave_one_out(temperature, n=3)
    gradient = pair.op(lambda a: a - baseline, lambda score: score).mul()
    return [
        Asserted(section, "E[score]", "= 0", lambda: expect(pair[1]), lambda: 0.0),
        Asserted(
            section,
            "E[leave-one-out gradient]",
            "= -Var(A)/T²",
            lambda: expect(gradient),
            lambda: -variance(action) / temperature**2,
        ),
    ]
