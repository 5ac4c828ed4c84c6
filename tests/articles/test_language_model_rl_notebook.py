"""The small language model: its tables are those of the exact values, and its notebook holds for other policies too."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from randvar import InvalidLaw, RandvarError
from randvar.examples import language_model_rl as article
from randvar.rollouts import discounted_returns, sequence_kl
from tools.notebooks import read
from tools.tour import language_model_rl as tour

ROOT = Path(__file__).parents[2]
REFERENCE = json.loads((ROOT / "tests" / "support" / "reference" / "language_model_rl.json").read_text())
DATA, ENTRIES = REFERENCE["data"], {name: entry["exact"] for name, entry in REFERENCE["entries"].items()}
NOTEBOOK = ROOT / "notebooks" / "03_language_model_rl.ipynb"


def test_tables_are_those_of_the_exact_values():
    assert list(article.TOKENS) == DATA["tokens"]
    tables = (article.POLICY, "policy"), (article.REFERENCE, "reference"), (article.REWARDS, "token_rewards")
    for table, name in tables:
        assert {prefix: row.split() for prefix, row in table.items()} == DATA[name]
    for table, name in ((article.PREDICTED_VALUES, "v_pred"), (article.OLD_VALUES, "v_old")):
        assert table == {prefix: Fraction(number) for prefix, number in DATA[name].items()}
    assert list(article.PACKED_REWARDS) == [Fraction(r) for r in DATA["packed"]["rewards"]]
    assert list(article.PACKED_DONE) == [bool(d) for d in DATA["packed"]["done"]]


def test_a_token_earns_what_the_table_says():
    for prefix, row in DATA["token_rewards"].items():
        for token, number in zip(DATA["tokens"], row, strict=True):
            assert article.rewards(prefix + token)[-1] == Fraction(number)
    assert article.reward("b.") == 4
    assert article.reward(("a", "b")) == 0


def test_a_table_that_is_no_policy_is_refused():
    with pytest.raises(RandvarError, match="row of prefix 'a' has 2 numbers"):
        article.token_policy(article.POLICY | {"a": "1/2 1/2"})
    with pytest.raises(InvalidLaw):
        article.token_policy(article.POLICY | {"a": "1/2 1/2 1/2"})


def test_numbers_of_the_tour_are_the_exact_ones():
    noise = {name: version["trace_variance"] for name, version in ENTRIES["000.reinforce.variance"].items()}
    divergence, variants = ENTRIES["000.kl.sequence_k1"], ENTRIES["000.kl.variants"]
    exact = {
        "E[R]": ENTRIES["000.model"]["E[R]"],
        "noise of R score": noise["total_return"],
        "noise of return score": noise["reward_to_go"],
        "noise of (R − E[R]) score": noise["total_return_minus_mean"],
        "noise of (return − V) score": noise["reward_to_go_minus_V"],
        "E[G₀], γ = 1/2": ENTRIES["000.reinforce.discount"]["E[G_0]"],
        "E[target | b]": DATA["values"]["b"],
        "E[clipped loss], batch of 5": ENTRIES["000.value_loss"]["gamma=1"]["E[value_loss]"],
        "E[advantage of the first token]": ENTRIES["000.value_loss"]["gamma=1"]["E[advantage_0]"],
        "E[k1]": divergence["mean"],
        "P(k1 < 0)": divergence["P(negative)"],
        "E[k1 without the first token]": variants["k1_first_token_dropped"]["mean"],
    }
    rows = {row.what: row for row in tour.article().rows}
    for what, number in exact.items():
        assert rows[what].computed() == pytest.approx(float(Fraction(number)), rel=1e-12)


def failing():
    return {row.what.removesuffix(": difference") for row in tour.article().rows if not row.holds()}


def test_a_wrong_library_fails_the_tour(monkeypatch):
    assert not failing()
    with monkeypatch.context() as patch:
        patch.setattr(
            tour,
            "discounted_returns",
            lambda rewards, gamma=1, done=None, mask=None: discounted_returns(rewards, gamma),
        )
        assert {"packed row, γ = 1", "packed row, γ = 1/2", "padding hidden by its mask"} <= failing()
    monkeypatch.setattr(tour, "sequence_kl", lambda o, p, q, k="k1": sequence_kl(o, p, q, "k2"))
    assert failing() == {"E[k1]", "E[k3]", "P(k1 < 0)"}


OTHER_TABLES = [
    {"": "1/5 2/5 2/5", "a": "1/10 1/10 4/5", "b": "1/3 1/6 1/2"},
    {"": "3/4 1/8 1/8", "a": "1/7 2/7 4/7", "b": "9/10 1/20 1/20"},
    article.REFERENCE,  # no divergence at all
]


@pytest.mark.parametrize("table", OTHER_TABLES, ids=["near even", "sure of a", "the reference"])
def test_notebook_holds_for_a_policy_of_the_reader(table):
    run_cells(table)


def test_notebook_does_not_hold_where_it_speaks_of_its_own_policy_only(monkeypatch):
    monkeypatch.setattr(article, "POLICY", OTHER_TABLES[0])
    with pytest.raises(AssertionError):
        run_cells(OTHER_TABLES[0])


def run_cells(table):
    """Run the notebook's code with another table, and no pictures."""
    names = {}
    for cell in read(NOTEBOOK).cells:
        if cell.cell_type == "code":
            exec(with_table(cell.source, table), names)
            names |= {"histogram": unseen, "density": unseen, "explore": explored}


def with_table(source, table):
    start, found, rest = source.partition("\n}\n")
    return f"table = {table!r}\n{rest}" if found and start.startswith("table = {") else source


def unseen(law, **how):
    """In place of a picture."""


def explored(function, *, name, values, active=0):
    """What a slider computes for its first frame."""
    return function(list(values)[active])
