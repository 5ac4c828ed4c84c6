"""A public docstring is law, example and contract: one sentence, an example that is run, what is refused."""

import inspect

import pytest

import randvar

TAKES_ANYTHING = {"transpose"}  # nothing to refuse in a Joint


def is_error(thing):
    return inspect.isclass(thing) and issubclass(thing, Exception)


# pictures are shown in the notebooks, which are run; Fn is a type
DOCUMENTED = {
    name: thing
    for name in randvar.__all__
    if (thing := getattr(randvar, name)).__module__.startswith("randvar.")
    and not thing.__module__.startswith("randvar.plots")
    and not is_error(thing)
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstring_is_law_example_and_contract(name):
    text = inspect.getdoc(DOCUMENTED[name])
    first, _, rest = text.partition("\n")
    assert first.endswith((".", ":")), "the law is one line"
    assert not rest or rest.startswith("\n"), "the law is one line"
    assert ">>> " in text, "no example"
    assert "aises" in text or name in TAKES_ANYTHING, "does not say what it refuses"


def test_all_subjects_are_looked_at():
    subjects = {thing.__module__ for thing in DOCUMENTED.values()}
    assert {"randvar.var", "randvar.joint", "randvar.moments", "randvar.verdict", "randvar.rollouts.trees"} <= subjects
    assert "Fn" not in DOCUMENTED
