"""Runs as data frames: what ``pidlab run``, ``analyse`` and ``plot`` leave in a folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from . import _parquet, _pidlab

#: Columns of ``rows.csv`` that are not whole numbers.
_CATEGORIES = {
    "set", "transformation", "relations", "graph", "backend", "instance",
    "expected", "answer", "status", "check", "decided_by", "clock", "machine", "input",
}  # fmt: skip
_BOOLEANS = {"obvious"}
_YES = ("yes", "true", "True")  # the first in tables of earlier versions, the last of pandas
_TEXTS = {"message"}
_UNSIGNED = {"pair"}


def load_run(path, frames=None):
    """Open a run folder.

    Parameters
    ----------
    path : path
        A folder that ``pidlab run`` wrote: ``manifest.json`` and ``rows.csv`` or ``rows.parquet``. For the
        latter pandas needs polars or pyarrow beside it.
    frames : str, optional
        ``"polars"`` or ``"pandas"``; polars unless only pandas is installed.

    Returns
    -------
    Run

    Examples
    --------
    ::

        run = pidlab.load_run("results/local/sacs10")
        run.rows.group_by("backend", "answer").agg(polars.col("decide_ns").median())
        run.claims
    """
    return Run(path, _engine(frames))


def _engine(frames):
    if frames is None:
        try:
            return _Polars()
        except ImportError:
            pass
        try:
            return _Pandas()
        except ImportError:
            raise ImportError("frames: install polars or pandas to read runs") from None
    engines = {"polars": _Polars, "pandas": _Pandas}
    if not isinstance(frames, str):
        raise TypeError(f"frames: expected 'polars' or 'pandas', not {type(frames).__name__}")
    if frames not in engines:
        raise ValueError(f"frames: expected 'polars' or 'pandas', not {frames!r}")
    return engines[frames]()


class Run:
    """A run folder; frames are read when first asked for.

    Attributes
    ----------
    rows : frame
        One row a measurement. Names and answers are categories, ``obvious`` is a boolean, times end in
        ``_ns`` (nanoseconds), memory in ``_kib``. What the generator was told is in columns that begin
        with ``set_`` and ``transformation_``.
    claims : frame
        The papers' claims, with our value and the verdict; empty if the run was not analysed.
    manifest, analysis, experiment : dict
        ``manifest.json``, ``analysis.json`` (empty if there is none), ``experiment.toml``.
    figures : dict of Figure
        What ``pidlab plot`` drew, by name.
    """

    def __init__(self, path, engine):
        self.path = Path(path)
        self._engine = engine
        self._rows = None
        if not (self.path / "manifest.json").is_file():
            raise ValueError(f"path: {self.path} is not a run folder: it has no manifest.json")
        self.manifest = _read_json(self.path / "manifest.json")
        analysis = self.path / "analysis.json"
        self.analysis = _read_json(analysis) if analysis.is_file() else {}
        experiment = self.path / "experiment.toml"
        self.experiment = _read_toml(experiment) if experiment.is_file() else {}

    @property
    def rows(self):
        if self._rows is None:
            self._rows = self._read_rows()
        return self._rows

    def _read_rows(self):
        frame = self._read_table()
        if not self.experiment:
            return frame
        frame = self._engine.without(frame, [name for name in frame.columns if _is_parameter(name)])
        parameters = [("set", label, fields) for label, fields in _sets(self.experiment)]
        parameters += [
            ("transformation", label, fields) for label, fields in _steps(self.experiment)
        ]
        for column in ("set", "transformation"):
            known = {label: fields for kind, label, fields in parameters if kind == column}
            names = dict.fromkeys(name for fields in known.values() for name in fields)
            for name in names:
                values = {label: fields.get(name) for label, fields in known.items()}
                frame = self._engine.mapped(frame, column, f"{column}_{name}", values)
        return frame

    def _read_table(self):
        table, packed = self.path / "rows.csv", self.path / "rows.parquet"
        if table.is_file():
            return self._engine.read(table)
        if not packed.is_file():
            what = "neither rows.csv nor rows.parquet; the run may be kept without its rows"
            raise ValueError(f"path: {self.path} has {what}")
        file = _parquet.open_checked(packed)
        how = f"`pidlab export {self.path} --output {table}` makes a table that needs no such library"
        try:
            return self._engine.read_parquet(file)
        except ImportError:
            raise ImportError(f"frames: install polars or pyarrow to read {packed}; {how}") from None
        except Exception as error:
            raise ValueError(f"path: {packed} cannot be read: {error}") from None

    def table(self, name):
        """A list of ``analysis.json`` as a frame, such as ``"series"``, ``"ratios"``, ``"cells"``.

        A dotted name goes into nested lists, each row with what surrounds it:
        ``"series.growth.laws"``. Fields of nested objects are joined by ``_``.
        """
        if not isinstance(name, str):
            raise TypeError(f"name: expected a string, not {type(name).__name__}")
        return self._engine.frame(_nested(self.analysis, name.split(".")))

    @property
    def tables(self):
        """The names that `table` takes, nested ones left out."""
        return [name for name, value in self.analysis.items() if _is_table(value)]

    @property
    def claims(self):
        return self._engine.frame([_flat(claim) for claim in self.analysis.get("claims", [])])

    @property
    def figures(self):
        found = sorted((self.path / "figures").glob("*.csv"))
        return {path.stem: Figure(path) for path in found}

    def __repr__(self):
        name, scale = self.manifest.get("experiment"), self.manifest.get("scale")
        return f"<Run of {name} at scale {scale}: {self.manifest.get('rows')} rows>"


class Figure:
    """The data of a figure: a series for each panel and layer.

    Attributes
    ----------
    name, caption : str
    series : dict
        From ``(panel, layer)`` to a dictionary of lists ``x``, ``y``, ``low``, ``high``.

    Examples
    --------
    ::

        for (panel, layer), series in run.figures["cactus"].series.items():
            axes.plot(series["x"], series["y"])
    """

    def __init__(self, path):
        self.name = path.stem
        caption = path.with_suffix(".txt")
        self.caption = caption.read_text(encoding="utf-8").strip() if caption.is_file() else ""
        self.series = {}
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                empty = {"x": [], "y": [], "low": [], "high": []}
                series = self.series.setdefault((int(row["panel"]), int(row["layer"])), empty)
                for axis, values in series.items():
                    values.append(float(row[axis]) if row[axis] else None)

    def __repr__(self):
        return f"<Figure {self.name}: {len(self.series)} series>"


def _read_json(path):
    with path.open(encoding="utf-8") as file:
        return json.load(file)


def _read_toml(path):
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _sets(experiment):
    """What each set of states, models or instances was made with."""
    for kind in ("states", "models", "instances"):
        for entry in experiment.get(kind, []):
            fields = {k: v for k, v in entry.items() if k not in ("label", "random", "set", "sizes")}
            fields.update(entry.get("set", {}))
            if "random" in entry:
                fields.update(json.loads(_pidlab.random_defaults()))
                fields.update(entry["random"])
                del fields["pids"]  # the column `size`, row by row
                fields["width_least"], fields["width_largest"] = fields.pop("width")
            yield entry.get("label", ""), _flat(fields)


def _steps(experiment):
    """Kinds and strengths of each transformation."""
    for entry in experiment.get("transformations", []):
        steps = entry.get("steps", [])
        strengths = [float(step.get("strength", 1.0)) for step in steps]
        yield entry.get("label", ""), {
            "kinds": "+".join(step.get("kind", "") for step in steps),
            "strength": min(strengths, default=None),
        }


def _is_parameter(name):
    return name.startswith(("set_", "transformation_"))


def _is_table(value):
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _flat(fields, prefix=""):
    """Objects within objects as fields of their own; lists of objects are tables and left out."""
    row = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            row.update(_flat(value, f"{prefix}{name}_"))
        elif isinstance(value, list):
            if not any(isinstance(item, (dict, list)) for item in value):
                row[prefix + name] = ", ".join(map(str, value))
        else:
            row[prefix + name] = value
    return row


def _nested(fields, path, around=None):
    around = around or {}
    name, rest = path[0], path[1:]
    value = (fields or {}).get(name)
    if isinstance(value, dict) and rest:
        return _nested(value, rest, around)
    if not isinstance(value, list):
        if value is None and around:
            return []
        raise ValueError(f"name: there is no table {name!r} in analysis.json")
    if not rest:
        return [{**around, **_flat(row)} for row in value]
    scalars = ({k: v for k, v in row.items() if not isinstance(v, (dict, list))} for row in value)
    outer = ({**around, **{f"{name}_{k}": v for k, v in row.items()}} for row in scalars)
    return [row for item, more in zip(value, outer) for row in _nested(item, rest, more)]


def _texts(file):
    """A table in Parquet as text, such as those in CSV are; a frame of polars."""
    import polars

    try:
        return polars.read_parquet(file).select(polars.all().cast(polars.String))
    except polars.exceptions.PanicException as panic:
        raise ValueError(f"polars panicked: {panic}") from None


class _Polars:
    def __init__(self):
        import polars

        self.pl = polars

    def read(self, path):
        return self._typed(self.pl.read_csv(path, infer_schema=False))

    def read_parquet(self, file):
        return self._typed(_texts(file))

    def _typed(self, frame):
        pl = self.pl
        columns = []
        for name in frame.columns:
            column = pl.col(name)
            if name in _CATEGORIES:
                columns.append(column.fill_null("").cast(pl.Categorical))
            elif name in _BOOLEANS:
                columns.append(column.is_in(_YES))
            elif _is_parameter(name):
                numbers = frame[name].cast(pl.Float64, strict=False)
                is_number = numbers.null_count() == frame[name].null_count()
                columns.append(numbers.alias(name) if is_number else column.cast(pl.Categorical))
            elif name not in _TEXTS:
                columns.append(column.cast(pl.UInt64 if name in _UNSIGNED else pl.Int64, strict=False))
        return frame.with_columns(columns)

    def without(self, frame, names):
        return frame.drop(names)

    def mapped(self, frame, column, name, values):
        texts = frame[column].cast(self.pl.String).to_list()
        values = self.pl.Series(name, [values.get(text) for text in texts], strict=False)
        is_text = values.dtype == self.pl.String
        return frame.with_columns(values.cast(self.pl.Categorical) if is_text else values)

    def frame(self, rows):
        return self.pl.DataFrame(rows, infer_schema_length=None)


class _Pandas:
    def __init__(self):
        import pandas

        self.pd = pandas

    def read(self, path):
        return self._typed(self.pd.read_csv(path, dtype=str, keep_default_na=False))

    def read_parquet(self, file):
        try:
            frame = _texts(file)
        except ImportError:
            frame = self.pd.read_parquet(file, dtype_backend="numpy_nullable").astype(object)
            return self._typed(frame.where(frame.notna(), "").map(str))
        columns = {name: frame[name].fill_null("").to_list() for name in frame.columns}
        return self._typed(self.pd.DataFrame(columns, dtype=str))

    def _typed(self, frame):
        for name in frame.columns:
            if name in _CATEGORIES:
                frame[name] = frame[name].astype("category")
            elif name in _BOOLEANS:
                frame[name] = frame[name].isin(_YES)
            elif _is_parameter(name):
                numbers = self.pd.to_numeric(frame[name], errors="coerce")
                is_number = (numbers.isna() == (frame[name] == "")).all()
                frame[name] = numbers if is_number else frame[name].astype("category")
            elif name in _UNSIGNED:
                frame[name] = frame[name].map(int).astype("uint64")
            elif name not in _TEXTS:
                frame[name] = self.pd.to_numeric(frame[name], errors="coerce").astype("Int64")
        return frame

    def without(self, frame, names):
        return frame.drop(columns=names)

    def mapped(self, frame, column, name, values):
        values = self.pd.Series([values.get(text) for text in frame[column].astype(str)])
        if any(isinstance(value, str) for value in values):
            values = values.astype("category")
        elif values.isna().all():
            values = values.astype("float64")
        return frame.assign(**{name: values.set_axis(frame.index)})

    def frame(self, rows):
        return self.pd.DataFrame(rows)
