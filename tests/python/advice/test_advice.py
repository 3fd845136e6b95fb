"""`advise`: what is left out, what is recommended, and that its accuracy is honest."""

from __future__ import annotations

import datetime
import json
import re

import numpy as np
import pytest

import fasttree
from fasttree.advice.candidates import candidates
from fasttree.advice.selection import choose, corrected_accuracy
from fasttree.cli import main

pd = pytest.importorskip("pandas")


def customers(n=600, seed=0):
    rng = np.random.default_rng(seed)
    calls = rng.poisson(2, n)
    days = rng.integers(0, 400, n)
    frame = pd.DataFrame(
        {
            "id": rng.permutation(n),
            "since": [str(datetime.date(2023, 1, 1) + datetime.timedelta(int(d))) for d in days],
            "city": [f"c{v}" for v in rng.integers(0, 90, n)],
            "calls": calls,
            "country": "DE",
            "churn": np.where(rng.random(n) < 1 / (1 + np.exp(2.5 - calls)), "yes", "no"),
        }
    )
    return frame


@pytest.fixture(scope="module")
def advice():
    return fasttree.advise(customers(), "churn", cv="1x10", time_limit=None, progress=False)


def test_identifiers_and_constants_are_left_out_with_the_reason_and_dates_are_used(advice):
    reasons = dict(advice.left_out)
    assert list(reasons) == ["id", "country"] and advice.dates == ["since"]
    assert "identifier" in reasons["id"]
    assert "Year, month and weekday stand for the dates since." in advice.notes
    assert "one value, 'DE'" in reasons["country"]
    assert list(advice.model.feature_names_in_) == list(customers().columns[:-1])
    for name in reasons:
        assert any(note.startswith(f"Left out: {name} (") for note in advice.notes)


def test_a_note_says_what_refits_ask_first_where_they_cost_little(advice):
    frame = customers()
    found = advice.stability
    assert found.repeats == 100 and found.root_sentence() in advice.notes
    assert found.root_sentence() in advice.to_text()
    expected = advice.model.stability(frame.drop(columns="churn"), frame["churn"], repeats=100)
    assert found.to_dict() == expected.to_dict() == advice.to_dict()["stability"]
    assert fasttree.advise("iris", time_limit=60, progress=False).stability is None
    wide = np.random.default_rng(0).normal(size=(150, 140))
    large = fasttree.advise(wide, (wide[:, 0] > 0).astype(int), work="quick", progress=False)
    assert large.params and large.stability is None and large.to_dict()["stability"] is None


def test_refits_of_advice_draw_whole_groups():
    frame = customers(300)
    frame["site"] = np.arange(300) // 6
    found = fasttree.advise(frame, "churn", groups="site", work="quick", progress=False)
    site = frame["site"].to_numpy()
    times = found.stability.multiplicities(0)
    assert all(len(set(times[site == one])) == 1 for one in range(50)) and times.sum() >= 300 - 60


def test_dates_of_every_kind_are_used_as_year_month_and_weekday():
    frame = customers()
    stamps = pd.to_datetime(frame["since"])
    frame["stamp"], frame["object"] = stamps, list(stamps.dt.date)
    frame["german"] = stamps.dt.strftime("%d.%m.%Y")
    found = fasttree.advise(frame, "churn", time_limit=0.01, progress=False)
    frame["clock"] = stamps.dt.time
    frame["unclear"] = ["1/2/2024", "3/4/2024", "5/6/2023"] * (len(frame) // 3)
    found = fasttree.advise(frame, "churn", time_limit=0.01, progress=False)
    assert sorted(found.dates) == ["german", "object", "since", "stamp"]
    assert {"clock", "unclear"} <= {name for name, _ in found.left_out}
    pl = pytest.importorskip("polars")
    again = fasttree.advise(pl.from_pandas(frame), "churn", time_limit=0.01, progress=False)
    assert (again.dates, again.left_out) == (found.dates, found.left_out)


def test_the_recommended_tree_is_the_smallest_within_one_standard_error(advice):
    rows = list(advice.table)
    best = max(rows, key=lambda r: r["accuracy"])
    limit = best["accuracy"] - min(best["standard_error"], 0.01)  # at most one point is lost
    near = [r for r in rows if r["accuracy"] >= limit - 1e-12]
    (chosen,) = [r for r in advice.table if r["chosen"]]
    assert chosen is advice.table[0]
    assert chosen["leaves"] == min(r["leaves"] for r in near)
    assert {r["candidate"] for r in near} == {
        r["candidate"] for r in advice.table if r["within_one_se"]
    }
    assert advice.model.get_n_leaves() <= 60


def test_the_table_holds_what_cross_validation_finds(advice):
    frame = customers().drop(columns=["id", "country"])
    table = fasttree.Table(frame, target="churn", dates=["since"])
    for one in candidates(table)[:3]:
        again = fasttree.model_selection.cross_validate(
            table,
            estimators={one.name: fasttree.FastTreeClassifier(**one.params)},
            cv="1x10",
        )
        (row,) = [r for r in advice.table if r["candidate"] == one.name]
        assert row["accuracy"] == pytest.approx(again.mean(one.name, "accuracy"), abs=2e-3)
        assert row["leaves"] == pytest.approx(again.mean(one.name, "leaves"))


def test_the_code_makes_the_model(advice):
    space: dict = {"frame": customers()}
    exec(advice.code, space)
    assert space["model"].to_text() == advice.model.to_text()


def test_the_result_depends_on_data_and_seed_alone():
    how = {"time_limit": None, "progress": False, "cv": "1x10"}
    first, again, other = (
        fasttree.advise(customers(300), "churn", **how, **more)
        for more in ({}, {"n_jobs": 1}, {"random_state": 5})
    )
    assert (again.sentence, list(again.table)) == (first.sentence, list(first.table))
    assert list(other.table) != list(first.table)


def test_what_time_does_not_allow_is_named():
    found = fasttree.advise(customers(), "churn", time_limit=1e-9, progress=False)
    names = [
        c.name
        for c in candidates(fasttree.Table(customers()[["city", "calls", "churn"]], target="churn"))
    ]
    assert found.not_tried == names[1:]
    assert all(name in found.notes[-1] for name in names[1:])
    with pytest.raises(ValueError, match="time_limit=-1 must be a positive number"):
        fasttree.advise("iris", time_limit=-1)


def test_noise_gets_no_tree():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(400, 4)), columns=list("abcd"))
    frame["y"] = rng.choice(["n", "p"], 400, p=[0.7, 0.3])
    found = fasttree.advise(frame, "y", time_limit=None, progress=False)
    assert found.model.get_n_leaves() == 1 and found.params == {}
    assert found.sentence.startswith("No tree is better than always answering 'n'")
    assert abs(found.accuracy - found.majority) < 0.02


