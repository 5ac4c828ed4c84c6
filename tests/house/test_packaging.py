"""The wheel and the sdist: what is in them, and that the wheel works where there is nothing else.

The empty environment gets the oldest versions that pyproject.toml allows (the rest of the tests run with the newest).
"""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import randvar

ROOT = Path(__file__).parents[2]
OLDEST = ROOT / "tools" / "oldest.txt"
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_CONSTRAINT"))}


def run(*command, cwd):
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=CLEAN, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def built(kind, source, folder):
    """The one file that the build makes, with hatchling as it is installed."""
    run(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", folder, source, cwd=folder)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    return built("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def unpacked(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # what 3.11.3 and before do not have
        archive.extractall(folder)
    (root,) = folder.iterdir()
    return root


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def in_package(root):
    """The files of the package that git would keep."""
    files = (path for path in (root / "randvar").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_the_wheel_is_the_package_and_its_licence(wheel):
    files = contents(wheel)
    package = {name: data for name, data in files.items() if name.startswith("randvar/")}
    assert package == in_package(ROOT)
    assert {"randvar/py.typed", "randvar/plots/page.css", "randvar/plots/page.js"} <= package.keys()
    others = {name.partition("/")[2] for name in files.keys() - package.keys()}
    assert others == {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}


def test_the_wheel_holds_the_library_and_not_the_tools(wheel):
    """The tables of `make tour` are a tool; the examples are what the articles and the notebooks import."""
    examples = [name.split("/") for name in contents(wheel) if name.startswith("randvar/examples/")]
    parts = {name for _, _, name, *_ in examples}
    assert parts == {
        "__init__.py",
        "language_model_rl.py",
        "mathematical_tools.json",
        "mathematical_tools.py",
        "sampling_to_reinforce.py",
        "settled",
    }
    assert not [name for name in contents(wheel) if "tour" in name or name.startswith(("tools/", "tests/"))]


def test_the_sdist_makes_the_same_wheel(wheel, unpacked, tmp_path):
    assert contents(built("wheel", unpacked, tmp_path)) == contents(wheel)


def test_the_sdist_has_what_its_tests_and_commands_need(unpacked):
    """All that git keeps."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("not in a git repository: this is a sdist already")
    there = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert set(tracked.stdout.splitlines()) - there == set()


def test_the_wheel_says_what_pyproject_says(wheel):
    (metadata,) = (data.decode() for name, data in contents(wheel).items() if name.endswith("METADATA"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert set(re.findall(r"^Provides-Extra: (.*)$", metadata, re.MULTILINE)) == extras.keys()
    required = re.findall(r"^Requires-Dist: ([^;\n]*)$", metadata, re.MULTILINE)
    assert sorted(required) == sorted(project["dependencies"])
    assert "Requires-Python: >=3.11" in metadata
    assert "License-Expression: MIT" in metadata


def test_one_version_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert randvar.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == version


def test_the_oldest_versions_are_those_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    allowed = dict(
        item.split(">=") for item in [*project["dependencies"], *extras["sympy"], *extras["test"]] if ">=" in item
    )
    oldest = dict(line.split("==") for line in OLDEST.read_text().splitlines() if "==" in line)
    for name in ("numpy", "scipy", "matplotlib", "sympy", "pandas", "mpmath"):
        assert (oldest[name] + ".").startswith(allowed[name] + "."), name


@pytest.fixture(scope="session")
def empty(tmp_path_factory, wheel):
    """The Python of an environment with the wheel and nothing that it does not ask for."""
    folder = tmp_path_factory.mktemp("empty")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    python = folder / "bin" / "python"
    install(python, wheel)
    return python


def install(python, *what):
    # the oldest numpy has no wheel for a newer Python
    constraints = ["--constraint", OLDEST] if sys.version_info < (3, 12) else []
    options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary=:all:"]
    command = [python, "-m", "pip", "install", *options, *constraints, *what]
    done = subprocess.run(list(map(str, command)), cwd=python.parent, env=CLEAN, capture_output=True, text=True)
    if "(from versions: none)" in done.stderr and os.environ.get("CI") != "true":
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment_and_then_with_sympy(empty, wheel, tmp_path):
    run(empty, ROOT / "tests" / "support" / "smoke.py", cwd=tmp_path)
    assert run(empty, "-c", "import randvar; print(randvar.__file__)", cwd=tmp_path).startswith(str(empty.parents[1]))
    install(empty, f"{wheel}[sympy]")
    run(empty, ROOT / "tests" / "support" / "smoke.py", "sympy", cwd=tmp_path)
