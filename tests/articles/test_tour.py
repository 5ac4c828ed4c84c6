"""The tables of the tour: every number agrees, and one that did not would be seen and fail the command."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import lognorm, norm

from randvar import bernoulli, importance_weights, moment, sampling_distribution, std
from tools.tour import language_model_rl, mathematical_tools, sampling_to_reinforce
from tools.tour.__main__ import main
from tools.tour.table import Article, Asserted, Mistaken, Printed, Sampled, render

ARTICLES = [module.article() for module in (sampling_to_reinforce, mathematical_tools, language_model_rl)]
TOOLS = {(row.section, row.what): row for row in ARTICLES[1].rows}
# Computed without the package, from the same logits, in fractions or to 60 digits.
EXACT = json.loads((Path(__file__).parents[1] / "support" / "reference" / "tour.json").read_text())
EXACT = {(section, what): Fraction(number) for section, numbers in EXACT.items() for what, number in numbers.items()}


@pytest.mark.parametrize("row", [row for article in ARTICLES for row in article.rows], ids=lambda row: row.what)
def test_number_agrees(row):
    assert row.holds(), f"{row.section}, {row.what}: {row.stated} stated, {row.computed()} computed"


@pytest.mark.parametrize("name", EXACT, ids=lambda name: name[1])
def test_computed_number_is_exact(name):
    assert TOOLS[name].computed() == pytest.approx(float(EXACT[name]), rel=1e-12, abs=1e-15)


def test_every_number_has_an_exact_one_but_the_largest_weights():
    assert {what for section, what in TOOLS.keys() - EXACT.keys()} == {f"T = {T}: max(w)" for T in (1, 10, 100, 1000)}


@pytest.mark.parametrize(
    ("stated", "computed", "agrees"),
    [
        ("4.75", 4.75, True),
        ("5.19", 5.1875, True),
        ("5.19", 5.184, False),
        ("0.000", -1e-17, True),
        ("0.000", 6e-4, False),
        ("2.5", 2.45, True),  # a tie: 2.4 and 2.5 are both its rounding
        ("0.0415811", 0.04158110929526389, True),
        ("0.0415812", 0.04158110929526389, False),
        ("1.00", float("nan"), False),
    ],
)
def test_agreement_is_at_the_printed_precision(stated, computed, agrees):
    assert Printed("", "", stated, lambda: computed).holds() is agrees


def test_an_equality_is_held_to_rounding():
    assert Asserted("", "", "= 0", lambda: 1e-17, lambda: 0.0).holds()
    assert not Asserted("", "", "= 0.3", lambda: 0.3 + 1e-9, lambda: 0.3).holds()


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [
        ("10.00", "yes"),
        ("10.15", "+1.4 s.e."),  # what was cut off by printing counts for the article
        ("9.80", "-1.9 s.e."),
        ("10.20", "+1.9 s.e."),
        ("10.21", "NO"),
        ("9.79", "NO"),
    ],
)
def test_a_sampled_number_lies_within_two_standard_errors(stated, verdict):
    row = Sampled("", "", stated, lambda: 10.0, lambda v: (v - 10.0) / 0.1)
    assert row.verdict() == verdict
    assert row.holds() is (verdict != "NO")


def test_a_sampled_number_is_not_near_one_that_is_not_a_number():
    assert not Sampled("", "", "1.0", lambda: math.nan, lambda v: (v - math.nan) / 0.1).holds()


@pytest.mark.parametrize(
    ("computed", "other", "verdict"),
    [(2.0, 2.0, "sample misleads"), (2.0, 2.1, "NO"), (1.0, 1.0, "NO"), (math.nan, math.nan, "NO")],
)
def test_a_mistake_needs_two_computations_of_the_truth(computed, other, verdict):
    row = Mistaken("", "", "1.0", lambda: computed, lambda: other, "sample misleads")
    assert row.verdict() == verdict
    assert row.holds() is (verdict != "NO")


def test_the_mistakes_of_the_article_are_shown_as_such():
    shown = {row.what: row.verdict() for row in ARTICLES[1].rows if isinstance(row, Mistaken)}
    assert shown == {
        "T = 1000: std(w)": "sample misleads",
        "T = 1000: ESS fraction": "sample misleads",
        "E_q[r - 1], half of p outside q": "needs p within q",
    }
    assert render(ARTICLES[1]).endswith("; 3 do not: sample misleads (2), needs p within q (1)")


class TestStandardErrors:
    """The standard errors are those of a large sample; for 400 draws of two outcomes the exact ones are near."""

    n = 400
    x = bernoulli(0.3)

    def exact(self, statistic):
        return std(sampling_distribution(statistic, self.x, self.n, symmetric=True, vectorized=True))

    def one_error(self, row):
        return 1 / (row.deviation(row.computed() + 1) - row.deviation(row.computed()))

    def test_of_a_mean(self):
        row = mathematical_tools._mean("", "", "0.3", self.x, self.n)
        assert self.one_error(row) == pytest.approx(self.exact(lambda v: v.mean(axis=1)), rel=1e-9)

    def test_of_a_variance(self):
        row = mathematical_tools._variance("", "", "0.2", self.x, self.n)
        assert self.one_error(row) == pytest.approx(self.exact(lambda v: v.var(axis=1, ddof=1)), rel=0.01)

    def test_of_a_standard_deviation(self):
        row = mathematical_tools._std("", "", "0.5", self.x, self.n)
        assert self.one_error(row) == pytest.approx(self.exact(lambda v: v.std(axis=1, ddof=1)), rel=0.01)

    def test_of_an_effective_sample_size(self):
        w = self.x.op(lambda a: 0.4 + 2 * a)  # a weight: its mean is 1
        row = mathematical_tools._ess("", "", "0.5", w, [moment(w, k) for k in range(5)], self.n)

        def ess(v):
            weight = 0.4 + 2 * v
            return weight.sum(axis=1) ** 2 / (weight**2).sum(axis=1) / self.n

        assert self.one_error(row) == pytest.approx(self.exact(ess), rel=0.01)

    def test_of_a_largest_weight(self):
        row = mathematical_tools._largest("", "", "9.0", mean_log=-0.5, std_log=1.0, n=self.n)
        law = lognorm(s=1.0, scale=math.exp(-0.5))
        assert law.cdf(row.computed()) ** self.n == pytest.approx(0.5, rel=1e-9)
        assert norm.cdf(row.deviation(30.0)) == pytest.approx(law.cdf(30.0) ** self.n, rel=1e-9)


WRONG = Article("Wrong", [Printed("A", "one", "1.0", lambda: 1), Printed("B", "two", "2.0", lambda: 3)])


def test_a_number_that_does_not_agree_is_seen():
    text = render(WRONG)
    assert [line.split() for line in text.splitlines() if "two" in line] == [["two", "2.0", "3", "NO"]]
    assert text.endswith("1 of 2 numbers agree")


def test_the_command_fails_when_a_number_does_not_agree(monkeypatch, capsys):
    assert main() == 0
    first, second, third = (len(article.rows) for article in ARTICLES)
    out = capsys.readouterr().out
    assert f"{first} of {first} numbers agree" in out
    assert f"{second - 3} of {second} numbers agree" in out
    assert f"{third} of {third} numbers agree" in out
    for article in (sampling_to_reinforce, mathematical_tools, language_model_rl):
        with monkeypatch.context() as patch:
            patch.setattr(article, "article", lambda: WRONG)
            assert main() == 1


def test_a_wrong_law_fails_the_tour(monkeypatch):
    monkeypatch.setattr(mathematical_tools, "importance_weights", lambda p, q: importance_weights(q, p))
    wrong = [row.what for row in mathematical_tools.article().rows if not row.holds()]
    assert wrong == ["q near: ESS fraction", "q far: ESS fraction"]
