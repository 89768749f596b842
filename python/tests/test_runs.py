"""Runs as frames: the committed reference runs, in polars and in pandas."""

import sys
import zlib

import pandas
import pidlab
import polars
import pytest


@pytest.fixture(params=["polars", "pandas"])
def frames(request):
    return request.param


def test_rows_have_types_units_and_parameters(root, frames):
    run = pidlab.load_run(root / "results" / "sacs10-smoke", frames)
    rows = run.rows
    assert len(rows) == run.manifest["rows"] == 1080 and "sacs10" in repr(run)
    if frames == "polars":
        assert isinstance(rows, polars.DataFrame)
        assert rows.schema["obvious"] == polars.Boolean and rows.schema["pair"] == polars.UInt64
        assert rows.schema["backend"] == polars.Categorical and rows.schema["decide_ns"] == polars.Int64
        assert rows["set_pid_share"].dtype == polars.Float64
        share = rows.filter(polars.col("set") == "many pids")["set_pid_share"].unique().to_list()
        strength = rows.filter(polars.col("transformation") == "exchange-pids")
        strength = strength["transformation_strength"].unique().to_list()
    else:
        assert isinstance(rows, pandas.DataFrame)
        assert rows["obvious"].dtype == bool and rows["pair"].dtype == "uint64"
        assert isinstance(rows["backend"].dtype, pandas.CategoricalDtype)
        share = rows[rows["set"] == "many pids"]["set_pid_share"].unique().tolist()
        strength = rows[rows["transformation"] == "exchange-pids"]
        strength = strength["transformation_strength"].unique().tolist()
    assert share == [0.9] and strength == [0.05]
    # what the file leaves out has its default, and sizes are row by row
    assert {"set_depth", "set_width_least", "transformation_kinds"} <= set(rows.columns)
    assert "set_pids" not in rows.columns


def test_analysis_and_claims(root, frames):
    run = pidlab.load_run(root / "results" / "sacs10-smoke", frames)
    assert {"series", "ratios", "claims"} <= set(run.tables)
    assert {"id", "paper", "ours", "verdict"} <= set(run.claims.columns)
    series = run.table("series")
    assert len(series) == 2 and "growth_exponent_value" in series.columns
    laws = run.table("series.growth.laws")
    assert {"series_backend", "law", "fit_rms", "rejected"} <= set(laws.columns) and len(laws) == 8
    with pytest.raises(ValueError, match="name"):
        run.table("nothing")


def test_models_and_instances(root, frames):
    run = pidlab.load_run(root / "results" / "bogor-table1-paper", frames)
    assert {"set_N", "set_model", "states", "seen"} <= set(run.rows.columns)
    assert len(run.table("cells")) == 80
    run = pidlab.load_run(root / "results" / "coverability-small", frames)
    assert "instance" in run.rows.columns


@pytest.mark.parametrize("name", ["reduction-small", "tournament-small", "hard-families-small"])
def test_every_kind_of_run_opens(root, name, frames):
    run = pidlab.load_run(root / "results" / name, frames)
    assert len(run.rows) == run.manifest["rows"]


@pytest.mark.parametrize("without_polars", [False, True])
@pytest.mark.parametrize("name", ["iscis09-small", "hard-families-small"])
def test_rows_in_parquet_are_those_of_the_table(root, name, frames, without_polars, tmp_path, monkeypatch):
    """The same types and values from either file; pandas reads with polars, or with pyarrow."""
    run = pidlab.load_run(root / "results" / name, "polars").rows
    folders = [tmp_path / kind for kind in ("csv", "parquet")]
    for folder in folders:
        folder.mkdir()
        (folder / "manifest.json").write_text("{}")
    run.write_csv(folders[0] / "rows.csv")
    run.write_parquet(folders[1] / "rows.parquet")
    if without_polars and frames == "pandas":
        monkeypatch.setitem(sys.modules, "polars", None)
    table, packed = (pidlab.load_run(folder, frames).rows for folder in folders)
    assert table.equals(packed) and list(table.columns) == run.columns
    types = [dict(zip(frame.columns, map(str, frame.dtypes))) for frame in (table, packed)]
    assert types[0] == types[1]
    assert not {n for n, kind in types[0].items() if kind.lower() in ("string", "str", "object")} - {"message"}


