"""The same instants give the same predictions, whatever zone and container new rows have."""

from __future__ import annotations

import datetime
import pickle
import warnings
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fasttree
from fasttree import Table
from fasttree.model_selection import cross_validate
from fasttree.table.dates import DateFormat
from tests.python import tools

ZONES = ["UTC", "America/New_York", "Europe/Berlin"]
UTC = datetime.timezone.utc
LOCAL = DateFormat("ymd", is_local=True)
pytestmark = pytest.mark.filterwarnings("ignore:.*(in its own order|left out|stand for the dates)")


def instants():
    """Hours around midnight in all zones, among them the nights when clocks are changed."""
    days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=15 * i) for i in range(24)]
    days += [datetime.datetime(2024, *night) for night in ((3, 10), (3, 31), (10, 27), (11, 3))]
    hours = (0.75, 6.5, 8.5, 22.5, 23.5)
    return [(day + datetime.timedelta(hours=h)).replace(tzinfo=UTC) for day in days for h in hours]


INSTANTS = instants()


def pandas_typed(times, zone, unit="ns"):
    return pd.DataFrame({"when": pd.Series(times).dt.tz_convert(zone).dt.as_unit(unit)})


def polars_typed(times, zone):
    return pl.DataFrame({"when": pl.Series(times).dt.convert_time_zone(zone)})


def arrow_typed(times, zone):
    return pa.table({"when": pa.array(times).cast(pa.timestamp("ms", zone))})


def objects(times, zone):
    return {"when": [time.astimezone(ZoneInfo(zone)) for time in times]}


def offsets(times, zone):
    """Cells of which each has a fixed offset."""
    local = objects(times, zone)["when"]
    return {"when": [t.astimezone(datetime.timezone(t.utcoffset())) for t in local]}


def text(times, zone, form="{:%Y-%m-%d %H:%M}{}"):
    local = objects(times, zone)["when"]
    ends = ["Z" if zone == "UTC" else t.isoformat()[-6:] for t in local]
    return {"when": [form.format(t, end) for t, end in zip(local, ends, strict=True)]}


CONTAINERS = {
    "pandas": pandas_typed,
    "pandas_s": lambda t, z: pandas_typed(t, z, "s"),
    "pandas_arrow": lambda t, z: arrow_typed(t, z).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas_objects": lambda t, z: pd.DataFrame(objects(t, z), dtype=object),
    "polars": polars_typed,
    "arrow": arrow_typed,
    "objects": objects,
    "timestamps": lambda t, z: {"when": list(pandas_typed(t, z)["when"])},
    "array": lambda t, z: {"when": pandas_typed(t, z)["when"].to_numpy()},
    "offsets": offsets,
    "text": lambda t, z: pd.DataFrame(text(t, z)),
    "text_t": lambda t, z: pl.DataFrame(text(t, z, "{:%d.%m.%Y %H:%M:%S.250} {}")),
    "text_short": lambda t, z: pa.table(text(t, z, "{:%Y/%m/%dT%H:%M:%S}{}")),
}


def with_number(rows):
    """Another column, so that no library's frame is of dates alone."""
    n = len(INSTANTS)
    if isinstance(rows, dict):
        return {**rows, "z": [i % 3 for i in range(n)]}
    if isinstance(rows, pd.DataFrame):
        return rows.assign(z=np.arange(n) % 3)
    if isinstance(rows, pl.DataFrame):
        return rows.with_columns(z=pl.Series(np.arange(n) % 3))
    return rows.append_column("z", pa.array(np.arange(n) % 3))


def labels(zone):
    """What only the calendar of a zone tells."""
    local = [time.astimezone(ZoneInfo(zone)) for time in INSTANTS]
    return np.array([f"{t.month}/{t.isoweekday() > 3}" for t in local])


def fitted(rows, y, **options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "columns left out|year, month")
        return fasttree.FastTreeClassifier(**options).fit(rows, y)


CASES = [(container, zone) for container in CONTAINERS for zone in ZONES]


