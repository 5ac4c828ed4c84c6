"""The annotations say what a user's type checker needs: `typed_client.py` passes `mypy --strict`, and runs."""

import subprocess
import sys
from pathlib import Path

import typed_client

ROOT = Path(__file__).parents[2]


def test_mypy_finds_nothing_in_a_users_code():
    # not the project's own settings: a user has none of them
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        typed_client.__file__,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_users_code_runs():
    typed_client.main()
