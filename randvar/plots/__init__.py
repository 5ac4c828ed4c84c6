"""Pictures and sliders of laws. matplotlib is imported with this package, and the core never imports this package."""

from randvar.plots.boxes import covariance_3d, variance_3d, variance_reduction_3d
from randvar.plots.controls import show_control
from randvar.plots.densities import density
from randvar.plots.histograms import histogram, histogram_row

__all__ = [
    "covariance_3d",
    "density",
    "histogram",
    "histogram_row",
    "show_control",
    "variance_3d",
    "variance_reduction_3d",
]
