"""The exact laws of random programs as digests, so that two checkouts can be compared bit for bit.

PYTHONPATH=<checkout> python tests/support/frozen.py          do the digests kept in frozen_digests.json still hold?
PYTHONPATH=<checkout> python tests/support/frozen.py --keep   keep those of that checkout instead

The programs come from `random_programs`, which knows nothing of the package: the same seeds are the same programs
everywhere. A digest is that of a hundred programs, in fractions, over every outcome and probability.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from programs import Package
from random_programs import random_program

import randvar as rv

KEPT = Path(__file__).parent / "frozen_digests.json"
PROGRAMS = 2000
BATCH = 100


def kept() -> list[str]:
    """The digests of seeds 0 to 99, 100 to 199, ..."""
    digests: list[str] = json.loads(KEPT.read_text(encoding="utf-8"))
    return digests


def digest(batch: int) -> str:
    """Of the programs of a batch, one law a line."""
    laws = (
        written(random_program(seed).run(Package(exact=True))) for seed in range(batch * BATCH, (batch + 1) * BATCH)
    )
    return hashlib.sha256("\n".join(laws).encode()).hexdigest()


def written(law: rv.Var | rv.Joint) -> str:
    """The atoms of an exact law, sorted: `outcome: probability`, all as fractions in lowest terms."""
    joint = isinstance(law, rv.Joint)
    rows = (
        zip(*(column.tolist() for column in law.columns), strict=True) if joint else ((v,) for v in law.values.tolist())
    )
    probs = law.weights.tolist() if joint else law.probs.tolist()
    atoms = sorted((tuple(map(_fraction, row)), _fraction(p)) for row, p in zip(rows, probs, strict=True))
    return "; ".join(f"{' '.join(map(str, row))}: {p}" for row, p in atoms)


def _fraction(number: Any) -> Fraction:
    if not isinstance(number, (int, Fraction)):
        raise TypeError(f"{number!r} is a {type(number).__name__} in an exact law")
    return Fraction(number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="write the digests instead of comparing them")
    keep = parser.parse_args().keep
    found = [digest(batch) for batch in range(PROGRAMS // BATCH)]
    if keep:
        KEPT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        return 0
    pairs = enumerate(zip(found, kept(), strict=True))
    changed = [f"{n * BATCH} to {(n + 1) * BATCH - 1}" for n, (a, b) in pairs if a != b]
    print(f"{rv.__file__}: {PROGRAMS} programs; other laws among seeds {', '.join(changed) or 'none'}")
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
