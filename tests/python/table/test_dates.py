"""Dates become year, month and weekday: of every library, as text in any order, and in new rows."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import Table
from fasttree._checks.data_warnings import DataWarning
from fasttree.model_selection.time_order import places_in_time
from fasttree.table.columns import Column
from fasttree.table.date_texts import ORDERS, infer_date_order, moment_of, share_of_dates
from fasttree.table.dates import (
    DateFormat,
    date_orders,
    date_part_columns,
    date_reason,
    form_of_dates,
    parse_date_reason,
    part_names,
    time_zone_of,
)

DAYS = [datetime.date(2019, 12, 31) + datetime.timedelta(days=17 * i) for i in range(60)]
WANTED = np.array([(d.year, d.month, d.isoweekday()) for d in DAYS], dtype=float)


def parts(name, values, order="ymd"):
    return np.array([c.values for c in date_part_columns(name, values, DateFormat.parse(order))]).T


def test_dates_of_every_kind_have_the_numbers_of_the_calendar():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    stamps = pd.Series(pd.to_datetime(DAYS))
    for values in (
        DAYS,
        [datetime.datetime(d.year, d.month, d.day, 23, 59) for d in DAYS],
        stamps,
        stamps.dt.tz_localize("UTC"),
        pd.Series(DAYS, dtype=object),
        stamps.to_numpy(),
        np.array(DAYS, dtype="datetime64[D]"),
        pl.Series(DAYS),
        pl.Series(DAYS).cast(pl.Datetime),
        pa.chunked_array([pa.array(DAYS)]),
    ):
        assert np.array_equal(parts("d", values), WANTED)
    for form, order in (
        ("%Y-%m-%d", "ymd"),
        ("%Y/%m/%d 08:30", "ymd"),
        ("%Y-%m-%dT10:00:00Z", "ymd"),
        ("%d.%m.%Y", "dmy"),
        ("%d/%m/%Y", "dmy"),
        ("%m/%d/%Y", "mdy"),
        ("%d-%b-%Y", "ymd"),
        ("%d %B %Y", "ymd"),
    ):
        texts = [d.strftime(form) for d in DAYS]
        assert infer_date_order(texts) == order, form
        assert np.array_equal(parts("d", texts, order), WANTED), form
        codes = np.arange(len(texts), dtype=np.int32)
        assert np.array_equal(
            parts("d", Column("d", "nominal", codes, tuple(texts)), order), WANTED
        )


def test_days_before_1970_and_missing_ones():
    days = [datetime.date(1900, 3, 1), None, datetime.date(1969, 12, 31)]
    wanted = [[1900, 3, 4], [np.nan] * 3, [1969, 12, 3]]
    array = np.array(["1900-03-01", "NaT", "1969-12-31"], dtype="datetime64[s]")
    for values in (
        days,
        pd.Series(pd.to_datetime(days)),
        array,
        ["1900-03-01", None, "1969-12-31"],
    ):
        assert np.array_equal(parts("d", values), wanted, equal_nan=True)
    empty = Column("d", "numeric", np.full(2, np.nan))
    assert np.isnan(parts("d", empty)).all()
    codes = np.array([0, -1], dtype=np.int32)
    half = Column("d", "nominal", codes, ("2024-02-29",))
    assert np.array_equal(parts("d", half), [[2024, 2, 4], [np.nan] * 3], equal_nan=True)
    with pytest.warns(
        UserWarning, match="'d': 3 values not read as dates, but treated as missing: 'soon"
    ):
        assert np.isnan(parts("d", ["soon", "2024-02-30", 7, None])).all()
    with pytest.warns(
        UserWarning, match="'d': 1 value not read as dates, but treated as missing: '1/2/2024'"
    ):
        assert np.isnan(parts("d", ["1/2/2024", "2024-03-01"])[:, 0]).tolist() == [True, False]


def test_one_day_above_twelve_tells_the_order():
    texts = [f"{1 + i % 12}/{1 + i // 12}/2024" for i in range(99)]
    assert infer_date_order(texts) is None
    assert infer_date_order([*texts, "13/1/2024"]) == "dmy"
    assert infer_date_order([*texts, "1/13/2024"]) == "mdy"
    assert infer_date_order([*texts, "13/1/2024", "1/13/2024"]) is None
    assert infer_date_order(["5/5/2024", "6/6/2024"]) == "dmy"  # the same in both


@pytest.mark.parametrize(
    "texts",
    [
        ["1/2/2024", "3/4/2024"],  # either may be the day
        ["13/1/2024", "1/13/2024"],
        ["12:30:00", "13:45:10"],
        ["1.2.24", "3.4.24"],
        ["1.2.3.4", "10.0.0.1"],
        ["a", "b"],
        ["12 05 99", "13 06 24"],
        ["12.5,24", "13.6,24"],
        ["12-5/2024", "13-6/2024"],
        [],
    ],
)
def test_texts_without_a_certain_day_have_no_order(texts):
    assert infer_date_order(texts) is None


@pytest.mark.parametrize(
    "form", ["{:02} {:02} {:02}", "{}.{},{:02}", "{}-{}-{:02}-7", "{}.{}.{}.1"]
)
def test_codes_are_no_texts_of_dates(form):
    codes = [form.format(1 + i % 12, 1 + i % 7, i % 60) for i in range(100)]
    assert share_of_dates(codes) == 0


def test_a_table_has_the_parts_after_all_other_columns():
    pl = pytest.importorskip("polars")
    frame = pd.DataFrame({"when": pd.to_datetime(DAYS), "a": np.arange(60.0)})
    frame["text"] = [d.strftime("%d.%m.%Y") for d in DAYS]
    names = ["when", "a", "text", *part_names(["when", "text"])]
    for rows in (frame, pl.from_pandas(frame), {n: frame[n].to_list() for n in frame}):
        table = Table(rows, dates=["when", "text"])
        assert table.feature_names == names and table.shape == (60, 9)
        assert table.dates == {"when": "ymd", "text": "dmy"}
        assert np.array_equal(table.X[:, 3:6].astype(float), WANTED)
        assert np.array_equal(table.X[:, 6:].astype(float), WANTED)
    part = table.take([3, 4])
    assert part.dates == table.dates and part.feature_names == names
    assert table.drop("when").dates == {"text": "dmy"}
    again = Table(frame[["a", "text"]]).with_dates({"text": "dmy"})
    assert again.feature_names == ["a", "text", *part_names(["text"])]
    assert Table(frame[["a"]]).with_dates([]).dates == {}


def test_what_holds_no_dates_is_refused():
    with pytest.raises(ValueError, match="day and month cannot be told .* say which order they"):
        Table({"t": ["1/2/2024", "3/4/2024"]}, dates=["t"])
    for cells in ([0.5, 7.0], ["p", None], [31, 32]):
        for dates in (["t"], {"t": "ymd"}):
            with pytest.raises(ValueError, match=r"dates: 't' holds no dates.* \("):
                Table({"t": cells}, dates=dates)
    assert Table({"t": [20240131, 20241231]}, dates=["t"]).dates == {"t": "ymd"}
    assert Table({"t": ["1/2/2024", "3/4/2024"]}, dates={"t": "mdy"}).X[0, 2] == 1
    with pytest.raises(ValueError, match=r"dates\['t'\]='dym' is not known"):
        Table({"t": ["2024-01-31"]}, dates={"t": "dym"})
    with pytest.raises(ValueError, match="no column is named 'tt'; did you mean 't'"):
        Table({"t": ["2024-01-31"]}, dates=["tt"])
    with pytest.raises(TypeError, match="without column names"):
        Table([["2024-01-31"]], dates=["t"])
    with pytest.raises(ValueError, match="duplicate column names: 't .year.'"):
        Table({"t": ["2024-01-31"], "t (year)": [1]}, dates=["t"])


@pytest.mark.parametrize("zone", ["", " UTC", " UTC+02:00", " UTC-09:30", " Europe/Berlin"])
@pytest.mark.parametrize("order", ["ymd", "dmy", "mdy"])
@pytest.mark.parametrize("text", ["2024-01-31", "31.1.2024", "2024/01/31"])
def test_the_reason_of_a_column_of_dates_says_how_it_is_read(order, zone, text):
    date_format = DateFormat.parse(order + zone)
    reason = date_reason(date_format, [text])
    assert (
        parse_date_reason(reason)._replace(is_long=False) == date_format
        and str(date_format) == order + zone
    )
    assert form_of_dates(reason) in reason and date_reason(date_format).startswith("dates")
    assert (
        parse_date_reason("my " + reason)
        is parse_date_reason(reason[:-1])
        is parse_date_reason("")
        is None
    )


def test_a_reason_alone_makes_no_dates():
    reasons = {"when": "dates: used as year, month and weekday"}
    assert date_orders(["when", "a"], reasons) == {}
    assert date_orders(["when", *part_names(["when"])], reasons) == {"when": "ymd"}
    assert date_orders(["when", *part_names(["when"])], {"when": "an identifier"}) == {}


@pytest.mark.parametrize("form", ["%d.%m.%y", "%m/%d/%y", "%b %d, %Y", "%d-%b-%y", "%d %B %Y"])
def test_short_years_and_names_of_months_are_dates(form):
    days = [datetime.date(1999, 12, 31) + datetime.timedelta(days=31 * i) for i in range(40)]
    texts = [day.strftime(form) for day in days]
    order = infer_date_order(texts)
    assert [moment_of(text, order).at.date() for text in texts] == days


def test_new_rows_of_another_order_are_read_in_their_own():
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(200)]
    made = {
        form: {"d": [day.strftime(form) for day in days], "z": [i * 37 % 11 for i in range(200)]}
        for form in ("%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d")
    }
    labels = ["pq"[day.month % 2] for day in days]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fasttree.FastTreeClassifier().fit(pd.DataFrame(made["%d.%m.%Y"]), labels)
    with pytest.warns(UserWarning, match="read in its own order"):
        assert model.predict(pd.DataFrame(made["%m/%d/%Y"])).tolist() == labels
    assert model.predict(pd.DataFrame(made["%Y-%m-%d"])).tolist() == labels


@pytest.mark.parametrize("form", ["{d}.{m}.{y}", "{m}.{d}.{y}", "{d}. {m}. {y}", "{d}-{m}-{y}"])
@pytest.mark.parametrize("century", [0, 1900, 2000])
def test_every_day_of_a_year_is_read_without_zeros(form, century):
    days = [datetime.date(2023, 1, 1) + datetime.timedelta(days=i) for i in range(365)]
    texts = [form.format(d=d.day, m=d.month, y=d.year if century else d.year % 100) for d in days]
    order = infer_date_order(texts)
    assert order == ("mdy" if form.startswith("{m}") else "dmy")
    assert [moment_of(text, order).at.date() for text in texts] == days


FORMS = [" 10:00:00 +0000 UTC", "T10", "_10:00", "-10.00.00", " - 10:00", " at 10:00", " (Tue)"]
FORMS += [
    ", 10:00 Uhr",
    " 10:00 Europe/Berlin",
    "T10:00:00.5+01:00[Europe/Paris]",
    ":10:00:00 +0100",
]


@pytest.mark.parametrize("tail", FORMS)
def test_days_are_read_before_the_times_that_programs_write(tail):
    texts = [day.strftime("%d.%m.%Y") + tail for day in DAYS]
    assert infer_date_order(texts) == "dmy" and np.array_equal(parts("d", texts, "dmy"), WANTED)


TAILS = ["-AB", "-7", ".1", "/2", "x", " AB-3", ", no. 4", " 10:00-B", "T", " 7", " 10:7"]


@pytest.mark.parametrize("tail", TAILS)
def test_identifiers_that_begin_like_dates_are_none(tail):
    for form in ("%d-%m-%Y", "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y"):
        texts = [day.strftime(form) + tail for day in DAYS]
        assert infer_date_order(texts) is None, texts[0]
        assert all(moment_of(text, order) is None for text in texts for order in ORDERS)


CLOCKS = {
    "9:05": datetime.time(9, 5),
    "09:05": datetime.time(9, 5),
    "9.05": datetime.time(9, 5),
    "9:05 am": datetime.time(9, 5),
    "9:05:30 p.m.": datetime.time(21, 5, 30),
    "12:00 AM": datetime.time(0),
    "12:00PM": datetime.time(12),
    "21:05 pm": datetime.time(21, 5),
    "23:59:59,5": datetime.time(23, 59, 59),
}


@pytest.mark.parametrize(
    "zone", ["", "Z", " UTC", "+01:00", " -0930", " GMT+2", "+05", "+02:00[A/B]"]
)
@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("day", ["31.01.2024", "2024-01-31", "31 Jan 2024", "31/Jan/24", "31.1.24"])
def test_every_time_of_day_is_read_behind_every_date(day, clock, zone):
    offset = {" -0930": -9.5, "+01:00": 1, " GMT+2": 2, "+05": 5, "+02:00[A/B]": 2}.get(zone, 0)
    local = datetime.datetime.combine(datetime.date(2024, 1, 31), CLOCKS[clock])
    for separator in (" ", "T", ", ", ":"):
        text = f"{day}{separator}{clock}{zone}"
        moment = moment_of(text, "dmy")
        assert moment.at.replace(tzinfo=None) == local, text
        assert moment.at.utcoffset() == (datetime.timedelta(hours=offset) if zone else None)
        assert moment.form == ("zone" if zone else "time"), text
        assert (moment.fraction == "5") == (",5" in text)
        assert bool(time_zone_of([text])) == bool(zone), text


@pytest.mark.parametrize("tail", [" 24:00", " 10:60", " 10:00 CET", " 10:00+25:00"])
def test_a_day_with_a_time_that_is_not_certain_has_no_place_in_time(tail):
    text = f"2024-01-31{tail}"
    assert moment_of(text, "ymd").form == "odd" and time_zone_of([text]) == ""
    with pytest.raises(ValueError, match="has no certain order"):
        places_in_time([text, "2024-02-01 10:00"], "when")
    assert parts("d", [text]).tolist() == [[2024, 1, 3]]


@pytest.mark.parametrize("digits", [1, 3, 6, 9, 12])
@pytest.mark.parametrize("zone", ["", "Z", "+01:00"])
def test_fractions_of_a_second_are_places_in_time(digits, zone):
    ends = ["".zfill(digits)[:-1] + str(last) for last in (7, 2, 5, 0)]
    texts = [f"2024-01-31T10:00:00.{end}{zone}" for end in ends]
    assert places_in_time(texts, "when").tolist() == [3, 1, 2, 0]
    same = [f"2024-01-31T10:00:00{end}{zone}" for end in ("", ".0", ".000")]
    assert places_in_time(same, "when").tolist() == [0, 0, 0]


@pytest.mark.parametrize("mark", ["", ".000", " p.m."])
def test_points_of_a_time_of_day_do_not_put_the_day_first(mark):
    assert infer_date_order([f"1/2/2024 10:00:00{mark}", f"3/4/2024 10:00:00{mark}"]) is None


@pytest.mark.parametrize("wrong", ["ymd local", "ymd UTC local", "dmy  local", "mdy UTC+25:00"])
def test_what_no_time_zone_is_called_is_refused(wrong):
    with pytest.raises(ValueError, match="time zone .* is not known here"):
        Table({"t": ["2024-01-31"]}, dates={"t": wrong})


def test_the_ends_of_the_calendar_have_a_place():
    texts = ["9999-12-31T23:00-05:00", "0001-01-01T00:00+05:00"]
    assert places_in_time(texts, "when").tolist() == [1, 0]


@pytest.mark.parametrize("zone", ["UTC", "UTC+05:30", "UTC-09:30", "Europe/Berlin"])
def test_series_of_every_library_have_gaps_and_are_converted(zone):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    cells = [datetime.datetime(2024, 1, 31, 23, tzinfo=datetime.timezone.utc), None]
    wanted = parts("d", cells, f"ymd {zone}")
    assert np.isnan(wanted[1]).all() and not np.isnan(wanted[0]).any()
    for values in (
        pd.Series(cells),
        pd.Series(cells).dt.tz_convert("America/New_York"),
        pl.Series(cells),
        pa.chunked_array([pa.array(cells, pa.timestamp("ms", "UTC"))]),
        pd.Series(
            pa.array(cells, pa.timestamp("ns", "UTC")),
            dtype=pd.ArrowDtype(pa.timestamp("ns", "UTC")),
        ),
    ):
        assert np.array_equal(parts("d", values, f"ymd {zone}"), wanted, equal_nan=True)


SHORT = [datetime.date(2019, 1, 1) + datetime.timedelta(days=5 * i) for i in range(200)]


@pytest.mark.parametrize("tail", ["", " 15:40:26"])
@pytest.mark.parametrize(("form", "order"), [("%y-%m-%d", "ymd"), ("%d-%m-%y", "dmy")])
def test_the_year_of_two_digits_takes_few_values(form, order, tail):
    texts = [day.strftime(form) + tail for day in SHORT]
    assert infer_date_order(texts) == order
    assert [moment_of(text, order).at.date() for text in texts] == SHORT
    with pytest.warns(UserWarning, match=f"{texts[0][:8]}.* is 2019-01-01"):
        model = fasttree.fit(pd.DataFrame({"d": texts}), [day.year for day in SHORT])
    assert model.predict({"d": texts[150:151]}).tolist() == [SHORT[150].year]


@pytest.mark.parametrize("n", [2, 12, 30])
@pytest.mark.parametrize("step", [0, 1, 7])  # 0: all on the first day of a month
def test_years_of_two_digits_that_cannot_be_told_are_not_used(n, step):
    texts = [f"{1 + i % n:02}-{1 + i % 2:02}-{1 + i * step % 28:02}" for i in range(n)] * 2
    assert infer_date_order(texts) is None
    if n > 2:
        rows = pd.DataFrame({"d": texts, "z": [0.5 + i % 7 for i in range(2 * n)]})
        wanted = "year, month and day cannot be told apart.* dates={'d': 'dmy'} or .*{'d': 'ymd'}"
        with pytest.warns(UserWarning, match=wanted):
            fasttree.fit(rows, [0, 1] * n)
    pointed = [text.replace("-", ".") for text in [*texts, "31.01.19"]]
    assert infer_date_order(pointed) == "dmy"


@pytest.mark.parametrize("freq", ["MS", "ME", "QE", "YS"])
@pytest.mark.parametrize(("form", "order"), [("%y-%m-%d", "ymd"), ("%d-%m-%y", "dmy")])
def test_dates_of_whole_months_do_not_take_the_day_for_the_year(freq, form, order):
    texts = pd.date_range("2000-12-01", "2027-12-31", freq=freq).strftime(form).tolist()
    assert infer_date_order(texts) in (order, None)


FORMS = {
    "%y-%m-%d": "ymd",
    "%d-%m-%y": "dmy",
    "%m-%d-%y": "mdy",
    "%d/%m/%Y": "dmy",
    "%m/%d/%y": "mdy",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("start", [2000, 2001, 2004])
@pytest.mark.parametrize("days", [[1], [6], [15], range(13, 29), range(2, 12), [5, 20]])
def test_dates_within_the_months_of_many_years_are_read(days, start, form):
    rng = np.random.default_rng(start)
    months = [(year, month) for year in range(start, start + 22) for month in range(1, 13)]
    dates = [datetime.date(*month, int(rng.choice([*days]))) for month in months]
    order = FORMS[form]
    assert infer_date_order([date.strftime(form) for date in dates]) == order
    # With most months missing the order may be in doubt, but is no other.
    some = [date.strftime(form) for date in rng.permutation(dates)[:60]]
    own = [moment_of(text, order) for text in some]
    found = infer_date_order(some)
    assert found is None or [moment_of(text, found) for text in some] == own


@pytest.mark.parametrize("mark", ["-", "/", "."])
def test_a_stated_order_of_two_digits_is_obeyed_in_new_rows_and_saved_models(mark, tmp_path):
    texts = [day.strftime(f"%y{mark}%m{mark}%d") for day in SHORT]
    table = Table({"d": texts, "y": [day.year for day in SHORT]}, target="y", dates={"d": "ymd"})
    assert np.array_equal(table.X[:, 1].astype(int), [day.year for day in SHORT])
    model = fasttree.fit(table, task="classification")
    model.save(tmp_path / "model.json")
    for one in (model, fasttree.load(tmp_path / "model.json")):
        assert one.predict({"d": texts[:1]}) == [2019]
        assert one.predict({"d": texts[-1:]}) == [2021]


@pytest.mark.parametrize("form", ["%d.%m.%y", "%d-%m-%y"])
def test_two_digits_are_no_first_year_to_a_model_of_four(form):
    years = [day.year for day in SHORT]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fasttree.fit(pd.DataFrame({"d": [str(day) for day in SHORT]}), years)
    with pytest.warns(UserWarning, match="read in its own order"):
        assert model.predict({"d": [day.strftime(form) for day in SHORT]}).tolist() == years
    with pytest.warns(UserWarning, match="not read as dates"):
        model.predict({"d": ["05-06-19"]})


@pytest.mark.parametrize("form", ["%Y%m%dT000000", "%Y%m%dT101500Z", "%d%b%Y", "%d%b%Y:10:15:00"])
def test_compact_dates_are_dates(form):
    texts = [day.strftime(form) for day in DAYS]
    assert share_of_dates(texts) == 1 and np.array_equal(parts("d", texts), WANTED)
    assert infer_date_order(texts) == "ymd"


@pytest.mark.parametrize("code", ["20141313T000000", "12ab2014", "20141013T99", "12dec34", "1345"])
def test_codes_like_compact_dates_are_none(code):
    assert moment_of(code, "ymd") is None


def test_dates_as_whole_numbers_are_named_and_read_if_stated():
    numbers = [int(day.strftime("%Y%m%d")) for day in SHORT]
    years = [day.year for day in SHORT]
    frame = pd.DataFrame({"d": numbers, "z": 1.5})
    with pytest.warns(UserWarning, match=r"'d' has dates as whole numbers.*dates=\{'d': 'ymd'\}"):
        fasttree.fit(frame, years)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fasttree.fit(pd.DataFrame({"d": [*numbers[1:], 20191301]}), years)
        table = Table(frame[["d"]].assign(y=years), target="y", dates={"d": "ymd"})
        model = fasttree.fit(table, task="classification")
        assert model.predict({"d": numbers}).tolist() == years
    with pytest.warns(UserWarning, match="pandas.to_datetime"):
        fasttree.fit(frame.astype({"d": str}), years)


PERIODS = {
    "M": [
        "{0.year}-{0.month:02}",
        "{0:%b} {0.year}",
        "{0.year}M{0.month:02}",
        "{0.month}/{0.year}",
    ],
    "Q": ["{0.year}Q{q}", "Q{q} {0.year}", "{0.year}-Q{q}", "Q{q}{0.year}"],
    "W": ["{iso.year}-W{iso.week:02}", "{iso.year}W{iso.week:02}", "W{iso.week}/{iso.year}"],
}


@pytest.mark.parametrize("frequency", PERIODS)
def test_months_quarters_and_weeks_are_read_as_their_first_day(tmp_path, frequency):
    periods = pd.period_range("2003-05-05", periods=80, freq=frequency)
    first = [period.start_time for period in periods]
    expected = [(day.year, day.month, day.isoweekday()) for day in first]
    y = ["p" if day.month < 7 else "q" for day in first]
    frames = [pd.DataFrame({"t": periods, "y": y})]
    for form in PERIODS[frequency]:
        texts = [form.format(d, q=(d.month + 2) // 3, iso=d.isocalendar()) for d in first]
        frames.append(pd.DataFrame({"t": texts, "y": y}))
    for frame in frames:
        with pytest.warns(DataWarning, match="year, month and weekday stand for the dates 't'"):
            model = fasttree.fit(frame, "y")
        assert model.get_n_leaves() == 2
        table = Table(frame, target="y", dates=["t"])
        assert np.array_equal(table.X[:, 1:].astype(float), expected)
        assert all((model.predict(other) == y).all() for other in frames)
        frame.to_csv(tmp_path / "t.csv", index=False)
        if not frame.equals(frames[0]) or frequency != "W":  # pandas writes both days of a week
            assert (model.predict(tmp_path / "t.csv") == y).all()
    assert np.array_equal(places_in_time(frames[1]["t"], "t"), np.arange(80))


@pytest.mark.parametrize("form", ["{0}/{1:02}", "{0}-{2:02}", "{0}Q{3}", "{0}-{4}", "AB {0}"])
def test_seasons_and_numbers_of_years_are_no_months(form):
    years = range(2001, 2009)
    texts = [form.format(y, (y + 1) % 100, y % 7 + 20, y % 5 + 4, y % 50 + 100) for y in years]
    assert share_of_dates(texts) < 0.5


def test_a_column_of_dates_is_refused_with_the_argument_that_reads_it():
    polars = pytest.importorskip("polars")
    frame = pd.DataFrame({"when": pd.to_datetime(DAYS), "a": range(60)})
    rows = [[day, 1.0] for day in DAYS]
    for X in (frame, polars.from_pandas(frame), frame.to_dict("list")):
        with pytest.raises(TypeError, match=r"'when' holds .*weekday: dates=\['when'\]$"):
            Table(X)
    with pytest.raises(TypeError, match=r"dates=\['x0'\]$"):
        Table(rows)
    hours = frame["when"] - frame["when"].min()
    with pytest.raises(TypeError, match="hour of the day, month\\) or drop the column$"):
        Table({"spent": hours})


@pytest.mark.parametrize("form", ["FY{} Q{}", "FY {}-Q{}", "FY{}Q{}"])
def test_quarters_of_fiscal_years_are_dates(form):
    frame = pd.DataFrame({"quarter": [form.format(2015 + i % 8, 1 + i % 4) for i in range(96)]})
    frame["y"] = np.where(np.arange(96) % 8 > 3, "late", "early")
    with pytest.warns(DataWarning, match="year, month and weekday stand for the dates 'quarter'"):
        model = fasttree.fit(frame, "y")
    assert "quarter (year)" in model.to_text()
