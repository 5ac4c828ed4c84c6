"""Pictures and sliders of laws. matplotlib is imported when the first is drawn; the core never imports this package."""

from typing import TYPE_CHECKING, Any

from randvar.late import found_in
from randvar.plots.first_pictures import density, explore, histogram, law_plot

if TYPE_CHECKING:
    from randvar.plots.boxes import covariance_3d, variance_3d
    from randvar.plots.compare import compare_plot
    from randvar.plots.control_pictures import show_control
    from randvar.plots.histograms import histogram_row
    from randvar.plots.policy_sliders import reinforce_baseline_slider, temperature_policy_slider
    from randvar.plots.polling import polling_sketch
    from randvar.plots.reduction import variance_reduction_3d
    from randvar.plots.slider import Slider
    from randvar.plots.variance_sliders import (
        coin_variance_slider,
        covariance_interpolation_slider,
        monte_carlo_samples_slider,
        scaled_variance_slider,
        sum_variance_slider,
    )
    from randvar.plots.widgets import ab_control_widget, linear_control_widget

__all__ = [
    "Slider",
    "ab_control_widget",
    "coin_variance_slider",
    "compare_plot",
    "covariance_3d",
    "covariance_interpolation_slider",
    "density",
    "explore",
    "histogram",
    "histogram_row",
    "law_plot",
    "linear_control_widget",
    "monte_carlo_samples_slider",
    "polling_sketch",
    "reinforce_baseline_slider",
    "scaled_variance_slider",
    "show_control",
    "sum_variance_slider",
    "temperature_policy_slider",
    "variance_3d",
    "variance_reduction_3d",
]

# {module: names}: imported, and matplotlib with it, when a name is first asked for
_LATE = {
    "boxes": "covariance_3d variance_3d",
    "compare": "compare_plot",
    "control_pictures": "show_control",
    "histograms": "histogram_row",
    "policy_sliders": "reinforce_baseline_slider temperature_policy_slider",
    "polling": "polling_sketch",
    "reduction": "variance_reduction_3d",
    "slider": "Slider",
    "variance_sliders": (
        "coin_variance_slider covariance_interpolation_slider monte_carlo_samples_slider scaled_variance_slider"
        " sum_variance_slider"
    ),
    "widgets": "ab_control_widget linear_control_widget",
}

if not TYPE_CHECKING:  # a checker would take any name for one that this function knows

    def __getattr__(name: str) -> Any:
        return found_in(globals(), _LATE, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
