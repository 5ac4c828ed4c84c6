"""The test of a thing is found by its name: `tests/sums/test_grid.py` tests `randvar/sums/grid.py`.

Modules of the ground floor (`randvar/var.py`) are tested in `tests/language`, `randvar/examples` in `tests/articles`.
A module that shares its test file with another, and a test file that is about more than one module, stand here.
"""

import ast

import pytest

from tools.house import MODULES, PACKAGE

TESTS = PACKAGE.parent / "tests"
FOLDERS = {"": "language", "examples": "articles"}  # where it is not the room's own name

# The test file, and the modules that it tests beside the one of its name.
TESTED = {
    "calls/test_finer": "estimators.finer_samples",
    "bounds/test_envelope": "bounds.chernoff bounds.rounding bounds.smoothing",
    "calls/test_wrapping": "estimators.witnesses numbers.overflow",
    "estimators/test_by_enumeration": "estimators.controls estimators.divergence estimators.sampling estimators.strata",
    "estimators/test_coverage": "estimators.bootstrap estimators.count_intervals estimators.intervals "
    "estimators.mean_intervals quadrature",
    "estimators/test_importance": "estimators.products",
    "estimators/test_pairing": "estimators.estimated_controls estimators.rao_blackwell",
    "estimators/test_populations": "estimators.clusters estimators.population_samples estimators.post_stratification",
    "estimators/test_order": "estimators.symmetry",
    "estimators/test_sampling_distribution": "estimators.statistic progress",
    "language/test_law": "arithmetic joint_functions atoms.outcomes atoms.search calls.call coupling joint "
    "row_arithmetic var",
    "language/test_moments": "column_sums independent lazy numbers.moment_formulas power_sums",
    "language/test_vector": "atoms.merge",
    "language/test_warrant": "display",
    "numbers/test_expressions": "numbers.rings numbers.symbolic",
    "numbers/test_fractions": "conversion numbers.base numbers.checks numbers.nearest",
    "plots/test_compare": "plots.distribution_functions plots.smoothed_curves",
    "plots/test_layout": "plots.labels plots.polling plots.axes",
    "plots/test_picture": "plots.boxes plots.control_pictures plots.densities plots.histograms plots.page plots.posts "
    "plots.projection plots.reduction plots.svg",
    "plots/test_slider": "plots.exploring plots.first_pictures plots.frames plots.policy_sliders "
    "plots.variance_sliders plots.widgets",
    "plots/test_sliders_of_every_law": "plots.laws_to_draw",
    "refusals/test_bad_input": "advice errors",
    "refusals/test_functions": "arguments law_arguments numbers.arrays",
    "refusals/test_rollouts": "rollouts.token_arguments",
    "rollouts/test_trees": "rollouts.gradients rollouts.ratios",
    "sums/test_lattice": "draws sums.convolution sums.door sums.fourier sums.tilting",
    "sums/test_programme": "sums.cdf sums.group sums.merging sums.multinomial sums.vectors",
}
SHARED = {module: file for file, modules in TESTED.items() for module in modules.split()}

# Folders that are about no module; and files about more than one, in the folders that mirror the package.
TOPICAL = {"browser", "house", "refusals"}
TOPICS = {
    "language/test_words_of_verdicts": "what a verdict may say, word by word",
    "language/test_floats_mean_themselves": "what a float stands for, in sums, functions and statistics",
    "language/test_accuracy": "the stated accuracy and the bounds of laws made in every way",
    "estimators/test_samples_as_floats": "sample=float, of sampling_distribution and coverage",
    "numbers/test_single_precision": "what single precision becomes, from the dtype of a result to the verdict",
    "articles/test_language_model_rl_notebook": "the notebook of an article, with another policy",
    "articles/test_mathematical_tools_missing_mass": "one entry of an article",
    "articles/test_tour": "the tables of `make tour`, a tool",
    "articles/test_sampling_to_reinforce_cells": "the article's cells",
    "articles/test_sampling_to_reinforce_sliders": "the article's cells as printed, sliders included",
    "estimators/test_by_enumeration": "the article's estimators on random laws",
    "estimators/test_faults_of_other_libraries": "small questions about estimators that libraries have got wrong",
    "language/test_faults_of_other_libraries": "small questions that libraries have got wrong",
    "language/test_first_questions": "what people type first",
    "language/test_frozen": "exact laws bit for bit as they were",
    "language/test_interruptions": "copies, threads, interruptions, budgets: of every kind of law",
    "language/test_later_questions": "what people type once they know the package",
    "language/test_programs": "random programs in floats, in fractions and by enumeration",
    "language/test_vector": "x.vector(f), which is a method of Var and a law of Joint",
    "plots/test_layout": "texts stay apart and on the picture",
    "plots/test_sliders_of_every_law": "every slider on every kind of law",
}


def mirrored(module):
    """The places of a module's own test file: of its name, or of the name of a package that it is in."""
    _, *rooms, name = module.split(".")
    folder = FOLDERS.get(rooms[0] if rooms else "", rooms[0] if rooms else "")
    return [f"{folder}/test_{word}" for word in [name, *rooms[:0:-1]]]


def has_public_names(module):
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return any(isinstance(node, kinds) and not node.name.startswith("_") for node in tree.body)


FILES = {
    path.relative_to(TESTS).with_suffix("").as_posix()
    for path in TESTS.rglob("test_*.py")
    if path.parent.name != "support"
}
TO_TEST = [module for module, path in MODULES.items() if path.name != "__init__.py" and has_public_names(module)]


@pytest.mark.parametrize("module", TO_TEST)
def test_the_test_of_a_module_is_found(module):
    named = SHARED.get(module.removeprefix("randvar."))
    assert named in FILES or FILES & set(mirrored(module)), (
        f"{module} has no test file: write tests/{mirrored(module)[0]}.py, or name the file that tests it in TESTED"
    )


@pytest.mark.parametrize("file", sorted(FILES))
def test_a_test_file_is_named_after_what_it_tests(file):
    of_modules = {place for module in MODULES if module != "randvar" for place in mirrored(module)}
    assert file.split("/")[0] in TOPICAL or file in of_modules | TOPICS.keys(), (
        f"tests/{file}.py has the name of no module of its room: give it one, or say in TOPICS what it is about"
    )


def test_the_tables_name_what_is_there_and_not_more():
    assert {module for module in SHARED if f"randvar.{module}" not in MODULES} == set(), "no such module"
    assert {file for file in [*TESTED, *TOPICS] if file not in FILES} == set(), "no such test file"
    assert {module for module in SHARED if FILES & set(mirrored(f"randvar.{module}"))} == set(), (
        "has a file of its name"
    )
    assert len(SHARED) == sum(len(modules.split()) for modules in TESTED.values()), "a module is named twice"
    assert {path.parent for path in TESTS.rglob("test_*.py")} & {TESTS} == set(), "a test file stands outside the rooms"
