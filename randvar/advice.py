"""What to write instead of an attribute that users of other libraries look for on a law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Advised"]

_NEVER_DRAWN = "nothing is drawn here: numpy's rng.choice(x.values, p=x.probs) does"

_INSTEAD = {
    "mean": "write expect(x)",
    "expect": "write expect(x)",
    "expectation": "write expect(x)",
    "var": "write variance(x)",
    "variance": "write variance(x)",
    "std": "write std(x)",
    "median": "write median(x)",
    "entropy": "write entropy(x)",
    "pmf": "write x.prob(value)",
    "pdf": "write x.prob(value)",
    "probability": "write x.prob(value)",
    "sf": "write x.prob(lambda a: a > v)",
    "ppf": "write x.quantile(u)",
    "map": "write x.op(f)",
    "apply": "write x.op(f)",
    "filter": "write x.cond(event)",
    "given": "write x.cond(event)",
    "sample": _NEVER_DRAWN,
    "rvs": _NEVER_DRAWN,
    "support": "write x.values",
    "outcomes": "write x.values",
}


class Advised:
    """A law that says what it has instead of what others have."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a checker would take any attribute for one

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # a property of the law: its own AttributeError brought Python here
                return type(self).__getattribute__(self, name)  # which raises that again
            advice = f"; {_INSTEAD[name]}" if name in _INSTEAD else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{advice}")
