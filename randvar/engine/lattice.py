from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LatticeLaw:
    first: int
    masses: np.ndarray
    accuracy: float


def lattice_sum(terms, *, max_atoms):
    out = np.ones(1)
    for k, p, n in terms:
        pm = np.zeros(int(k.max()) + 1)
        np.add.at(pm, k, p)
        b = pm
        r = None
        m = n
        while m:
            if m & 1:
                r = b if r is None else np.convolve(r, b)
            m >>= 1
            if m:
                b = np.convolve(b, b)
        out = np.convolve(out, r)
    return LatticeLaw(0, out, 1e-13)


def log_mass(terms, at):
    return 0.0
