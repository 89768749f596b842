"""State spaces and coverability, against the counts and verdicts of the repository."""

import json

import pidlab
import pytest


def test_counts_of_the_papers_nets(root):
    with open(root / "testdata" / "explore" / "nkm.json", encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    for row in rows:
        if row["model"] == "nkm":
            names = ("k", "m")
        else:
            names = ("listeners", "handlers", "years")
        constants = dict(zip(names, row["params"]))
        model = root / "models" / f"{row['model']}.tnet"
        found = pidlab.explore(model, constants, relations=row["relations"])
        counts = {name: getattr(found, name) for name in ("states", "edges", "deadlocks")}
        assert counts == {name: row[name] for name in counts} and found.complete


def test_text_paths_and_options(root):
    path = root / "models" / "nkm.tnet"
    by_path = pidlab.explore(str(path), {"k": 2}, relations="auto", threads=1, search="dfs")
    by_text = pidlab.explore(path.read_text(), {"k": 2})
    assert by_path.states == by_text.states == 22 and "22 states" in repr(by_text)
    assert pidlab.explore(path, {"k": 2}, canon=False, max_states=100).stopped == "max-states"
    graph = pidlab.explore(path, {"k": 2}, graph=True).networkx()
    assert graph.number_of_nodes() == 22 and graph.number_of_edges() == 37
    found = pidlab.explore(path, {"m": 2}, properties=["never count(h3(_)) > 1"])
    assert found.properties[0]["verdict"] == "violated" and found.properties[0]["trace"]
    with pytest.raises(ValueError, match="graph"):
        by_text.networkx()
    assert by_text.to_dict()["states"] == 22 and "<table>" in by_text._repr_html_()


def test_heap_programs(root):
    model = root / "models" / "philosophers.bir"
    counts = lambda **options: pidlab.explore(model, {"N": 3}, **options)
    assert counts().states == 36 and counts(thread_symmetry="pc").states == 19
    exact = counts(thread_symmetry="exact", compress="tree")
    assert (exact.states, exact.seen, exact.deadlocks) == (14, 15, 1)
    text = model.read_text()
    assert pidlab.explore(text, {"N": 3}).states == 36


def test_what_is_wrong_with_a_model_is_said(root):
    with pytest.raises(ValueError, match=r"model: model:2:"):
        pidlab.explore("net x\nplace (\n")
    with pytest.raises(ValueError, match="unsound"):
        pidlab.explore(root / "models" / "nkm.tnet", {"k": 2}, relations="none")
    with pytest.raises(ValueError, match="cannot be read"):
        pidlab.explore("there-is-no.tnet")
    with pytest.raises(TypeError, match="compress: not an option of .tnet"):
        pidlab.explore("net x\n", compress="tree")
    with pytest.raises(ValueError, match="thread_symmetry"):
        pidlab.explore(root / "models" / "philosophers.bir", thread_symmetry="some")
    with pytest.raises(TypeError, match="constants"):
        pidlab.explore("net x\n", {"k": 1.5})


def test_limits_are_not_errors(root):
    found = pidlab.explore(root / "models" / "nkm.tnet", {"k": 4, "m": 4}, timeout="50ms")
    assert not found.complete and found.stopped == "time"
    answer = pidlab.cover(root / "models" / "rockall.bp", timeout=0)
    assert answer.verdict == "unknown" and "limit" in answer.reason


def test_coverability(root):
    safe = pidlab.cover(root / "models" / "rockall.bp")
    assert safe.verdict == "safe" and safe.certificate and "safe" in repr(safe)
    unsafe = pidlab.cover(root / "models" / "rockall-no-subdivided-check.bp", algorithm="mp")
    assert unsafe.verdict == "unsafe" and unsafe.trace["threads"] == 2
    assert pidlab.cover(root / "models" / "mutex.lgfsm").verdict == "safe"
    assert pidlab.cover(str(root / "models" / "finkel.spec")).verdict in ("safe", "unsafe")


def test_thread_transition_systems(tmp_path):
    system, prop = "2 2\n0 0 -> 1 1\n", "1|1\n"
    file = tmp_path / "x.tts"
    file.write_text(system)
    with pytest.raises(ValueError, match="prop"):
        pidlab.cover(file)
    (tmp_path / "x.prop").write_text(prop)
    assert pidlab.cover(file).verdict == "unsafe"
    assert pidlab.cover(system, language="tts", prop="1|1").verdict == "unsafe"
    assert pidlab.cover(system, language="tts", prop="1|1,1").verdict == "safe"
    assert pidlab.cover(system, language="tts", prop="1|1", init="1/0").verdict == "safe"


def test_verdicts_of_public_instances(root):
    folder = root / "testdata" / "cover"
    verdicts = json.loads((folder / "verdicts.json").read_text())
    names = [name for name in _instances(verdicts) if name.endswith(".spec")][:12]
    for name in names:
        answer = pidlab.cover(folder / name, timeout=5)
        assert answer.verdict in (_instances(verdicts)[name], "unknown"), name


def _instances(verdicts):
    """From names to verdicts, however deep they lie."""
    found = {}
    for key, value in verdicts.items():
        if isinstance(value, dict) and "verdict" in value:
            found[key] = value["verdict"]
        elif isinstance(value, dict):
            found.update(_instances(value))
        elif value in ("safe", "unsafe"):
            found[key] = value
    return found


def test_wrong_questions():
    with pytest.raises(ValueError, match="language"):
        pidlab.cover("vars x")
    with pytest.raises(ValueError, match=r"model: model:1:1: .*\n 1 \| nonsense"):
        pidlab.cover("nonsense\n", language="spec")
    with pytest.raises(ValueError, match="unknown algorithm"):
        pidlab.cover("2 2\n0 0 -> 1 1\n", language="tts", prop="1|1", algorithm="best")
    with pytest.raises(ValueError, match="prop"):
        pidlab.cover("lgfsm 1\n", language="lgfsm", prop="x")
