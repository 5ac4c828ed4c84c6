"""Calls with one argument replaced by a hostile value, and what comes of them."""

import math
import signal
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from hostile_values import HOSTILE, Boom
from matplotlib.figure import Figure

from randvar import Joint, RandvarError, Var, settings
from randvar.plots import Slider
from randvar.plots.picture import Picture

SECONDS = 10.0  # of processor time for one call; the machine may be slow, an endless loop is slower


class Call(NamedTuple):
    """A call that works; its arguments are replaced by hostile values one at a time."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = {}


def same(a: Any) -> Any:
    """The identity, where a function is wanted."""
    return a


def of(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Call:
    """A call of a public function."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return Call(name, function, arguments, keywords)


class Endless(BaseException):
    """The call is still running. No Exception: no library may catch it."""


@pytest.fixture(autouse=True)
def bounded():
    """An alarm after so much processor time, and a budget of a thousand atoms."""

    def stop(*_):
        raise Endless

    before = signal.signal(signal.SIGPROF, stop)
    with settings(max_atoms=1000):
        yield
    signal.signal(signal.SIGPROF, before)


def attempt(call: Callable[[], Any]) -> str:
    """What comes of it: "answer", "TypeError", "refusal", "its own exception", or a description of the fault."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(call())
        return "answer"
    except Boom:
        return "its own exception"
    except RandvarError as error:
        return "refusal" if str(error) else "a refusal without a word"
    except TypeError:
        return "TypeError"
    except Endless:
        return f"still running after {SECONDS} s"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def read(answer: Any) -> None:
    """Everything of an answer is computed, and right as far as can be told from itself."""
    repr(answer)
    if isinstance(answer, Joint):
        check_masses(answer.weights)
    elif isinstance(answer, Var):
        check_masses(answer.probs)
        assert not any(v != v for v in answer.values.tolist() if isinstance(v, float)), "an outcome is NaN"
        answer._repr_html_()
    elif isinstance(answer, Picture):
        answer.parts()
    elif isinstance(answer, Slider):
        answer.frame(answer.active)
    elif isinstance(answer, Figure):
        answer.canvas.draw()
    elif isinstance(answer, np.ndarray):
        read(answer.ravel().tolist())
    elif isinstance(answer, (list, tuple)):
        for part in answer:
            read(part)
    elif isinstance(answer, (float, np.floating)):
        assert answer == answer, "the number is NaN"


def check_masses(masses: np.ndarray) -> None:
    """Positive numbers that sum to 1."""
    assert len(masses) > 0
    if masses.dtype.kind == "f":
        assert (masses > 0).all(), "an outcome of probability 0"
        assert abs(math.fsum(masses) - 1) < 1e-9, "the probabilities do not sum to 1"
    elif not hasattr(masses[0], "free_symbols"):
        assert sum(masses) == 1


def trials(call: Call, names: Iterable[str] = HOSTILE):
    """(argument, name of the value, the call with it)."""
    for slot in (*range(len(call.arguments)), *call.keywords):
        for name in names:
            make, arguments, keywords = HOSTILE[name], list(call.arguments), dict(call.keywords)
            if isinstance(slot, int):
                arguments[slot] = make()
            else:
                keywords[slot] = make()
            yield slot, name, partial(call.function, *arguments, **keywords)
