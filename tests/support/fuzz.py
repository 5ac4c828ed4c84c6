"""Run many random programs three ways, and print the smallest part of each that disagrees (`make fuzz`).

With every program goes a float law made of others, whose stated accuracy has to be true (`accuracies`).
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import accuracies
from random_programs import random_program
from three_ways import failure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=1_000, help="the seed of the first program")
    parser.add_argument("--minutes", type=float, default=30.0, help="stop after so long")
    wanted = parser.parse_args()
    warnings.simplefilter("error")
    end = time.monotonic() + 60 * wanted.minutes
    failures, seed = 0, wanted.first
    while seed < wanted.first + wanted.programs and time.monotonic() < end:
        found = failure(random_program(seed))
        if found:
            failures += 1
            print(f"seed {seed}: {found[0]}\n    {type(found[1]).__name__}: {found[1]}", flush=True)
        untrue = accuracies.failure(seed)
        if untrue:
            failures += 1
            print(f"seed {seed}: {untrue}", flush=True)
        seed += 1
    print(f"{seed - wanted.first} programs, seeds {wanted.first} to {seed - 1}: {failures} disagree")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
