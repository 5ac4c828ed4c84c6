"""One vocabulary: an argument that several public functions share means one thing, and CONTRIBUTING.md says which."""

import inspect
import itertools
import re
from collections import defaultdict
from pathlib import Path

import pytest

import randvar
from randvar import estimators, plots, rollouts
from randvar.examples import sampling_to_reinforce as article

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"

PUBLIC = {
    getattr(module, name) for module in (randvar, estimators, rollouts, plots, article) for name in module.__all__
}
SIGNATURES = {thing.__name__: inspect.signature(thing) for thing in PUBLIC if inspect.isfunction(thing)}

# What other libraries call the number of draws, the budget, the truth. Here each has one name.
SYNONYMS = {"num_samples", "n_samples", "nsamples", "samples", "num_draws", "n_draws", "num_steps", "n_steps", "count"}
SYNONYMS |= {"limit", "budget", "max_size", "truth", "expected", "true_value", "distribution", "rv"}

LAWS = ("x", "j", "p", "q", "pair", "strata", "population")
NUMBERS = ("steps", "n")
OF_AN_OUTCOME = ("f", "g", "h", "treated", "untreated", "initial")
OF_A_SAMPLE = ("statistic", "interval")


def the_words() -> set[str]:
    """The first column of the table under "Words"."""
    section = CONTRIBUTING.read_text().split("## Words")[1].split("\n## ")[0]
    return {
        word
        for row in section.splitlines()
        if row.startswith("| `")
        for word in re.findall(r"`(\w+)`", row.split("|")[1])
    }


def users_of_words() -> dict[str, set[str]]:
    """{argument: the functions that take it}."""
    users = defaultdict(set)
    for name, signature in SIGNATURES.items():
        for word in signature.parameters:
            users[word].add(name)
    return users


def test_a_word_that_four_functions_share_is_explained():
    shared = {word for word, users in users_of_words().items() if len(users) >= 4}
    assert shared - the_words() == set()


def test_every_word_that_is_explained_is_used():
    assert the_words() - users_of_words().keys() == set()


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_arguments_have_their_one_name_and_place(name):
    parameters = list(SIGNATURES[name].parameters.values())
    words = [parameter.name for parameter in parameters]
    assert not SYNONYMS & set(words)
    assert name == "settings" or not {"max_atoms", "progress"} & set(words)
    places = {word: i for i, word in enumerate(words)}
    laws, numbers, of_outcomes, of_samples = (
        [places[word] for word in some if word in places] for some in (LAWS, NUMBERS, OF_AN_OUTCOME, OF_A_SAMPLE)
    )
    if words == ["n", "p"]:  # binomial(n, p) is the field's order
        return
    required = [i for i in of_samples if parameters[i].default is inspect.Parameter.empty]
    optional = [i for i in of_samples + of_outcomes if i not in required and parameters[i].default is None]
    in_order = required, laws, [i for i in of_outcomes if i not in optional], numbers, optional
    for before, after in itertools.combinations(filter(None, in_order), 2):
        assert max(before) < min(after)
