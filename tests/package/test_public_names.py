"""The package's face: quick to import, no vendor loaded, every public name there and callable."""

import subprocess
import sys

import pytest

import isingrag as ir

VENDORS = ("pyqubo", "cpp_pyqubo", "dimod", "dwave", "minorminer", "networkx", "numba", "qiskit", "scipy", "pydantic")


def test_import_loads_no_vendor() -> None:
    code = f"import sys, isingrag; print([v for v in {VENDORS!r} if v in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_compiling_with_arrays_never_loads_pyqubo() -> None:
    code = (
        "import sys, isingrag as ir; p = ir.SelectionProblem(['a', 'b'], [1, 2], size=1); "
        "ir.run(ir.compile(p, 'ideal-8'), 'exact', reads=2); ir.solve_exact(p); "
        "print([v for v in ('pyqubo', 'cpp_pyqubo', 'minorminer', 'qiskit') if v in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ir.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(ir, name) is not None
    assert name in dir(ir)


def test_rooms_do_not_take_the_place_of_functions() -> None:
    """`import isingrag.decode` binds the room to the package; the function must win (also for run)."""
    code = (
        "import isingrag as ir, isingrag.run, isingrag.decode, isingrag.compiler; from types import FunctionType; "
        "print(all(isinstance(f, FunctionType) for f in (ir.run, ir.decode, ir.compile, ir.select, ir.score)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ir.nothing
