"""Sliders against matplotlib's own: size and time of the same frames as randvar's HTML and as `to_jshtml`.

    python -m benchmarks.sliders      prints the table, and writes SLIDERS.md

Both sides are given the same figure and the same function that sets its artists to a frame, in one process and in turn;
the best of three rounds counts. The laws are computed before and charged to no one; the last column says what a person
waits for, laws included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from matplotlib.animation import FuncAnimation
from matplotlib.figure import Figure

import randvar as rv
from benchmarks.machine import machine
from randvar import plots
from randvar.examples.sampling_to_reinforce import linear_f
from randvar.plots import frames
from randvar.plots.slider import Slider

__all__ = ["SLIDERS", "Frames", "Measured", "measure", "recorded"]

TABLE = Path(__file__).parent / "SLIDERS.md"
ROUNDS = 3

_EIGHT = rv.Var(range(1, 9), [1 / 16, 3 / 16] * 4)
_DIE = rv.uniform(1, 7)
_LOADED = rv.weighted_die([1, 2, 3, 4, 5, 6])


def _initial(person: int) -> float:
    return -0.25 * (person % 2)


def _untreated(person: int) -> float:
    return 2 * _initial(person) + person % 2


def _policy(temperature: float) -> rv.Var:
    return rv.softmax(range(8), temperature=temperature)


def _scores(temperature: float) -> rv.Joint:
    mean = rv.expect(_policy(temperature))
    return rv.shared(_policy(temperature)).op(lambda a: a, lambda a: (mean - a) / temperature**2)


def _with_baseline(reward: Callable[[Any], Any], b: float, score: rv.Joint) -> rv.Var:
    return score.op(lambda a: reward(a) - b, lambda s: s).mul()


SLIDERS: dict[str, Callable[[], Slider]] = {
    "scaled_variance_slider": lambda: plots.scaled_variance_slider(_EIGHT),
    "covariance_interpolation_slider": lambda: plots.covariance_interpolation_slider(_DIE),
    "sum_variance_slider": lambda: plots.sum_variance_slider(_DIE),
    "coin_variance_slider": lambda: plots.coin_variance_slider(20),
    "monte_carlo_samples_slider": lambda: plots.monte_carlo_samples_slider(
        rv.k3(_LOADED, _DIE), without=rv.k1(_LOADED, _DIE), labels=("k1", "k3")
    ),
    "linear_control_widget": lambda: plots.linear_control_widget(_DIE, linear_f, b=3, steps=5),
    "ab_control_widget": lambda: plots.ab_control_widget(
        rv.uniform(0, 4), lambda person: _untreated(person) + 1, _untreated, _initial, steps=5
    ),
    "temperature_policy_slider": lambda: plots.temperature_policy_slider(_policy, 3.0),
    "reinforce_baseline_slider": lambda: plots.reinforce_baseline_slider(
        _with_baseline, lambda a: a, _scores(3.0), steps=2
    ),
}


@dataclass(frozen=True)
class Frames:
    """What a slider is made of: a figure, and the function that sets it to a frame."""

    fig: Figure
    artists: Iterable[Any]
    update: Callable[[int], None]
    values: tuple[Any, ...]
    words: dict[str, Any]

    def as_slider(self) -> str:
        return Slider(self.fig, self.artists, self.update, self.values, **self.words)._repr_html_()

    def as_animation(self) -> str:
        return str(FuncAnimation(self.fig, self.update, frames=len(self.values), blit=False).to_jshtml())


@dataclass(frozen=True)
class Measured:
    """Bytes and the best time of either side, and the time of the whole call."""

    name: str
    frames: int
    sizes: tuple[int, int]
    seconds: tuple[float, float]
    whole: float

    def cells(self) -> list[str]:
        (size, their_size), (seconds, their_seconds) = self.sizes, self.seconds
        return [
            f"`{self.name}`",
            str(self.frames),
            f"{size / 1024:.0f} KiB",
            f"{their_size / 1024:.0f} KiB",
            f"{their_size / size:.0f}",
            f"{seconds:.2f} s",
            f"{their_seconds:.2f} s",
            f"{their_seconds / seconds:.1f}",
            f"{self.whole:.2f} s",
        ]


HEADS = ["slider", "frames", "randvar", "to_jshtml", "times", "randvar", "to_jshtml", "times", "with its laws"]


def recorded(make: Callable[[], Slider]) -> Frames:
    """The figure and the frames that a function of `randvar.plots` hands to `Slider`."""
    with mock.patch.object(frames, "Slider", side_effect=Slider) as handed_over:
        slider = make()
    (fig, artists, update, _), words = handed_over.call_args
    return Frames(fig, artists, update, slider.values, words)


def measure(name: str, rounds: int = ROUNDS) -> Measured:
    """Both sides in turn, `rounds` times."""
    whole, _ = _timed(lambda: SLIDERS[name]()._repr_html_())
    parts = recorded(SLIDERS[name])
    ours, theirs = zip(*((_timed(parts.as_slider), _timed(parts.as_animation)) for _ in range(rounds)), strict=True)
    sizes = len(ours[0][1].encode()), len(theirs[0][1].encode())
    return Measured(name, len(parts.values), sizes, (min(ours)[0], min(theirs)[0]), whole)


def _timed(work: Callable[[], str]) -> tuple[float, str]:
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def together(measured: list[Measured]) -> Measured:
    """The sums over all sliders."""
    (sizes, their_sizes), (seconds, their_seconds) = (
        zip(*(pair(each) for each in measured), strict=True)
        for pair in (lambda each: each.sizes, lambda each: each.seconds)
    )
    return Measured(
        "all",
        sum(each.frames for each in measured),
        (sum(sizes), sum(their_sizes)),
        (sum(seconds), sum(their_seconds)),
        sum(each.whole for each in measured),
    )


def document(measured: list[Measured]) -> str:
    """The Markdown page."""
    rows = [HEADS, ["---"] * len(HEADS), *(each.cells() for each in [*measured, together(measured)])]
    parts = [
        "# Sliders",
        "\n".join(f"- {line}" for line in machine()),
        "Written by `python -m benchmarks.sliders`: the same figures and frames as randvar's HTML and as that of"
        f" `matplotlib.animation` (`to_jshtml`, 100 dpi), processor time, best of {ROUNDS} rounds in turn."
        " Sizes are of the whole HTML, fallback picture and table included. Goal: 10 times smaller and 3 times faster."
        " What stands still and the fallback are drawn once each, which costs as much as two frames: a slider of four"
        " frames gains least.",
        "\n".join("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure all sliders, print and write the table."""
    measured = []
    for name in SLIDERS:
        measured.append(measure(name))
        print("  ".join(measured[-1].cells()), flush=True)
    print("  ".join(together(measured).cells()))
    TABLE.write_text(document(measured), encoding="utf-8")
    print(f"\nwritten: {TABLE}")


if __name__ == "__main__":
    main()
