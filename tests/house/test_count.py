"""The counters of `tools.count`, on snippets that can be counted by hand."""

from pathlib import Path

from tools.count import Traffic, branches, circles, code, imports, private_uses, traffic

SNIPPET = '''"""A module: if dtype is this."""

from fractions import Fraction

from randvar.var import Var

__all__ = [
    "f",
]


def f(x, kind):  # if dtype
    """Of x, if x.dtype is one."""
    # if the dtype is object
    if x.dtype == object:
        return kind == "float" and x
    numbers = x.dtype
    while kind == "float":
        x = 1
    if isinstance(x, Fraction):
        text = """if the
        dtype"""
    return x if x.exact else [FLOATS, text]
'''


def test_lines_of_code():
    assert code(SNIPPET) == [
        "def f(x, kind):",
        "if x.dtype == object:",
        'return kind == "float" and x',
        "numbers = x.dtype",
        'while kind == "float":',
        "x = 1",
        "if isinstance(x, Fraction):",
        'text = """if the',
        'dtype"""',
        "return x if x.exact else [FLOATS, text]",
    ]


def test_lines_that_branch_on_the_kind_of_a_number():
    found = [
        "if x.dtype == object:",
        'return kind == "float" and x',
        'while kind == "float":',
        "return x if x.exact else [FLOATS, text]",
    ]
    assert branches(SNIPPET) == found
    assert branches(SNIPPET, numbers=True) == [*found[:3], "if isinstance(x, Fraction):", found[3]]
    assert branches("a = 1 if v.kind_of_thing else 2\nb = 1 if isinstance(v, Var) else 2", numbers=True) == []


def test_private_names_of_other_files():
    source = """
from randvar.var import Var, _helper

class Joint:
    _field: int

    def _of(self, _argument):
        self._kept = Var._of(_argument) + self._of(self._field) + self.__dict__["x"] + other._kept
        return other._moments + other._moments + Joint._of(_helper), [1 for _ in self._made]

    def __init__(self):
        object.__setattr__(self, "_made", 1)
"""
    assert sorted(private_uses(source)) == ["_helper", "_moments", "_moments", "_of"]


def test_circles_when_loaded_and_late():
    sources = {
        "p.a": "from p.b import x",
        "p.b": "from p import c\ndef f():\n    from p.a import y",
        "p.c": "import p.d",
        "p.d": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import y\nelse:\n    import p.e",
        "p.e": "class C:\n    import p.c",
    }
    graph = imports(sources, late=False)
    assert graph == {"p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": {"p.d"}, "p.d": {"p.e"}, "p.e": {"p.c"}}
    assert circles(graph) == [["p.c", "p.d", "p.e"]]
    assert circles(imports(sources, late=True)) == [["p.a", "p.b"], ["p.c", "p.d", "p.e"]]


PROGRAM = """
kept = []

def program():
    kept or first()
    far(leaf)
    own()

def first(): kept.append(1)
def own(): pass
"""


def test_traffic_is_that_of_the_second_run():
    folder = Path("/made/up")
    near, far, one = {}, {}, {}
    exec(compile("def leaf(): pass\ndef unused(): pass", f"{folder}/near.py", "exec"), near)
    exec(compile("def far(g): return [g() for i in (1, 2)]", "/made/upper/far.py", "exec"), far)
    exec(compile(PROGRAM, f"{folder}/one.py", "exec"), one)
    one.update(leaf=near["leaf"], far=far["far"])
    assert traffic(one["program"], folder) == Traffic(calls=4, functions=3, files=2, changes=2)
