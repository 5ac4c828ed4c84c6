#!/bin/sh
# Make .venv and install randvar in it, editable, with one extra of pyproject.toml:  sh tools/environment.sh test
# A folder and a file of constraints may follow:  sh tools/environment.sh test .venv-oldest tools/oldest.txt
# PYTHON=/path/to/python chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."
extra=$1
venv=${2:-.venv}
constraints=${3:-/dev/null}
candidates=${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}

missing() {
    printf 'Cannot make the environment %s: %s\n' "$venv" "$1" >&2
    exit 1
}

recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

recent_python() {
    for name in $candidates; do
        if recent "$name"; then
            echo "$name"
            return
        fi
    done
    return 1
}

if ! recent "$venv/bin/python"; then
    rm -rf "$venv"
    python=$(recent_python) || missing "there is no Python 3.11 or newer; tried: $candidates.
Install one (Debian: apt-get install python3 python3-venv) or name it: make PYTHON=/path/to/python3.11 ..."
    "$python" -c 'import venv, ensurepip' 2>/dev/null || missing "$python has no venv module.
Install it (Debian: apt-get install python3-venv)."
    echo "Making $venv with $("$python" --version)"
    "$python" -m venv "$venv" || missing "'$python -m venv $venv' failed; its message is above."
fi

echo "Installing randvar[$extra] into $venv"
"$venv/bin/python" -m pip install --disable-pip-version-check --constraint "$constraints" \
    --editable ".[$extra]" >"$venv/pip.log" 2>&1 || {
    tail -n 20 "$venv/pip.log" >&2
    missing "pip could not install randvar[$extra]; the end of its messages is above, all of them in $venv/pip.log.
If it could not reach a package index: a connection to PyPI is needed once (or a mirror, in PIP_INDEX_URL)."
}
touch "$venv/ready-$extra"
