"""The counts of docs/reliability.md are those of the tests that it speaks of."""

import doctest
import re
from pathlib import Path

import pytest
from hostile_values import HOSTILE

from tests.calls import test_wrapping
from tests.language import test_interruptions
from tests.refusals import test_functions, test_methods, test_pictures, test_rollouts

PAGE = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text("utf-8")


def arguments(calls):
    """How many arguments the calls have together."""
    return sum(len(call.arguments) + len(call.keywords) for call in calls)


def of_methods(call):
    """How many values each argument of a call is given."""
    return len(test_methods.values_for(call))


COUNTS = {
    "functions, and methods of Var": (
        test_functions.CALLS,
        arguments(test_functions.CALLS) * len(HOSTILE),
    ),
    "methods, operators, rollouts": (
        test_methods.CALLS,
        sum(arguments([call]) * of_methods(call) for call in test_methods.CALLS),
    ),
    "functions of tokens, once more": (
        test_rollouts.CALLS,
        (arguments(test_rollouts.CALLS) + 4 * len(test_rollouts.NUMBERS_OF_TOKENS)) * len(HOSTILE),
    ),
    "pictures and sliders": (
        test_pictures.CALLS,
        sum(arguments([call]) * len(test_pictures.values_for(call)) for call in test_pictures.CALLS),
    ),
}


@pytest.mark.parametrize("what", COUNTS)
def test_the_rows_of_the_table(what):
    calls, tried = COUNTS[what]
    row = f"| {what} | {len(calls)} | {arguments(calls)} | {tried:,} |"
    assert row in PAGE, row


def test_the_other_counts():
    total = sum(tried for _, tried in COUNTS.values())
    numbers = {
        f"{len(HOSTILE)} values": "hostile values",
        f"{total:,} calls": "all together",
        f"{len(test_interruptions.LAWS)} kinds of law": "copies and threads",
        f"{len(test_interruptions.LONG)} long computations": "interrupted",
        f"{len(test_interruptions.TOO_LARGE)} ways": "too large",
        f"{len(test_wrapping.STATISTICS)} statistics": "wrapping around",
        f"{len(test_wrapping.UFUNCS)} ufuncs": "wrapping around",
    }
    assert {words for words in numbers if words not in PAGE} == set()


def test_every_file_it_names_is_there():
    root = Path(__file__).parents[2]
    named = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    assert len(named) == 7
    assert all((root / name).exists() for name in named)


def test_its_examples():
    """Every claim about verdicts is run."""
    found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(PAGE, {}, "reliability", None, None))
    assert found.failed == 0
    assert found.attempted > 3
