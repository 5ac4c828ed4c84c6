"""Pictures and sliders of laws. matplotlib is imported with this package, and the core never imports this package."""

from randvar.plots.boxes import covariance_3d, variance_3d
from randvar.plots.compare import compare_plot
from randvar.plots.control_pictures import show_control
from randvar.plots.densities import density
from randvar.plots.distribution_functions import law_plot
from randvar.plots.explore import explore
from randvar.plots.histograms import histogram, histogram_row
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
