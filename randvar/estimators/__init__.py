"""Functions from laws to laws, one file a subject. `randvar` has the common ones, this package the rarer ones."""

from typing import TYPE_CHECKING, Any

from randvar.late import found_in

if TYPE_CHECKING:
    from randvar.estimators.bootstrap import bootstrap_interval
    from randvar.estimators.clusters import design_effect, intraclass_correlation
    from randvar.estimators.count_intervals import clopper_pearson_interval
    from randvar.estimators.estimated_controls import estimated_control
    from randvar.estimators.importance import importance_control, kish_efficiency, optimal_proposal, truncated
    from randvar.estimators.intervals import CentredInterval
    from randvar.estimators.pairing import antithetic_pair

__all__ = [
    "CentredInterval",
    "antithetic_pair",
    "bootstrap_interval",
    "clopper_pearson_interval",
    "design_effect",
    "estimated_control",
    "importance_control",
    "intraclass_correlation",
    "kish_efficiency",
    "optimal_proposal",
    "truncated",
]

# {module: names}: imported when a name is first asked for
_LATE = {
    "bootstrap": "bootstrap_interval",
    "clusters": "design_effect intraclass_correlation",
    "count_intervals": "clopper_pearson_interval",
    "estimated_controls": "estimated_control",
    "importance": "importance_control kish_efficiency optimal_proposal truncated",
    "intervals": "CentredInterval",
    "pairing": "antithetic_pair",
}

if not TYPE_CHECKING:  # a checker would take any name for one that this function knows

    def __getattr__(name: str) -> Any:
        return found_in(globals(), _LATE, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
