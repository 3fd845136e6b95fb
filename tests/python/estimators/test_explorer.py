"""The explorer's page: its data against the model, that nothing gets out of its place, and limits.
No browser is needed here; `test_explorer_browser` drives one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape

import numpy as np
import pytest
from sklearn.datasets import load_iris as sklearn_iris

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeRegressor,
    Table,
    datasets,
)
from fasttree._checks.words import p_value_text
from fasttree.exports.explorer import ExplorerLimits, data_element
from fasttree.exports.explorer.page import SCRIPTS

NASTY = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '" onmouseover="alert(1)',
    "]]>\u2028\u2029</style>",
    "\u202egnp.exe",
    "<img src=x onerror=alert(1)>",
]


def nasty_table():
    rng = np.random.default_rng(0)
    cells = [[NASTY[i] for i in row] for row in rng.integers(0, len(NASTY), (60, 2))]
    labels = [NASTY[i] for i in rng.integers(0, 3, 60)]
    return Table(cells, labels, feature_names=NASTY[:2])


def with_gaps(table, share=0.2):
    rng = np.random.default_rng(1)
    X = np.array([c.values for c in table.columns], dtype=float).T
    X[rng.random(X.shape) < share] = np.nan
    return Table(X, table.y)


MODELS = {
    "thresholds": lambda: (fasttree.fit("iris"), "iris"),
    "multiway": lambda: (fasttree.fit("weather"), "weather"),
    "subsets": lambda: (
        fasttree.fit(datasets.load_monks_1(), nominal_splits="subset", criterion="gini"),
        datasets.load_monks_1(),
    ),
    "bins": lambda: (fasttree.fit("iris", discretize="equal_width", n_bins=4), "iris"),
    "missing branch": lambda: (
        fasttree.fit(with_gaps(datasets.load_iris()), criterion="hellinger", max_depth=4),
        with_gaps(datasets.load_iris()),
    ),
    "fractional": lambda: (
        fasttree.fit(with_gaps(datasets.load_iris()), max_depth=3),
        with_gaps(datasets.load_iris()),
    ),
    "mode": lambda: (
        fasttree.fit(with_gaps(datasets.load_iris()), missing="mode", max_depth=4),
        with_gaps(datasets.load_iris()),
    ),
    "smoothed": lambda: (fasttree.fit("weather", leaf_smoothing="laplace"), "weather"),
    "names that do harm": lambda: (fasttree.fit(nasty_table()), nasty_table()),
}


@pytest.mark.parametrize("name", MODELS)
def test_nodes_are_those_of_the_model(name):
    model, rows = MODELS[name]()
    document = model.explore(rows, candidate_nodes=2).document
    tree, one = model.tree_, document["trees"][0]
    assert one["id"] is None and one["nodes"] == tree.node_count == len(one["parent"])
    assert one["parent"] == tree.parent.tolist()
    assert one["label"] == tree.label.tolist()
    for node in range(tree.node_count):
        counts = dict(zip(one["counts"][node][::2], one["counts"][node][1::2], strict=True))
        own = {c: v for c, v in enumerate(tree.value[node].tolist()) if v > 0}
        assert counts.keys() == own.keys()
        assert all(np.isclose(counts[c], own[c], rtol=1e-5) for c in own)
        if tree.n_children[node]:
            feature = document["features"][one["feature"][node]]["name"]
            assert feature in (" ".join(model._schema.names[tree.feature[node]].split()), feature)
        else:
            assert one["feature"][node] == -1
    for leaf, flat in one["chance"].items():
        shares = model._model.node_proba(np.array([int(leaf)]))[0]
        assert np.allclose([shares[c] for c in flat[::2]], flat[1::2], atol=1e-5)
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize("name", MODELS)
def test_histograms_add_up_to_the_rows_of_the_node(name):
    model, rows = MODELS[name]()
    one = model.explore(rows, candidate_nodes=0).document["trees"][0]
    assert one["histograms"]
    for node, own in one["histograms"].items():
        sums = dict.fromkeys(range(model.n_classes_), 0.0)
        for place, code in enumerate(own["classes"]):
            sums[code] += sum(own["counts"][place])
            sums[code] += own["missing"][place] if "missing" in own else 0
        expected = model.tree_.value[int(node)]
        assert np.allclose([sums[c] for c in range(model.n_classes_)], expected, rtol=1e-4)


def pieces():
    """Rows of a number: two numeric columns, a nominal one, and gaps."""
    import pandas as pd

    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=150).round(1),
            "b": rng.integers(0, 9, 150) / 2,
            "c": rng.choice(["p", "q", "r"], 150),
        }
    )
    y = frame.a.to_numpy() * 3 + (frame.c == "p").to_numpy() * 5 + rng.normal(size=150)
    frame.loc[rng.random(150) < 0.2, "a"] = np.nan
    frame.loc[rng.random(150) < 0.2, "c"] = None
    return Table(frame, y, task="regression")


NUMBERS = {
    "fractions": lambda: FastTreeRegressor(max_leaf_nodes=8),
    "a branch": lambda: FastTreeRegressor(max_leaf_nodes=8, missing="branch"),
    "means": lambda: FastTreeRegressor(max_leaf_nodes=8, missing="mode"),
    "medians": lambda: FastTreeRegressor(criterion="absolute_error", max_leaf_nodes=8),
    "by classes": lambda: FastTreeRegressor(criterion="gini", target_bins=3, max_leaf_nodes=8),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_nodes_of_numbers_are_those_of_the_model(name):
    rows = pieces()
    model = NUMBERS[name]().fit(rows)
    document = model.explore(rows, candidate_nodes=2).document
    tree, one = model.tree_, document["trees"][0]
    edges = document["number"]["edges"]
    leaves = tree.value[tree.n_children == 0]
    ends = np.linspace(leaves.min(), leaves.max(), len(edges) + 2)
    np.testing.assert_allclose(edges, ends[1:-1], atol=1e-12)
    assert len(document["classes"]) == len(edges) + 1
    assert one["value"] == tree.value.tolist()
    assert one["label"] == np.searchsorted(edges, tree.value, side="right").tolist()
    np.testing.assert_allclose(one["deviation"], np.sqrt(tree.variance), rtol=1e-5)
    # Rows of a node by part of the scale, and by bar of the distribution.
    numbers = rows.numbers
    codes = np.searchsorted(edges, numbers, side="right")
    for node in range(tree.node_count):
        fractions = model._model.reach(model._encode(rows)[0], len(rows), node)
        expected = np.bincount(codes, fractions, len(edges) + 1)
        counts = dict(zip(one["counts"][node][::2], one["counts"][node][1::2], strict=True))
        assert [counts.get(c, 0) for c in range(len(expected))] == pytest.approx(expected, rel=1e-4)
        own = one["spreads"][str(node)]
        assert own["range"] == pytest.approx([numbers.min(), numbers.max()], rel=1e-5)
        bars, _ = np.histogram(numbers, len(own["bars"]), weights=fractions)
        assert own["bars"] == pytest.approx(bars, rel=1e-4, abs=1e-5)
        here = numbers[fractions > 0]
        expected = np.quantile(here, [0, 0.25, 0.5, 0.75, 1])
        assert own["box"] == pytest.approx(expected, rel=1e-4)
    for node, own in one["histograms"].items():
        assert own["classes"] == sorted(own["classes"])
        whole = np.sum(own["counts"]) + np.sum(own.get("missing", 0))
        assert whole == pytest.approx(tree.weighted_n_node_samples[int(node)], rel=1e-4)
    assert document["rows"]["label"] == numbers.tolist()
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize("name", NUMBERS)
def test_candidates_of_numbers_are_those_of_explain(name):
    rows = pieces()
    model = NUMBERS[name]().fit(rows)
    document = model.explore(rows, max_candidates=10_000).document
    names = [one["name"] for one in document["criteria"]]
    assert {"squared_error", "absolute_error", "quantile", "standard_deviation"} <= set(names)
    assert "poisson is not listed" in " ".join(document["kept"])  # some numbers are below 0
    for node, own in document["trees"][0]["candidates"].items():
        told = model.explain(int(node), rows)
        assert np.allclose(
            sorted(s for s in own["scores"][0] if s is not None),
            sorted(r["score"] for r in told),
            rtol=1e-4,
            atol=1e-9,
        )


def test_pages_of_numbers_without_rows_and_of_forests():
    rows = pieces()
    alone = FastTreeRegressor(max_depth=2).fit(rows).explore().document
    one = alone["trees"][0]
    assert one["spreads"] == {} and one["counts"][0] == [one["label"][0], 150]
    forest = FastForestRegressor(3, random_state=0, max_depth=2).fit(rows)
    document = forest.explore(rows, max_histograms=6).document
    assert "numbers of 6 of" in " ".join(document["kept"])
    leaves = np.concatenate([t.tree_.value[t.tree_.n_children == 0] for t in forest.estimators_])
    edges = document["number"]["edges"]
    assert edges[0] > leaves.min() and edges[-1] < leaves.max()
    assert edges[0] - leaves.min() == pytest.approx(leaves.max() - edges[-1])
    constant = FastTreeRegressor().fit([[0.0], [1.0]], [2.5, 2.5])
    page = constant.explore([[0.0], [1.0]], [2.5, 2.5]).document
    assert page["trees"][0]["value"] == [2.5] and set(page["classes"]) == {"2.5"}
    with pytest.raises(ValueError, match="other columns or classes"):
        constant.explore(beside=fasttree.fit([[0.0], [1.0]], ["a", "b"]))


def test_histogram_bars_count_the_values():
    table = datasets.load_iris()
    model = fasttree.fit(table, max_depth=2)
    document = model.explore(table, bins=5).document
    own = document["trees"][0]["histograms"]["0"]
    values = np.asarray(table.columns[model.tree_.feature[0]].values)
    for code, counts in zip(own["classes"], own["counts"], strict=True):
        expected, _ = np.histogram(values[table.y_codes == code], 5, (values.min(), values.max()))
        assert counts == expected.tolist()
    assert own["cuts"] == [pytest.approx(model.tree_.threshold[0])]


@pytest.mark.parametrize("name", [n for n in MODELS if n != "names that do harm"])
def test_candidates_are_those_of_explain(name):
    model, rows = MODELS[name]()
    document = model.explore(rows, max_candidates=10_000, criteria=["gini", "chi2"]).document
    listed, one = document["trees"][0]["candidates"], document["trees"][0]
    assert len(listed) == int((model.tree_.n_children > 0).sum())
    for node, own in listed.items():
        told = model.explain(int(node), rows)
        assert own["of"] == len(own["feature"]) == len(told)
        assert np.allclose(
            sorted(own["scores"][0]), sorted(r["score"] for r in told), rtol=1e-4, atol=1e-9
        )
        best = told[0]
        assert document["features"][own["feature"][own["best"][0]]]["name"] == best["feature"]
        chosen = [r for r in told if r["chosen"]]
        if chosen:
            place = own["chosen"]
            feature = document["features"][own["feature"][place]]["name"]
            assert feature == chosen[0]["feature"]
            assert one["feature"][int(node)] == own["feature"][place]
        for scores, best in zip(own["scores"], own["best"], strict=True):
            assert scores[best] == max(s for s in scores if s is not None)


@pytest.mark.parametrize("n_bins", [6, 40])
def test_each_criterion_scores_bins_as_in_a_tree_of_its_own(n_bins):
    # With more than 32 bins, some criteria split between bins and others into all of them.
    rows, criteria = datasets.load_iris(), ["gini", "pi", "relieff"]
    bins = {"discretize": "equal_width", "n_bins": n_bins, "max_depth": 2}
    models = {name: fasttree.fit(rows, criterion=name, **bins) for name in criteria}
    for model in models.values():
        document = model.explore(rows, criteria=criteria, max_candidates=1000).document
        root = document["trees"][0]["candidates"]["0"]
        listed = [facts["name"] for facts in document["criteria"]]
        assert sorted(listed) == criteria
        for name, scores in zip(listed, root["scores"], strict=True):
            told = [row["score"] for row in models[name].explain(0, rows)]
            own = [score for score in scores if score is not None]
            assert np.allclose(sorted(own), sorted(told), rtol=1e-4)


def test_the_best_by_another_criterion_is_what_it_would_choose():
    table = datasets.load_wine()
    model = fasttree.fit(table, max_depth=3)
    document = model.explore(table, max_candidates=20).document
    own = document["trees"][0]["candidates"]["0"]
    for c, criterion in enumerate(document["criteria"]):
        other = fasttree.fit(table, criterion=criterion["name"], max_depth=1)
        if criterion["name"] == "gain_ratio":
            continue  # its own rule looks at the gain, too
        best = own["best"][c]
        name = document["features"][own["feature"][best]]["name"]
        assert name == other._schema.names[other.tree_.feature[0]], criterion
        assert own["words"][best] == f"\u2264 {other.tree_.threshold[0]:.6g}", criterion


def test_the_best_of_each_feature_by_each_criterion_is_kept():
    table = datasets.load_wine()
    full, few = (
        fasttree.fit(table, max_depth=3).explore(table, max_candidates=most).document
        for most in (10_000, 20)
    )
    for node, own in few["trees"][0]["candidates"].items():
        every = full["trees"][0]["candidates"][node]
        for scores, known in zip(own["scores"], every["scores"], strict=True):
            bests = {}
            for feature, score in zip(every["feature"], known, strict=True):
                name = full["features"][feature]["name"]
                bests[name] = max(bests.get(name, -np.inf), -np.inf if score is None else score)
            for name, best in bests.items():
                here = [
                    score
                    for feature, score in zip(own["feature"], scores, strict=True)
                    if few["features"][feature]["name"] == name and score is not None
                ]
                assert max(here, default=-np.inf) == best, (node, name)


@pytest.mark.parametrize("preset", ["CTREE", "CHAID"])
def test_a_criterion_beside_a_tree_by_significance_grows_a_tree_of_its_own(preset):
    table = datasets.load_wine()
    words = getattr(fasttree.presets, preset)
    model = fasttree.FastTreeClassifier(**words).fit(table)
    first, second = model.explore(table, beside="gini").document["trees"]
    limits = {name: words[name] for name in ("min_samples_split", "min_samples_leaf")}
    alone = {
        name: words[name] for name in ("nominal_splits", "thresholds", "discretize", "n_bins")
        if name in words
    }  # fmt: skip
    plain = fasttree.FastTreeClassifier(criterion="gini", **limits, **alone).fit(table)
    plain = plain.explore(table).document["trees"][0]
    assert "significance" in first["name"] and second["name"] == "gini"
    assert (second["words"], second["weight"]) == (plain["words"], plain["weight"])
    assert second["words"] != first["words"]


@pytest.mark.parametrize("words", [{}, {"adjust": "none"}, {"test": "maximum", "alpha": 0.2}])
def test_a_node_by_significance_has_the_p_value_of_each_feature(words):
    table = datasets.load_wine()
    model = fasttree.FastTreeClassifier(**{**fasttree.presets.CTREE, **words}).fit(table)
    document = model.explore(table, criteria=["gini"], max_candidates=10_000).document
    names = [one["name"] for one in document["features"]]
    for node, own in document["trees"][0]["candidates"].items():
        known = {one["feature"]: one["p_value"] for one in model.explain(int(node), table)}
        assert set(names) >= set(known)
        for feature, said in zip(own["feature"], own["tests"], strict=True):
            assert said == f"p{p_value_text(known[names[feature]], ' = ')}"
    plain = fasttree.fit(table, max_depth=1).explore(table).document["trees"][0]
    assert "tests" not in plain["candidates"]["0"]


def test_a_cut_by_a_criterion_keeps_the_test_of_the_features():
    table = datasets.load_wine()
    model = fasttree.FastTreeClassifier(**{**fasttree.presets.CTREE, "cut": "criterion"})
    first, second = model.fit(table).explore(table, beside="gini").document["trees"]
    assert first["name"].endswith("cut by info_gain)") and second["name"].endswith("cut by gini)")


def test_every_criterion_on_tables_is_listed():
    names = {row["name"] for row in fasttree.list_criteria() if row["evidence"] == "table"}
    document = fasttree.fit("iris", criterion="relieff").explore("iris", candidate_nodes=1).document
    assert {one["name"] for one in document["criteria"]} == names | {"relieff"}
    assert all(
        len(c["scores"]) == len(names) + 1 for c in document["trees"][0]["candidates"].values()
    )


def test_own_functions_and_objects_are_criteria():
    def gain(tables):
        return tables.max(axis=2).sum(axis=1)

    beta = fasttree.criteria.FMeasure(beta=2.0)
    document = fasttree.fit("iris", criterion=gain).explore("iris", criteria=[beta]).document
    assert [one["name"] for one in document["criteria"]] == ["gain", repr(beta)]


def test_limits_hold_and_are_told():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 5)).round(3), rng.integers(0, 3, 3000)
    model = fasttree.fit(X, y)
    limits = dict(max_nodes=200, max_rows=50, max_candidates=7, candidate_nodes=3, bins=4)
    page = model.explore(X, y, **limits, candidate_rows=500, max_histograms=9)
    document = page.document
    one = document["trees"][0]
    assert len(one["parent"]) <= 200 < one["nodes"] == model.n_nodes_
    assert len(document["rows"]["row"]) == 50 and len(one["candidates"]) == 3
    assert len(one["histograms"]) == 9
    bests = 5 * len(document["criteria"])  # of each feature by each criterion
    assert all(7 <= len(c["feature"]) <= bests < c["of"] for c in one["candidates"].values())
    assert all(len(h["counts"][0]) == 4 for h in one["histograms"].values())
    told = " ".join(document["kept"])
    for words in (
        f"of {model.n_nodes_:,} nodes",
        "50 of 3,000 rows",
        "candidates of 3 of",
        "500 of",
    ):
        assert words in told
    assert len(page.html) < 250_000
    # The heaviest nodes are kept, with their numbers, and what lies below is counted.
    kept = one["id"]
    assert kept[0] == 0 and kept == sorted(kept)
    assert sum(one["hidden"].values()) + len(kept) == model.n_nodes_
    lightest = model.tree_.n_node_samples[kept].min()
    assert lightest <= np.sort(model.tree_.n_node_samples)[::-1][199]
    full = fasttree.exports.explorer.trees.TreeData(model, "t", 10**9).document(
        {f: f for f in range(5)}
    )
    assert [full["words"][node] for node in kept] == one["words"]


@pytest.mark.parametrize("name", [f.name for f in ExplorerLimits.__dataclass_fields__.values()])
def test_limits_are_checked(name):
    model = fasttree.fit("weather")
    with pytest.raises(ValueError, match=name):
        model.explore("weather", **{name: -1})
    with pytest.raises(TypeError):
        model.explore("weather", **{name + "s": 3})


def test_stored_rows_keep_every_digit():
    table = datasets.load_wine()
    model = fasttree.fit(table)
    document = model.explore(table).document
    used = [model._schema.names.index(f["name"]) for f in document["features"]]
    for column, f in zip(document["rows"]["columns"], used, strict=True):
        values = np.asarray(table.columns[f].values)[document["rows"]["row"]]
        assert json.loads(json.dumps(column)) == values.tolist()


def test_without_rows_the_trace_serves():
    model = fasttree.fit("iris", trace="candidates", max_depth=2)
    document = model.explore().document
    assert document["rows"] is None and not document["trees"][0]["histograms"]
    assert [c["name"] for c in document["criteria"]] == ["info_gain"]
    assert document["trees"][0]["candidates"]["0"]["of"] == len(model.explain(0))
    assert fasttree.fit("iris").explore().document["criteria"] == []


def test_two_trees_and_their_refusals():
    model = fasttree.fit("iris")
    document = model.explore("iris", beside="auc").document
    assert [t["name"] for t in document["trees"]] == ["info_gain", "auc"]
    other = fasttree.fit("iris", criterion="gini")
    assert model.explore("iris", beside=other).document["trees"][1]["name"] == "gini"
    with pytest.raises(ValueError, match="give the training rows"):
        model.explore(beside="gini")
    with pytest.raises(ValueError, match="other columns or classes"):
        model.explore("iris", beside=fasttree.fit("weather"))


def test_forests_and_searched_trees():
    table = datasets.load_iris()
    forest = FastForestClassifier(n_estimators=6, random_state=0).fit(table)
    document = forest.explore(table, max_trees=4, candidate_nodes=5).document
    assert document["forest"] and len(document["trees"]) == 4
    assert "4 of 6 trees" in document["kept"]
    for t, one in enumerate(document["trees"]):
        assert one["parent"] == forest.estimators_[t].tree_.parent.tolist()
    assert sum(len(one["candidates"]) for one in document["trees"]) == 5
    small = fasttree.minimal_tree(datasets.load_weather())
    assert small.explore("weather").document["trees"][0]["nodes"] == small.n_nodes_
    for splits in ("ordered", "subset"):
        best = fasttree.optimal_tree("weather", max_depth=2, nominal_splits=splits)
        document = best.explore("weather").document
        listed = document["trees"][0]["candidates"]["0"]
        assert len(document["criteria"]) > 20 and document["criteria"][0]["name"] == "accuracy"
        assert listed["of"] == len(best.explain(0, "weather")) or splits == "subset"


def test_weights_count():
    table = datasets.load_weather()
    weights = np.arange(len(table)) % 3 + 1.0
    table.sample_weight = weights
    model = fasttree.fit(table)
    own = model.explore(table).document["trees"][0]["histograms"]["0"]
    assert sum(map(sum, own["counts"])) == pytest.approx(weights.sum())


# -- the page -------------------------------------------------------------------------------------


def script_of(page):
    return re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)


def test_the_page_stands_alone_and_its_data_are_inert():
    page = fasttree.fit(nasty_table()).explore(nasty_table()).html
    script = script_of(page)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page and "default-src 'none'" in page
    assert page.count("<script") == 2 and page.count("</script") == 2
    assert "<!--" not in page
    outside = page.replace('"http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|@import|url\(|javascript:", outside)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|fetch", script
    )
    data = re.search(r'<script type="application/json" id="fx-data">(.*?)</script>', page).group(1)
    assert not set(data) & set("<>&\u2028\u2029")
    document = json.loads(data)
    assert NASTY[0] in document["classes"]
    assert NASTY[5] in document["features"][0]["levels"]
    assert all("\u202e" not in level for f in document["features"] for level in f["levels"])
    title = fasttree.fit("weather").explore(title="<b>&\n").html
    assert "<title>&lt;b&gt;&amp; </title>" in title


def test_data_elements_escape_what_could_end_them():
    text = data_element({"a": "</script><!-- & \u2028"}, 'x"')
    assert text.count("<") == 2 and 'id="x&quot;"' in text
    assert json.loads(text[text.index(">") + 1 : text.rindex("<")]) == {
        "a": "</script><!-- & \u2028"
    }


def test_every_script_is_joined_and_none_is_left_over():
    from importlib import resources

    folder = resources.files("fasttree.exports.explorer").joinpath("static")
    files = {one.name for one in folder.iterdir()}
    assert files == {*SCRIPTS, "explorer.css"}
    for name in SCRIPTS:
        text = folder.joinpath(name).read_text(encoding="utf-8")
        assert text.startswith("// ") and len(text.splitlines()) <= 500
        assert "innerHTML" not in text


def test_a_notebook_gets_a_frame_and_a_file_is_written(tmp_path, monkeypatch):
    import webbrowser

    found = fasttree.fit("weather").explore("weather")
    frame = found._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    assert unescape(re.search(r'srcdoc="(.*?)"', frame, re.DOTALL).group(1)) == found.html
    found.save(tmp_path / "tree.html")
    assert (tmp_path / "tree.html").read_text(encoding="utf-8") == found.html
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    file = found.open()
    assert file.read_text(encoding="utf-8") == found.html and opened == [file.as_uri()]
    assert "8 nodes" in repr(found)


def test_the_command_writes_pages(tmp_path, capsys):
    pytest.importorskip("typer")
    from fasttree.cli import main

    def ftree(*words):
        return main([str(w) for w in words]), capsys.readouterr()

    model, page = tmp_path / "m.json", tmp_path / "a.html"
    assert ftree("fit", "weather", "--no-cv", "--html", page, "-m", model)[0] == 0
    assert '"rows":{' in page.read_text(encoding="utf-8")
    other = tmp_path / "b.html"
    assert ftree("show", model, "--html", other, "--data", "weather")[0] == 0
    assert other.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    assert ftree("show", model, "--html", other)[0] == 0
    assert '"rows":null' in other.read_text(encoding="utf-8")
    code, said = ftree("show", model, "--data", "weather")
    assert code != 0 and "--html" in said.err


def notes_of(page, tree=0):
    """What is said of each node, a list by node."""
    found = page.document["trees"][tree]
    return [found["notes"].get(str(i), []) for i in range(len(found["parent"]))]


def test_nodes_have_the_p_values_of_their_tests():
    model = fasttree.FastTreeClassifier(**fasttree.presets.CTREE).fit("iris")
    tree = model.tree_
    for node, notes in enumerate(notes_of(model.explore("iris"))):
        said = f"Test of independence: p = {tree.p_value[node]:.3g}, statistic"
        assert any(one.startswith(said) for one in notes) == bool(tree.n_children[node])
    assert "Test of" not in json.dumps(fasttree.fit("iris").explore("iris").document)


@pytest.mark.parametrize("nodes", [False, True])
def test_nodes_have_the_shares_of_refits(nodes):
    table = datasets.load_iris()
    model = fasttree.fit(table, max_leaf_nodes=4)
    found = model.stability(table, repeats=9, nodes=nodes)
    page = model.explore(table, beside="gini", stability=found)
    for node, notes in enumerate(notes_of(page)):
        shares = [one for one in notes if "this column" in one]
        assert shares == ([found.sentence_of(node)] if model.tree_.n_children[node] else [])
    assert found.share_of(0) in found.sentence_of(0)
    assert not any("this column" in one for notes in notes_of(page, 1) for one in notes)
    with pytest.raises(ValueError, match="not of a forest"):
        FastForestClassifier(2).fit(table).explore(table, stability=found)
    with pytest.raises(TypeError, match="stability"):
        model.explore(table, stability=9)


@pytest.mark.parametrize("is_number", [False, True])
def test_leaves_of_honest_trees_have_their_intervals(is_number):
    table = datasets.load_breast_cancer()
    options = {"honest": True, "random_state": 0, "max_depth": 2}
    model = fasttree.FastTreeClassifier(**options)
    rows, y = table, None
    if is_number:
        rows, y = np.arange(200.0).reshape(-1, 2), np.arange(100.0) % 7
        model = FastTreeRegressor(**options)
    model.fit(rows, y)
    intervals, leaf = model.leaf_intervals(), model.tree_.n_children == 0
    what = "prediction" if is_number else "share of the predicted class"
    for node, notes in enumerate(notes_of(model.explore(rows, y))):
        said = f"Interval of level 0.95 for the {what}: {intervals.said(node)}."
        assert (said in notes) == bool(leaf[node])
    again = fasttree.from_bytes(model.to_bytes())
    shown = any("Interval" in one for notes in notes_of(again.explore(rows, y)) for one in notes)
    assert shown  # rows of weight 1 are known from the model


@pytest.mark.parametrize("kind", (fasttree.FastTreeClassifier, fasttree.FastTreeRegressor))
def test_a_tree_by_significance_lists_columns_with_few_missing_values(kind):
    """Rows without a value are left out of its splits, and are no branch that may be too small."""
    X, y = sklearn_iris(return_X_y=True, as_frame=True)
    X.iloc[0, 2:] = np.nan
    model = kind(**fasttree.presets.CTREE).fit(X, y)
    tree = model.explore(X, y).document["trees"][0]
    for node, feature in enumerate(model.tree_.feature):
        if feature >= 0:
            found = tree["candidates"][str(node)]
            assert feature in found["feature"] and found["chosen"] >= 0


def test_a_criterion_of_bins_beside_thresholds_says_so():
    rows = datasets.load_iris()
    model = fasttree.fit(rows, criterion="relieff", max_depth=1)
    kept = model.explore(rows, beside="gini", criteria=["gini"]).document["kept"]
    assert "relieff is not listed: scores on pairs or neighbours need bins, and gini splits" in str(
        kept
    )
    assert "not binned" not in str(kept)
