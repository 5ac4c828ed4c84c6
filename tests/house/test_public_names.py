"""The names of `from randvar import *`: few, nobody else's, and what became of an old one is said."""

import collections
import functools
import importlib
import itertools
import math
import operator
import random
import statistics

import numpy as np
import pytest

import randvar

OFTEN_IMPORTED = (itertools, math, random, statistics, operator, collections, functools, np)

# Of the language itself: the same thing, of a law. (A histogram of numpy's is a table, ours a picture of a law.)
SHARED = {"correlation", "histogram", "median", "std", "uniform", "variance"}

# What people call their own things, in a line after the star.
OWN = {"check", "count", "data", "f", "g", "mean", "n", "p", "product", "q", "rng", "sample", "weights", "x", "y"}


def test_about_85_names():
    assert 80 <= len(randvar.__all__) <= 90
    assert len(set(randvar.__all__)) == len(randvar.__all__)


def test_a_star_import_shadows_nothing_that_people_commonly_import():
    theirs = {name for module in OFTEN_IMPORTED for name in vars(module) if not name.startswith("_")}
    assert theirs & set(randvar.__all__) == SHARED
    assert OWN & set(randvar.__all__) == set()


@pytest.mark.parametrize(
    "module", ["builtins", "typing", "fractions", "decimal", "collections.abc", "matplotlib.pyplot"]
)
def test_nor_anything_of_these(module):
    assert set(dir(importlib.import_module(module))) & set(randvar.__all__) == set()


def test_one_name_has_one_meaning_in_all_public_packages():
    for package in ("randvar.estimators", "randvar.rollouts", "randvar.plots"):
        module = importlib.import_module(package)
        for name in set(module.__all__) & set(randvar.__all__):
            assert getattr(module, name) is getattr(randvar, name)


@pytest.mark.parametrize("name", randvar._GONE)
def test_an_old_name_is_refused_with_the_way_to_it(name):
    advice = randvar._GONE[name]
    assert not hasattr(randvar, name)
    with pytest.raises(AttributeError, match=f"randvar has no '{name}' any more: {advice}"):
        getattr(randvar, name)
    with pytest.raises(ImportError, match=f"randvar has no '{name}' any more: {advice}"):
        exec(f"from randvar import {name}")
    if advice.startswith("from "):
        exec(advice)
    else:
        assert advice.split()[-1] in randvar.__all__