@pytest.mark.parametrize("case", tools.thinned(CASES, 4))
def test_new_rows_are_converted_to_the_zone_of_the_training_rows(case):
    container, trained = case
    # Cells of several offsets are read in UTC.
    is_one = container not in ("offsets", "text", "text_t", "text_short")
    y = labels(trained if is_one else "UTC")
    rows = with_number(CONTAINERS[container](INSTANTS, trained))
    model = fitted(rows, y)
    leaves, shares = model.apply(rows), model.shap_values(rows)
    loaded = pickle.loads(pickle.dumps(fasttree.from_bytes(model.to_bytes())))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*zone")
        for other, make in CONTAINERS.items():
            for zone in ZONES:
                new = with_number(make(INSTANTS, zone))
                assert np.array_equal(loaded.predict(new), y), (other, zone)
        for zone in ZONES:
            new = with_number(CONTAINERS[container](INSTANTS, zone))
            assert model.score(new, y) == 1
            assert model.evaluate(new, y).accuracy == 1
            assert np.array_equal(model.apply(new), leaves)
            assert np.array_equal(model.shap_values(new), shares)
            assert model.prune("reduced_error", new, y).score(new, y) == 1


def other_models(rows, y):
    """What else makes numbers of dates."""
    number = np.unique(y, return_inverse=True)[1].astype(float)
    yield fasttree.FastTreeRegressor().fit(rows, number)
    yield fasttree.FastForestClassifier(3, random_state=0).fit(rows, y)
    yield fasttree.FastForestRegressor(3, random_state=0).fit(rows, number)
    yield fasttree.optimal_tree(rows, y == y[0], max_depth=2)
    yield fasttree.advise(rows, y == y[0], cv=2).model


@pytest.mark.parametrize("container", tools.thinned(["text", "pandas", "polars", "text_short"], 3))
def test_every_model_converts_new_rows(container):
    made = [with_number(CONTAINERS[container](INSTANTS, zone)) for zone in reversed(ZONES)]
    for model in other_models(
        pd.DataFrame(made[0]) if isinstance(made[0], dict) else made[0], labels("Europe/Berlin")
    ):
        known, *others = (model.predict(rows).tolist() for rows in made)
        assert others == [known] * len(others), type(model)
        assert len(set(known)) > 1


