"""The rooms of sums as tests call them: plain columns of values and probabilities go in, probabilities come out."""

import math
from fractions import Fraction

import numpy as np

from randvar.atoms.outcomes import Axis
from randvar.law import Law
from randvar.numbers.kinds import FLOATS, FRACTIONS
from randvar.sums import lattice, programme, rational
from randvar.sums.group import Group
from randvar.sums.vectors import independent_rows


def objects(items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def weights_of(probs):
    """Floats as they are, exact numbers as integers in proportion to them."""
    if isinstance(probs, np.ndarray) and probs.dtype.kind == "f":
        return probs
    exact = [Fraction(p) for p in probs]
    unit = math.lcm(*(p.denominator for p in exact))
    return objects([int(p * unit) for p in exact])


def group(values, probs, copies):
    """As a law hands its draws over: what is impossible is gone."""
    values = values if isinstance(values, np.ndarray) else objects(list(values))
    weights = weights_of(probs)
    return Group(values[weights != 0], weights[weights != 0], copies)


def shares(weights, mass):
    return weights / mass if weights.dtype.kind == "f" else objects([Fraction(w, mass) for w in weights.tolist()])


def outcome_programme(values, probs, n):
    sums, weights, mass = programme.outcome_programme(group(values, probs, n))
    return sums, shares(weights, mass)


def key_programme(keys, probs, n):
    sums, weights, mass = programme.key_programme(group(keys, probs, n))
    return sums, shares(weights, mass)


def combine(a, b):
    one, two = ((values, weights_of(probs), sum(weights_of(probs).tolist())) for values, probs in (a, b))
    sums, weights, mass = programme.combine(one, two)
    return sums, shares(weights, mass)


def rational_sum(terms):
    return rational.rational_sum([group(*term) for term in terms])


def vector_sum(rows, probs, n):
    """Merged rows of sums in lexicographic order, and their probabilities."""
    weights = weights_of(probs)
    kind = FLOATS if weights.dtype.kind == "f" else FRACTIONS
    found = independent_rows([Axis.of(column.tolist()) for column in rows.T], weights, n, kind)
    law = Law.of(found.columns, found.weights, found.mass, kind, tolerances=found.tolerances)
    return np.stack([column.values for column in law.columns], axis=1), law.probs


def lattice_sum(terms):
    return lattice.lattice_sum([Group(*term) for term in terms])


def log_mass(terms, position):
    return lattice.log_mass([Group(*term) for term in terms], position)
