"""Run many random programs three ways, and print the smallest part of each that disagrees (`make fuzz`).

With every program goes a float law made of others, whose stated accuracy has to be true (`accuracies`). With --floats,
sums of random laws of floats are held against exact arithmetic instead.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import accuracies
from float_laws import LAWS, disagreement
from random_programs import random_program
from three_ways import failure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=1_000, help="the seed of the first program")
    parser.add_argument("--minutes", type=float, default=30.0, help="stop after so long")
    parser.add_argument("--floats", action="store_true", help="laws of floats, of every kind in turn")
    wanted = parser.parse_args()
    warnings.simplefilter("error")
    end = time.monotonic() + 60 * wanted.minutes
    failures, seed = 0, wanted.first
    while seed < wanted.first + wanted.programs and time.monotonic() < end:
        told = _of_floats(seed) if wanted.floats else _of_a_program(seed)
        if told:
            failures += 1
            print(f"seed {seed}: {told}", flush=True)
        untrue = accuracies.failure(seed)
        if untrue:
            failures += 1
            print(f"seed {seed}: {untrue}", flush=True)
        seed += 1
    print(f"{seed - wanted.first} programs, seeds {wanted.first} to {seed - 1}: {failures} disagree")
    return int(failures > 0)


def _of_a_program(seed: int) -> str:
    found = failure(random_program(seed))
    return f"{found[0]}\n    {type(found[1]).__name__}: {found[1]}" if found else ""


def _of_floats(seed: int) -> str:
    kind = list(LAWS)[seed % len(LAWS)]
    told = disagreement(kind, seed)
    return f"{kind}, {told}" if told else ""


if __name__ == "__main__":
    sys.exit(main())