@pytest.mark.parametrize("container", ["text", "pandas", "polars", "arrow"])
def test_cross_validation_reads_the_zone_of_the_training_rows(container):
    """Winters alone have one offset, which is then the zone."""
    whole = pd.DataFrame(with_number(text(INSTANTS, "Europe/Berlin")))
    if container in ("pandas", "polars", "arrow"):
        whole = with_number(CONTAINERS[container](INSTANTS, "Europe/Berlin"))
    y = labels("Europe/Berlin")
    winter = np.array([i for i, t in enumerate(INSTANTS) if t.month < 3])
    test = np.setdiff1d(np.arange(len(y)), winter)
    take = getattr(whole, "take", None) if container != "pandas" else whole.iloc.__getitem__
    part = (lambda rows: whole[rows]) if container == "polars" else take
    found = cross_validate(whole, y, ["gini"], cv=[(winter, test)])
    model = fitted(part(winter), y[winter], criterion="gini", random_state=0)
    (scores,) = found.values()
    assert (
        np.array(found.classes)[scores.predictions].tolist() == model.predict(part(test)).tolist()
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_files_and_the_shell_convert_new_rows(ending, tmp_path, ftree):
    y = labels("Europe/Berlin")
    files = {}
    for zone in ZONES:
        frame = with_number(pandas_typed(INSTANTS, zone)).assign(y=y)
        files[zone] = tmp_path / f"{zone[:2]}.{ending}"
        write = getattr(frame, f"to_{ending}")
        write(files[zone], **({"index": False} if ending == "csv" else {}))
    model = fasttree.fit(files["Europe/Berlin"], "y", min_samples_leaf=2)
    found = "UTC" if ending == "csv" else "Europe/Berlin"
    assert model._schema.dates == {"when": DateFormat("ymd", found)}
    model.save(tmp_path / "model")
    own = {"predict": [], "evaluate": []}
    for zone, path in files.items():
        assert model.predict(path).tolist() == model.predict(files["UTC"]).tolist()
        assert model.evaluate(path).accuracy == model.evaluate(files["UTC"]).accuracy
        for command, said in own.items():
            said.append(ftree(command, tmp_path / "model", path)[1].replace(path.name, ""))
        assert (
            model.predict(with_number(pandas_typed(INSTANTS, zone))).tolist()
            == model.predict(path).tolist()
        )
    assert all(len(set(said)) == 1 for said in own.values())


def test_tables_of_two_zones_are_refused_and_can_be_told_a_zone():
    y = labels("Europe/Berlin")
    table = Table(pandas_typed(INSTANTS, "Europe/Berlin"), y, dates=["when"])
    assert table.dates == {"when": "ymd Europe/Berlin"}
    model = fasttree.FastTreeClassifier().fit(table)
    with pytest.raises(ValueError, match="time zone UTC, the model those in Europe/Berlin"):
        model.predict(Table(pandas_typed(INSTANTS, "UTC"), dates=["when"]))
    told = Table(pandas_typed(INSTANTS, "UTC"), dates={"when": "ymd Europe/Berlin"})
    assert model.predict(told).tolist() == y.tolist()
    assert model.predict(polars_typed(INSTANTS, "UTC")).tolist() == y.tolist()
    with pytest.raises(ValueError, match="time zone 'Europe/Nowhere' is not known here"):
        Table({"t": ["2024-01-31"]}, dates={"t": "ymd Europe/Nowhere"})
    with pytest.raises(ValueError, match="time zone 'local' is not known here"):
        Table({"t": ["2024-01-31"]}, dates={"t": "ymd local"})
    with pytest.raises(ValueError, match="holds the single value"):
        model.predict({"when": INSTANTS[0]})


def test_a_model_that_was_saved_without_a_zone_reads_the_clock():
    """As those of versions that kept none: the same reason in the schema."""
    y = labels("Europe/Berlin")
    table = Table(pandas_typed(INSTANTS, "Europe/Berlin"), y, dates={"when": LOCAL})
    assert table.unused == {"when": "dates: used as year, month and weekday"}
    model = fasttree.from_bytes(fasttree.FastTreeClassifier().fit(table).to_bytes())
    for rows in (pandas_typed, polars_typed, arrow_typed, objects, offsets, text):
        with pytest.warns(UserWarning, match="each is read in its own zone"):
            assert model.predict(rows(INSTANTS, "Europe/Berlin")).tolist() == y.tolist()


def test_one_offset_is_the_zone_and_one_row_is_converted():
    plus = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    local = [time.astimezone(plus) for time in INSTANTS]
    y = [str(t.month) + "p" * (t.isoweekday() > 3) for t in local]
    typed = pd.Series(INSTANTS).dt.tz_convert(plus)
    for rows in (
        {"when": local},
        {"when": [t.isoformat() for t in local]},
        {"when": [f"{t:%d.%m.%Y %H:%M}+0530" for t in local]},
        pd.DataFrame({"when": typed}),
        pa.table({"when": pa.array(INSTANTS).cast(pa.timestamp("us", "+05:30"))}),
    ):
        model = fitted(rows, y)
        assert model.predict(rows).tolist() == y
        for zone in ZONES:
            for make in CONTAINERS.values():
                assert model.predict(make(INSTANTS, zone)).tolist() == y
        row = {"when": [INSTANTS[4].astimezone(ZoneInfo("US/Pacific"))]}
        assert model.predict(row).tolist() == [y[4]]


def test_a_time_without_a_zone_is_one_of_the_zone_of_the_training_rows():
    y = labels("Europe/Berlin")
    model = fitted(pandas_typed(INSTANTS, "Europe/Berlin"), y)
    local = objects(INSTANTS, "Europe/Berlin")["when"]
    naive = [time.replace(tzinfo=None) for time in local]
    for when in (
        naive,
        np.array(naive, "datetime64[s]"),
        [time.date() for time in naive],
        [f"{time:%Y-%m-%d %H:%M}" for time in naive],
        [f"{time:%Y-%m-%d}" for time in naive],
        pl.Series(naive),
    ):
        assert model.predict({"when": when}).tolist() == y.tolist()


def test_zones_of_new_rows_are_read_as_they_are_where_the_model_knows_none():
    naive = [time.replace(tzinfo=None) for time in INSTANTS]
    y = labels("UTC")
    for rows in ({"when": naive}, {"when": [f"{time:%Y-%m-%d %H:%M}" for time in naive]}):
        model = fitted(rows, y)
        for name, make in CONTAINERS.items():
            with pytest.warns(
                UserWarning, match="'when'.* zone, and none is known of the training"
            ):
                found = model.predict(make(INSTANTS, "US/Pacific"))
            local = [time.replace(tzinfo=None) for time in objects(INSTANTS, "US/Pacific")["when"]]
            assert found.tolist() == model.predict({"when": local}).tolist(), name
