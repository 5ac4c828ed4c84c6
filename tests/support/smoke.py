"""What must hold where nothing is installed but the wheel; run by tests/house/test_packaging.py.

python tests/support/smoke.py         without extras: the README's first example, a picture, a slider, the way to sympy
python tests/support/smoke.py sympy   with the extra: an estimator that is unbiased for every p
"""

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path


def without_extras() -> None:
    from randvar import bernoulli, expect, monte_carlo, uniform, variance
    from randvar.plots import coin_variance_slider, histogram

    assert importlib.util.find_spec("sympy") is None, "this environment is not empty"
    mean = monte_carlo(uniform(1, 7).rational(), 10)
    assert (expect(mean), variance(mean)) == (Fraction(7, 2), Fraction(7, 24))
    assert mean.prob(lambda v: v >= 4.5) == Fraction(392975, 10077696)
    with tempfile.TemporaryDirectory() as folder:
        picture, page = Path(folder) / "mean.png", Path(folder) / "coin.html"
        histogram(mean).save(picture)
        coin_variance_slider(5).save(page)
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert "<svg" in page.read_text(encoding="utf-8")
        assert "<script" in page.read_text(encoding="utf-8")
    assert 'pip install "randvar[sympy]"' in refusal(lambda: bernoulli("p"))


def refusal(call: Callable[[], object]) -> str:
    try:
        return f"not refused: {call()}"
    except TypeError as error:
        return str(error)


def with_sympy() -> None:
    from sympy import Symbol

    from randvar import bernoulli, report, sampling_distribution

    p = Symbol("p", positive=True)

    def both(pair: tuple[int, int]) -> int:
        return pair[0] * pair[1]

    assert report(sampling_distribution(both, bernoulli(p), 2), p**2).verdict == "unbiased (proved)"
    assert report(sampling_distribution(both, bernoulli(p), 2), p).verdict.startswith("biased by")


if __name__ == "__main__":
    with_sympy() if sys.argv[1:] == ["sympy"] else without_extras()
