"""Nothing a reader must read is covered or cut off: texts stay apart and on the picture, bars on their axes."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from randvar import (
    Joint,
    Var,
    binomial,
    from_dict,
    indep,
    k1,
    k2,
    k3,
    kl,
    law_bounds,
    monte_carlo,
    shared,
    uniform,
    weighted_die,
)
from randvar.examples.sampling_to_reinforce import kl_k3, quadratic_control
from randvar.plots import (
    compare_plot,
    covariance_3d,
    density,
    histogram,
    histogram_row,
    law_plot,
    polling_sketch,
    show_control,
    variance_3d,
    variance_reduction_3d,
)
from randvar.plots.picture import Layer

EIGHT = Var(np.arange(1, 9), np.array([1, 3, 1, 3, 1, 3, 1, 3]) / 16)
DIE = uniform(1, 7)
TABLE = Joint([0, 2, 5], [0, 1], [[1 / 12, 1 / 12], [1 / 6, 1 / 4], [1 / 4, 1 / 6]])
P, Q = weighted_die([1, 2, 3, 4, 5, 6]), uniform(1, 7)
LONG = "an estimator with a name that goes on and on"

PICTURES = {
    "histogram": lambda: histogram(EIGHT),
    "histogram against": lambda: histogram(monte_carlo(DIE, 2), without=DIE + 1),
    "many": lambda: histogram(monte_carlo(DIE, 30)),
    "tiny": lambda: histogram(EIGHT * 1e-9),
    "huge": lambda: histogram(EIGHT + 1e9),
    "words": lambda: histogram(from_dict({"red": 0.25, ("a", 1): 0.75})),
    "long words": lambda: histogram(from_dict({f"{LONG} {i}": 1 / 8 for i in range(8)})),
    "pair": lambda: histogram(TABLE),
    "shared pair": lambda: histogram(shared(DIE)),
    "large pair": lambda: histogram(indep(binomial(60, 0.3), binomial(60, 0.6))),
    "row": lambda: histogram_row(DIE, DIE, labels=("Double the value", "Keep values below 6")),
    "long row": lambda: histogram_row(DIE, DIE * 2, DIE, labels=[f"{LONG} {i}" for i in range(3)]),
    "density": lambda: density(monte_carlo(DIE, 5)),
    "density against": lambda: density(monte_carlo(DIE, 5), without=DIE, comparison_labels=("raw", "mean of five")),
    "density, far means": lambda: density(DIE, without=DIE + 9, comparison_labels=(LONG, LONG)),
    "variance": lambda: variance_3d(EIGHT),
    "many boxes": lambda: variance_3d(binomial(200, 0.3)),
    "covariance": lambda: covariance_3d(TABLE),
    "crowded covariance": lambda: covariance_3d(kl_k3(P, Q, b=1)),
    "reduction": lambda: variance_reduction_3d(TABLE),
    "control": lambda: show_control(quadratic_control(DIE, lambda a: a**2, 1, 2), 2, density_view=True, show=False),
    "control, histogram": lambda: show_control(quadratic_control(DIE, lambda a: a**2, 1, 2), 2, show=False),
    "comparison": lambda: compare_plot({"k1": k1(P, Q), "k2": k2(P, Q), LONG: k3(P, Q)}, kl(P, Q)),
    "law": lambda: law_plot(DIE),
    "band": lambda: law_plot(law_bounds(DIE, 100)),
    "polling": polling_sketch,
}


def texts(fig):
    """Every text that is drawn, with its rectangle on the page."""
    FigureCanvasAgg(fig).draw()
    off = [axes for axes in fig.axes if not axes.axison]
    hidden = {text for axes in off for axis in (axes.xaxis, axes.yaxis) for text in axis.findobj(Text)}
    found = [text for text in fig.findobj(Text) if text.get_text() and text.get_visible() and text not in hidden]
    return [(text.get_text(), text.get_window_extent()) for text in found]


@pytest.mark.parametrize("name", PICTURES)
def test_texts_stay_apart_and_on_the_picture(name, capsys):
    fig = PICTURES[name]()
    width, height = fig.bbox.width, fig.bbox.height
    shown = texts(fig)
    assert len(shown) >= 2
    for text, box in shown:
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= width, text
        assert box.y1 <= height, text
    for (one, a), (other, b) in itertools.combinations(shown, 2):
        # Two pixels of the frame of a letter are empty.
        across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 2 or up <= 4, (one, other)


@pytest.mark.parametrize("laws", [(DIE, DIE), (DIE,), (EIGHT * 2, EIGHT), (DIE,) * 7, (DIE, DIE + 5)], ids=len)
def test_columns_stand_on_their_axes_and_clear_of_the_next_outcome(laws):
    axes = histogram_row(*laws).axes[0]
    (layer,) = (child for child in axes.get_children() if isinstance(child, Layer))
    bars = [bar for bar in layer.get_children() if isinstance(bar, Rectangle)]
    assert len(bars) == sum(map(len, laws))
    low, high = axes.get_xlim()
    spans = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars)
    assert low < spans[0][0]
    assert spans[-1][1] < high
    assert all(end <= start + 1e-9 for (_, end), (start, _) in itertools.pairwise(spans))
    assert len({(to_hex(bar.get_facecolor()), bar.get_hatch()) for bar in bars}) == len(laws)
