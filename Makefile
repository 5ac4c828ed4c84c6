# Every command makes its own environment in .venv; nothing but Python >= 3.11 has to be there before.
#   make tour       run the notebooks, write pages that open offline, compare every number of the articles
#   make lab        open JupyterLab on the notebooks
#   make test       all checks: format, lint, types, unit, property, doc, notebook and browser tests
#   make docs       write the reference of all public names, pages that open and search offline, into site/api
#   make oldest     all tests with the oldest versions that pyproject.toml allows (PYTHON=python3.11)
#   make fuzz       random programs in floats, in fractions and by enumeration (PROGRAMS=20000, MINUTES=30)
#   make notebooks  run the notebooks in place and keep their outputs, free of anything that varies
#   make bench      measure randvar beside other libraries, write benchmarks/RESULTS.md (half an hour)
#   make clean      remove the environment and what the commands wrote

RUN := .venv/bin/python -m
PROGRAMS := 20000
MINUTES := 30
LAB_FLAGS := $(if $(filter 0,$(shell id -u)),--allow-root)

.PHONY: tour lab docs test oldest fuzz notebooks bench clean

tour: .venv/ready-notebook
	$(RUN) tools.notebooks export notebooks site
	$(RUN) tools.tour

lab: .venv/ready-notebook
	$(RUN) jupyterlab $(LAB_FLAGS) notebooks

docs: .venv/ready-docs
	$(RUN) tools.reference.build site/api

test: .venv/ready-test
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) pytest -n 2

# The images of docs/ are compared pixel by pixel, and another matplotlib draws other letters.
oldest: .venv-oldest/ready-test
	.venv-oldest/bin/python -m pytest -n 2 --deselect tests/house/test_pictures_page.py::test_an_image_is_what_the_library_draws

fuzz: .venv/ready-test
	PYTHONPATH=tests/support $(RUN) fuzz --programs $(PROGRAMS) --minutes $(MINUTES)
	PYTHONPATH=tests/support $(RUN) fuzz --floats --programs $(PROGRAMS) --minutes $(MINUTES)

notebooks: .venv/ready-notebook
	$(RUN) tools.notebooks run notebooks

bench: .venv/ready-bench
	$(RUN) benchmarks
	$(RUN) benchmarks.sliders

clean:
	rm -rf .venv .venv-oldest site .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One stamp an extra of pyproject.toml: the environment is brought up to date when the requirements change.
.venv/ready-%: pyproject.toml tools/environment.sh
	@sh tools/environment.sh $*

.venv-oldest/ready-%: pyproject.toml tools/environment.sh tools/oldest.txt
	@sh tools/environment.sh $* .venv-oldest tools/oldest.txt
