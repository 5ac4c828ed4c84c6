"""Every code cell of the article "From Sampling to Reinforce" as it is printed, sliders included, in one namespace.

What the law of an estimator must be is tested in test_sampling_to_reinforce_cells.py; here it is that each cell runs,
what it prints, and what it shows: of a slider the frame that the article shows before anyone moves it.
"""

import ast
import contextlib
import io

import IPython.display

from randvar.plots import Slider
from randvar.plots.picture import Picture

CELLS = [
    "from randvar import *\nfrom randvar.examples.sampling_to_reinforce import *",
    """
eight = Var(np.arange(1, 9),
            np.array([1, 3, 1, 3, 1, 3, 1, 3])/16)

histogram(eight)
""",
    """
histogram_row(eight.op(lambda a: a * 2), eight.cond(lambda a: a < 6),
              labels=("Double the value", "Keep values below 6"))
""",
    """
def expect(x: Var) -> float:
    return float(x.values @ x.probs)

print(f"E[X] = {expect(eight):.2f}")
""",
    """
def variance(x: Var) -> float:
    mean = expect(x)
    return expect(x.op(lambda value: (value - mean)**2))

print(f"Var(X) = {variance(eight):.4f}")
display(scaled_variance_slider(eight))
""",
    """
joint_example = Joint([0, 2, 5], [0, 1],
                      [[1/12, 1/12], [1/6, 1/4], [1/4, 1/6]])
histogram(joint_example)
""",
    """
transformed = joint_example.op(lambda a: 2 * a, lambda b: -1 * b + 3)
histogram(transformed)
""",
    "histogram(transformed.add())",
    """
die = uniform(1, 7)
two_dice = indep(die, die)
histogram(two_dice)
""",
    """
two_dice_shared = shared(die)
histogram(two_dice_shared)
""",
    """
histogram_row(two_dice.add(), two_dice_shared.add(),
              labels=("Independent", "Shared"))
""",
    """
assert np.isclose(covar(two_dice), 0)
assert np.isclose(covar(two_dice_shared), variance(die))
display(covariance_interpolation_slider(die))
""",
    "display(sum_variance_slider(die))",
    """
def monte_carlo_with_randomness(f, T):
    import random
    return sum(f(random.randint(1, 6)) for _ in range(T)) / T
""",
    """
def monte_carlo(f_x: Var, steps: int) -> Var:
    total = f_x.op(lambda value: 0)
    for _ in range(steps):
        total = add(indep(total, f_x))
    return total.op(lambda value: value / steps)
""",
    """
histogram(die.op(f))
check("single", monte_carlo(die.op(f), 1), variance_diagram=True)
""",
    """check("ten", monte_carlo(die.op(f), 10))""",
    "display(coin_variance_slider(20))",
    """
population = uniform(0, 30)
group = lambda person: person < 10
ordinary_poll = monte_carlo(population.op(response), 6)
histogram(ordinary_poll)
""",
    """
red = population.cond(group).op(response)
blue = population.cond(lambda person: not group(person)).op(response)
stratified_poll = stratify(red, blue, red_share=1/3, red_steps=2, blue_steps=4)
print(f"Sampling variance: {variance(ordinary_poll):.3f} → {variance(stratified_poll):.3f}")
density(stratified_poll, without=ordinary_poll,
        comparison_labels=("ordinary poll", "stratified poll"))
""",
    """
def control_variate(x: Var, f: Fn, h: Fn,
                    known_mean: float, b: float = 1) -> Joint:
    return shared(x).op(f, lambda a: b*(h(a)-known_mean))

def monte_carlo_with_control(pair: Joint, steps: int) -> Var:
    return monte_carlo(pair.sub(), steps)
""",
    """
centered_coin = uniform(0, 2).op(lambda a: 2*a - 1)
decomposition = shared(centered_coin).op(lambda a: 2*a, lambda b: b)
variance_reduction_3d(decomposition)
""",
    """
pair: Joint = linear_control(die, linear_f, b=3)
display(linear_control_widget(die, linear_f, b=3, steps=5))
""",
    """
pair: Joint = quadratic_control(die, quadratic_f, a=1, b=2)
show_control(pair, steps=5, density_view=True)
check("quadratic", monte_carlo(sub(pair), 5), plot=False)
""",
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
    """
adjusted_difference = ab_test(population, treated, untreated, initial, b=1, steps=5)
density(adjusted_difference, without=raw_difference)
""",
    "display(ab_control_widget(population, treated, untreated, initial, steps=5))",
    """
p = weighted_die([1, 2, 3, 4, 5, 6])
q = uniform(1, 7)
exact_kl = kl(p, q)
print(f"Exact KL(p || q) = {exact_kl:.6f}")
""",
    """
def k1(p: Var, q: Var) -> Var:
    return p.op(lambda a: p.log_prob(a) - q.log_prob(a))

k1_draw = k1(p, q)
k1_samples = monte_carlo(k1_draw, 5)
check("kl", k1_samples, plot=False)
display(monte_carlo_samples_slider(k1_draw, labels=("k1",)))
assert np.isclose(expect(k1_samples), exact_kl)
""",
    """
def k2(p: Var, q: Var) -> Var:
    return p.op(lambda a: 0.5 * (p.log_prob(a) - q.log_prob(a))**2)

k2_draw = k2(p, q)
print(f"k2 expectation = {expect(k2_draw):.6f}; exact KL = {exact_kl:.6f}")
histogram(k2_draw)
""",
    """
display(monte_carlo_samples_slider(k2_draw, without=k1_draw,
                                   labels=("k1", "k2")))
""",
    """
def kl_k3(p: Var, q: Var, b: float = -1) -> Joint:
    return control_variate(
        p, lambda a: p.log_prob(a) - q.log_prob(a),
        lambda a: q.prob(a) / p.prob(a), known_mean=1, b=b)

pair: Joint = kl_k3(p, q, b=1)
covariance_3d(pair, max_post_labels=0)
""",
    """
pair = kl_k3(p, q, b=-1)
show_control(pair, steps=5, density_view=True, show=False)
k3_draw = sub(pair)
k3_samples = monte_carlo(k3_draw, 5)
check("k3", k3_samples, plot=False)
display(monte_carlo_samples_slider(k3_draw, without=k1_draw,
                                   labels=("k1", "k3")))
assert np.isclose(expect(k3_samples), exact_kl)
""",
    """
def kl_topk(p: Var, q: Var, k: int) -> Var:
    return topk(p, lambda a: np.log(p.prob(a)/q.prob(a)) if p.prob(a) else 0.0, k)


topk_draw = kl_topk(p, q, 3)
topk_samples = monte_carlo(topk_draw, 5)
check("topk", topk_samples, plot=False)
assert np.isclose(expect(topk_samples), exact_kl)
display(monte_carlo_samples_slider(topk_draw, without=k1_draw,
                                   labels=("k1", "top-k")))
""",
    """
def policy(temperature: float) -> Var:
    logits = np.arange(8, dtype=float)
    weights = np.exp((logits - logits.max()) / temperature)
    return Var(logits, weights / weights.sum())

temperature = 3.0
action = policy(temperature)
display(temperature_policy_slider(policy, temperature))
""",
    '''
def temperature_score(action: float, mean_action: float, temperature: float) -> float:
    """Derivative of log p_T(action) with respect to T."""
    return (mean_action - action) / temperature**2


score: Var = action.op(lambda a: temperature_score(a, expect(action), temperature))
histogram(score)
assert np.isclose(expect(score), 0)
''',
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
display(monte_carlo_samples_slider(gradient_draw, labels=("Reinforce",)))
""",
    '''
def reinforce_control(r: Fn, b: float, score: Joint) -> Var:
    """Subtract a constant baseline from the reward, then multiply by the score."""
    return score.op(lambda a: r(a) - b, lambda s: s).mul()


controlled_draw = reinforce_control(r, 4.0, score_joint)
controlled_samples = monte_carlo(controlled_draw, 5)
display(reinforce_baseline_slider(reinforce_control, r, score_joint, steps=2))
''',
    """
baseline = leave_one_out(temperature, n=3)
gradient = reinforce_control(r, baseline, score_joint)

display(monte_carlo_samples_slider(gradient, without=gradient_draw,
                                   labels=("Reinforce", "Leave-one-out")))
assert np.isclose(expect(gradient), exact_gradient)
""",
]

PRINTED = [
    "E[X] = 4.75",
    "Var(X) = 5.1875",
    "Sampling variance: 0.671 → 0.107",
    "Var 1 = 4.00; Var 2 = 1.00; Cov = 2.00",
    "Var(result) = 4.00 + 1.00 − 2 × (2.00) = 1.00",
    "Gray: raw estimate | Blue: estimate minus control",
    "Var 1 = 46.5611; Var 2 = 48.4944; 2 Cov = 94.9222",
    "Var(adjusted) = 46.5611 + 48.4944 - (94.9222) = 0.133333",
    "Exact KL(p || q) = 0.129383",
    "k2 expectation = 0.112323; exact KL = 0.129383",
    "Gray: raw estimate | Blue: estimate minus control",
    "Var 1 = 0.0415811; Var 2 = 0.0858333; 2 Cov = 0.114241",
    "Var(adjusted) = 0.0415811 + 0.0858333 - (0.114241) = 0.013173",
]

# The caption below each slider as the article prints it, or how one begins that it does not print: then the number is
# that of the slider's own test.
CAPTIONS = [
    "Var(bX) = 5.19",
    "Cov(X,Y) = 0.000;  Var(X) = 2.917",
    "Var(X + Y) = 2.917 + 2.917 + 2 × 0.000 = 5.833",
    "Variance = 1/1 = 1.00",
    "Var 1 = ",
    "Var 1 = ",
    "k1: mean 0.1294, ",
    "k2: mean 0.1123, ",
    "k3: mean 0.1294, ",
    "top-k: mean 0.1294, ",
    "Mean = ",
    "Reinforce: mean −0.4201, ",
    "Mean = −0.4201 ",
    "Leave-one-out: mean −0.4201, ",
]


PICTURES = 17  # last lines of cells that are pictures


def test_the_cells_of_the_article_run_as_printed():
    shown, printed = [], io.StringIO()

    def display(item):
        shown.append(item)
        IPython.display.display(item)

    namespace = {"display": display}
    with contextlib.redirect_stdout(printed):
        for cell in CELLS:
            run(ast.parse(cell), namespace, shown)
    assert [line for line in printed.getvalue().splitlines() if not line.startswith(("<Slider", "<Picture"))] == PRINTED
    assert sum(isinstance(item, Picture) for item in shown) == PICTURES
    sliders = [item for item in shown if isinstance(item, Slider)]
    captions = [slider.frame(slider.active).report for slider in sliders]
    assert [caption[: len(begin)] for caption, begin in zip(captions, CAPTIONS, strict=True)] == CAPTIONS
    assert captions[:4] == CAPTIONS[:4]
    for item in shown:
        bundle = item._repr_mimebundle_()
        assert len(bundle["text/html"]) < 60 * 1024
        assert "://" not in bundle["text/html"]


def run(cell, namespace, shown):
    """Execute a cell as a notebook does: the value of a last expression is shown, unless it is None."""
    last = cell.body.pop() if isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, "<cell>", "exec"), namespace)
    value = eval(compile(ast.Expression(last.value), "<last line>", "eval"), namespace) if last else None
    if value is not None:
        shown.append(value)
