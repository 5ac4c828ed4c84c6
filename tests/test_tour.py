"""The tables of the tour: every number agrees, and one that did not would be seen and fail the command."""

import pytest

from randvar.examples.tour import sampling_to_reinforce
from randvar.examples.tour.__main__ import main
from randvar.examples.tour.table import Article, Asserted, Printed, render

ARTICLES = [sampling_to_reinforce.article()]


@pytest.mark.parametrize("row", [row for article in ARTICLES for row in article.rows], ids=lambda row: row.what)
def test_number_agrees(row):
    assert row.agrees(), f"{row.section}, {row.what}: {row.stated} stated, {row.computed()} computed"


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
    assert Printed("", "", stated, lambda: computed).agrees() is agrees


def test_an_equality_is_held_to_rounding():
    assert Asserted("", "", "= 0", lambda: 1e-17, lambda: 0.0).agrees()
    assert not Asserted("", "", "= 0.3", lambda: 0.3 + 1e-9, lambda: 0.3).agrees()


WRONG = Article("Wrong", [Printed("A", "one", "1.0", lambda: 1), Printed("B", "two", "2.0", lambda: 3)])


def test_a_number_that_does_not_agree_is_seen():
    text = render(WRONG)
    assert [line.split() for line in text.splitlines() if "two" in line] == [["two", "2.0", "3", "NO"]]
    assert text.endswith("1 of 2 numbers agree")


def test_the_command_fails_when_a_number_does_not_agree(monkeypatch, capsys):
    assert main() == 0
    count = len(ARTICLES[0].rows)
    assert f"{count} of {count} numbers agree" in capsys.readouterr().out
    monkeypatch.setattr(sampling_to_reinforce, "article", lambda: WRONG)
    assert main() == 1
