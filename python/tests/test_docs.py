"""Every example in a docstring of the package, and of its pages, runs."""

import doctest
import inspect
from pathlib import Path

import pytest

import tensor_layout
from tensor_layout import _jax, _native, _page, errors

ROOT = Path(__file__).parents[2]
FLAGS = doctest.ELLIPSIS


def documented():
    """Names and docstrings of the public API."""
    for name, thing in vars(_native).items():
        if name.startswith("_"):
            continue
        yield name, thing.__doc__
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") or member == "__matmul__":
                    yield f"{name}.{member}", value.__doc__


def run(name, text):
    test = doctest.DocTestParser().get_doctest(text or "", {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    return runner.summarize(verbose=False)


def test_examples_of_the_native_module_run():
    documents = list(documented())
    results = [run(name, text) for name, text in documents]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 100
    assert [name for name, text in documents if not text] == []


@pytest.mark.parametrize("module", [tensor_layout, _jax, _page, errors])
def test_examples_of_modules_run(module):
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "python-reference.md", ROOT / "python" / "README.md"])
def test_examples_of_pages_run(page):
    pytest.importorskip("jax")
    result = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    # README has three lines of Python.
    least = 3 if page == ROOT / "README.md" else 6
    assert result.attempted >= least and result.failed == 0
