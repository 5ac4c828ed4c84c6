"""Names that come late (PEP 562) are names like any other: for a checker, `dir`, a star, `help` and pickle."""

import ast
import importlib
import pickle
import pydoc

import pytest

import randvar
from tools.house import MODULES

PACKAGES = ["randvar", "randvar.estimators", "randvar.rollouts", "randvar.plots"]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_late_name_is_known_to_a_checker_to_dir_and_to_a_star(package):
    module = importlib.import_module(package)
    late = {(f"{package}.{part}", name) for part, names in module._LATE.items() for name in names.split()}
    tree = ast.parse(MODULES[package].read_text(encoding="utf-8"))
    told = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        for alias in node.names
        if alias.asname is None
    }
    assert late == told
    assert {name for _, name in late} <= set(module.__all__) <= set(dir(module))
    for home, name in late:
        assert getattr(module, name) is getattr(importlib.import_module(home), name)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_there_is_not_is_refused_as_everywhere(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'no_such_name'$"):
        importlib.import_module(package).no_such_name


def test_names_are_pickled_and_shown_by_help():
    for name in ("histogram", "report", "sampling_distribution", "coverage", "markov_chain"):
        thing = getattr(randvar, name)
        assert pickle.loads(pickle.dumps(thing)) is thing
        assert name in pydoc.render_doc(thing)
    assert "report" in pydoc.render_doc(randvar)
