"""A slider beside matplotlib's own animation page, for one figure with 41 frames:  python -m benchmarks.pictures

Both are handed the same figure, artists and update. `to_jshtml` is the way that matplotlib documents for a page with
controls that needs no Python (matplotlib.animation.Animation.to_jshtml); each of its frames is a PNG at 100 dpi.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from matplotlib import rc_context
from matplotlib.animation import FuncAnimation
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from randvar import softmax
from randvar.plots import Slider

__all__ = ["main"]

_ROUNDS = 3
_LOGITS = [0.3, 1.2, -0.5, 2.0, 0.0, 0.9, -1.1, 1.6]
_TEMPERATURES = np.linspace(0.25, 10.25, 41)


def main() -> None:
    """Print the time and the size of both pages, the best of three rounds in turn."""
    pages = {"randvar": _slider, "matplotlib, to_jshtml": _animation}
    best = dict.fromkeys(pages, float("inf"))
    sizes = dict.fromkeys(pages, 0)
    for _ in range(_ROUNDS):
        for name, page in pages.items():
            picture = _policies()
            begun = time.perf_counter()
            sizes[name] = len(page(*picture).encode())
            best[name] = min(best[name], time.perf_counter() - begun)
    print(f"| {len(_TEMPERATURES)} frames | time | size | times as long | times as large |")
    print("| --- | --- | --- | --- | --- |")
    for name in pages:
        ratios = f"{best[name] / best['randvar']:.3g} | {sizes[name] / sizes['randvar']:.3g}"
        print(f"| {name} | {best[name]:.2f} s | {sizes[name] / 1024:.0f} KiB | {ratios} |")


def _policies() -> tuple[Figure, list[Artist], Callable[[int], list[Artist]]]:
    """A bar for each action of a softmax policy, as high as the action is likely at the i-th temperature."""
    fig = Figure(figsize=(6.4, 4.0), dpi=100)
    FigureCanvasAgg(fig)
    axes = fig.add_subplot(xlabel="action", ylabel="probability", ylim=(0, 1))
    bars = axes.bar(range(len(_LOGITS)), [0.0] * len(_LOGITS)).patches

    def update(i: int) -> list[Artist]:
        policy = softmax(_LOGITS, temperature=float(_TEMPERATURES[i]))
        for bar, p in zip(bars, policy.probs, strict=True):
            bar.set_height(p)
        return list(bars)

    return fig, list(bars), update


def _slider(fig: Figure, bars: list[Artist], update: Callable[[int], list[Artist]]) -> str:
    def show(i: int) -> None:
        update(i)

    return Slider(fig, bars, show, _TEMPERATURES.tolist(), name="temperature")._repr_html_()


def _animation(fig: Figure, bars: list[Artist], update: Callable[[int], list[Artist]]) -> str:
    with rc_context({"animation.embed_limit": 100}):
        return FuncAnimation(fig, update, frames=len(_TEMPERATURES), blit=False).to_jshtml()


if __name__ == "__main__":
    main()