def test_a_target_that_is_no_class_is_refused():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=500), "y": rng.permutation(500)})
    with pytest.raises(ValueError, match="500 classes in 500 rows"):
        fasttree.advise(frame, "y", task="classification")
    with pytest.raises(ValueError, match="has one class"):
        fasttree.advise(frame.assign(y="x"), "y")
    with pytest.raises(ValueError, match="no column is left to learn from: a"):
        fasttree.advise(frame[["y"]].assign(a=1, y=["p", "q"] * 250), "y")


def test_the_choice_and_its_correction_against_simulated_truth():
    """Twenty candidates of known accuracy: the corrected accuracy is that of the chosen one."""
    errors, flattered = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        true = rng.uniform(0.60, 0.64, 20)
        right = (rng.random((300, 20)) < true).astype(float)
        leaves = np.ones(20)
        place = choose(right.mean(axis=0), leaves, 300)
        found, _ = corrected_accuracy(right, leaves, seed, divisions=6)
        errors.append(found - true[place])
        flattered.append(right.mean(axis=0)[place] - true[place])
    error = np.std(errors, ddof=1) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < 3 * error
    assert np.mean(flattered) > 0.02


def test_a_page_shows_everything_and_nothing_else(advice, tmp_path):
    page = advice.to_html(tmp_path / "advice.html")
    assert (tmp_path / "advice.html").read_text(encoding="utf-8") == page
    assert "<svg" in page and "<script" not in page
    assert page.index(advice.sentence[:9]) < page.index("<svg") < page.index(advice.notes[-1][:9])
    assert not re.search(r"(?:src|href)=", page)
    hostile = customers().rename(columns={"city": "<script>alert(1)</script>"})
    found = fasttree.advise(hostile, "churn", time_limit=1e-9, progress=False)
    assert "<script" not in found.to_html() and "<script" not in found._repr_html_()
    text = str(advice)
    for said in (advice.sentence, "recommended", "fasttree.fit(table"):
        assert said in text


def test_the_command_advises(tmp_path, capsys):
    file = tmp_path / "customers.csv"
    customers().to_csv(file, index=False)
    names = [tmp_path / n for n in ("a.json", "a.html", "m.json")]
    arguments = ["advise", str(file), "-t", "churn", "--time-limit", "0", "--json", str(names[0])]
    arguments += ["--cv", "1x5"]
    assert main([*arguments, "--html", str(names[1]), "-m", str(names[2])]) == 0
    out = capsys.readouterr().out
    found = json.loads(names[0].read_text())
    assert found["sentence"] in out and "Left out: id" in out
    assert found["leaves"] <= 60 and {r["column"] for r in found["left_out"]} == {
        "id",
        "country",
    }
    assert found["dates"] == ["since"]
    assert main(["predict", str(names[2]), str(file)]) == 0
    assert "600 rows" in capsys.readouterr().err
    assert main(["advise", str(file), "--html", str(tmp_path / "no" / "a.html")]) == 2
    assert "--html" in capsys.readouterr().err
