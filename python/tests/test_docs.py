"""Everything that documentation shows is run: docstrings, the guide, the notebook; stubs fit the code."""

import doctest
import inspect
import re
import subprocess
import sys

import pidlab
import pidlab._classes
import pidlab._graphs
import pidlab._models
import pidlab._states
import pytest

from conftest import ROOT

MODULES = [pidlab._classes, pidlab._graphs, pidlab._models, pidlab._states]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_of_modules(module):
    result = doctest.testmod(module)
    assert result.attempted > 3 and result.failed == 0


def documented():
    """The classes of the extension module and their methods."""
    for name in ("State", "Graph"):
        kind = getattr(pidlab, name)
        yield name, kind
        yield from ((f"{name}.{n}", m) for n, m in vars(kind).items() if getattr(m, "__doc__", None))


def test_examples_of_the_extension_module():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name, item in documented():
        runner.run(parser.get_doctest(inspect.getdoc(item) or "", {}, name, None, 0))
    assert runner.summarize(verbose=False).failed == 0 and runner.tries > 8


def test_everything_public_is_documented():
    for name in pidlab.__all__:
        item = getattr(pidlab, name)
        assert name.startswith("__") or inspect.getdoc(item), name
        if inspect.isfunction(item):
            assert "Examples\n--------" in inspect.getdoc(item), name


def test_the_snakes_example():
    pytest.importorskip("snakes")
    import pidlab.snakes

    assert doctest.run_docstring_examples(pidlab.snakes.Pid, {}) is None


def blocks(path):
    """Python blocks of a page, in order; ``python file=NAME`` says where one goes."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r"^```python(?: file=(\S+))?\n(.*?)^```", text, re.M | re.S)


def test_the_guide_runs(tmp_path, monkeypatch):
    """The blocks of the guide share their names, as in a session in the repository's root."""
    found = blocks(ROOT / "docs" / "guide" / "python.md")
    assert len(found) > 8
    for folder in ("models", "examples", "results", "python"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples"))
    names = {}
    for number, (file, code) in enumerate(found):
        if file:
            (tmp_path / file).write_text(code)
        elif ">>>" in code:
            _session(code, names, number)
        else:
            exec(compile(code, f"python.md, block {number}", "exec"), names)


def _session(code, names, number):
    test = doctest.DocTestParser().get_doctest(code, names, f"block {number}", "python.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0


def test_the_notebook_runs(tmp_path):
    nbclient = pytest.importorskip("nbclient")
    import nbformat

    notebook = nbformat.read(ROOT / "python" / "examples" / "tour.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    )
    client.execute()
    pictures = [o for cell in notebook.cells for o in cell.get("outputs", []) if "image/svg+xml" in o.get("data", {})]
    assert pictures, "states show themselves"


#: What a type checker cannot see: classes that the plugin makes when it is loaded, modules as attributes.
STUBS_DIFFER = [
    r"pidlab\.snakes\.(PetriNet|StateGraph|__test__).*",
    r"pidlab\._runs\._P(olars|andas)\..*",
    r"pidlab(\._pidlab)?\.__all__",
]


def test_stubs_fit_the_code(tmp_path):
    pytest.importorskip("mypy")
    config = tmp_path / "mypy.ini"
    others = "[mypy-polars.*,pandas.*,networkx.*]\nfollow_imports = skip\n"
    config.write_text(f"[mypy]\nignore_missing_imports = true\n{others}")
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("\n".join(STUBS_DIFFER))
    command = [sys.executable, "-m", "mypy.stubtest", "pidlab", "--mypy-config-file", str(config)]
    command += ["--allowlist", str(allowed), "--ignore-unused-allowlist"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_user_code_type_checks(tmp_path):
    pytest.importorskip("mypy")
    code = """
import pidlab
q: pidlab.State = pidlab.State("L : <1:0>")
answer = pidlab.equivalent(q, {"sigma": {}, "eta": {}}, relations=["parent"], timeout="1s")
if answer:
    names: dict[str, str] | None = answer.witness
seen = pidlab.ClassSet([q])
fresh: bool = seen.add(q)
states: int = pidlab.explore("net x", {"k": 2}).states
"""
    file = tmp_path / "user.py"
    file.write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
