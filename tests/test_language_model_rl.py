"""The small language model: its tables are those of the exact values, and its notebook holds for other policies too."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from randvar import InvalidLaw, RandvarError
from randvar.examples import language_model_rl as article
from tools.notebooks import read

HERE = Path(__file__).parent
DATA = json.loads((HERE / "reference" / "language_model_rl.json").read_text())["data"]
NOTEBOOK = HERE.parent / "notebooks" / "03_language_model_rl.ipynb"


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