def test_a_damaged_file_is_refused_before_a_library_reads_it(root, tmp_path):
    run = pidlab.load_run(root / "results" / "hard-families-small", "polars").rows
    (tmp_path / "manifest.json").write_text("{}")
    file = tmp_path / "rows.parquet"
    run.write_parquet(file, metadata={"integrity": "pidlab-crc32=00000000"})
    data = bytearray(file.read_bytes())
    at = data.rfind(b"pidlab-crc32=") + len("pidlab-crc32=")
    data[at : at + 8] = b"%08x" % zlib.crc32(data)
    file.write_bytes(data)
    assert pidlab.load_run(tmp_path, "polars").rows.equals(run)
    for place in (5, len(data) // 2, at, len(data) - 3):
        data[place] ^= 1
        file.write_bytes(data)
        with pytest.raises(ValueError, match="path: .*rows.parquet is damaged"):
            pidlab.load_run(tmp_path, "polars").rows
        data[place] ^= 1


def test_figures_as_series(tmp_path):
    (tmp_path / "manifest.json").write_text('{"format": "pidlab-run/1"}')
    (tmp_path / "figures").mkdir()
    table = "panel,layer,x,y,low,high\n0,0,1e0,2e0,0e0,0e0\n0,0,3e0,4e0,0e0,0e0\n1,0,5e0,6e0,1e0,2e0\n"
    (tmp_path / "figures" / "cactus.csv").write_text(table)
    (tmp_path / "figures" / "cactus.txt").write_text("What it shows.\n")
    figure = pidlab.load_run(tmp_path).figures["cactus"]
    assert figure.caption == "What it shows."
    assert figure.series[0, 0]["x"] == [1.0, 3.0] and figure.series[1, 0]["high"] == [2.0]


def test_what_is_not_a_run(tmp_path):
    with pytest.raises(ValueError, match="manifest"):
        pidlab.load_run(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(ValueError, match="neither rows.csv nor rows.parquet; the run may be kept"):
        pidlab.load_run(tmp_path).rows
    (tmp_path / "rows.parquet").touch()
    with pytest.raises(ValueError, match="path: .*rows.parquet cannot be read"):
        pidlab.load_run(tmp_path).rows
    for wrong, error in (("dask", ValueError), (3, TypeError)):
        with pytest.raises(error, match="frames"):
            pidlab.load_run(tmp_path, wrong)


def test_tables_of_all_versions_have_the_same_types(root, frames, tmp_path):
    """Booleans in words and as such; parameters that the table has itself, with and without the experiment."""
    old = root / "results" / "sacs10-smoke"
    table = (old / "rows.csv").read_text(encoding="utf-8").splitlines()[:3]
    names = table[0].split(",")
    assert "obvious" in names and "wall_ns" not in names
    table[0] += ",machine,set_pid_share,set_family,transformation_kinds"
    for at in (1, 2):
        fields = table[at].split(",")
        fields[names.index("obvious")] = ["true", "false"][at - 1]
        table[at] = ",".join(fields) + ',"a, 2 cores",0.5,,rename'
    (tmp_path / "rows.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    (tmp_path / "manifest.json").write_text((old / "manifest.json").read_text(), encoding="utf-8")
    alone = pidlab.load_run(tmp_path, frames).rows
    assert list(alone["obvious"]) == [True, False]
    assert list(alone["set_pid_share"]) == [0.5, 0.5]
    assert str(alone["transformation_kinds"][0]) == "rename"
    assert str(alone["machine"][0]) == "a, 2 cores"
    (tmp_path / "experiment.toml").write_text((old / "experiment.toml").read_text(), encoding="utf-8")
    told = pidlab.load_run(tmp_path, frames).rows
    assert list(told["obvious"]) == [True, False] and "set_depth" in told.columns
    assert len(set(told.columns)) == len(told.columns)
