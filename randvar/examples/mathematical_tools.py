"""What the article "Mathematical Tools" draws once and then keeps: the logits of its models, and its toy function.

The article draws them by `torch.manual_seed(0)` and `torch.randn`; mathematical_tools.json holds what came out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from randvar.errors import RandvarError
from randvar.families import softmax
from randvar.var import Var

__all__ = ["policy", "reference", "two_token_model"]

_DRAWN = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def two_token_model(name: str) -> tuple[Var, Callable[[int], Var]]:
    """The law of the first token of model "p" or "q", and that of the second given the first (section A.6).

    >>> first, second = two_token_model("p")
    >>> first.values, round(first.prob(0), 6), round(second(0).prob(1), 6)
    (array([0, 1, 2]), 0.844634, 0.538161)
    """
    if name not in ("p", "q"):
        raise RandvarError(f'the article has two models, "p" and "q", not {name!r}')
    logits = _DRAWN["two tokens"][name]
    after = [softmax(_logits(row)) for row in logits["second"]]
    return softmax(_logits(logits["first"])), after.__getitem__


def policy() -> Var:
    """The policy of section A.7: a softmax over fifty outcomes.

    >>> len(policy()), round(float(sum(policy().probs)), 12)
    (50, 1.0)
    """
    return softmax(_logits(_DRAWN["policy"]))


def reference(scale: float, noise: float | None = None) -> Var:
    """The reference of section A.7: the policy with `scale` times a noise added to its logits.

    The article draws one noise for scale 0.1 and one for scale 1.0; `noise` says which, where the scale is another.

    >>> len(reference(0.1)), len(reference(0.5, noise=1.0))
    (50, 50)
    """
    drawn = str(float(scale if noise is None else noise))
    if drawn not in _DRAWN["noise"]:
        raise RandvarError(f"the article draws a noise for the scales {', '.join(_DRAWN['noise'])}, not for {drawn}")
    return softmax(_logits(_DRAWN["policy"]) + scale * _logits(_DRAWN["noise"][drawn]))


def _logits(numbers: list[float]) -> Any:
    """torch draws in single precision, which is what the digits in the file stand for."""
    return np.array(numbers, dtype=np.float32).astype(float)
