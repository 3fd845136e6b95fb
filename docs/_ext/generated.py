"""The directive ``.. generated:: NAME``: tables made by the library itself while the documentation
is built.

A page that repeats what the registry knows is wrong after the next change; these tables cannot be.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from docs.studies.bias_variance import study as bias_variance
from docs.studies.error_rates import study as error_rates
from docs.studies.first_screen.make import records_of
from docs.studies.honest_leaves import study as honest_leaves
from docs.studies.interactions import study as interactions
from docs.studies.null_rates import study as null_rates
from docs.studies.optimal_trees import study as optimal_trees
from docs.studies.selection_bias import study as selection_bias
from docs.studies.stability import study as stability
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

import fasttree
from fasttree.experiments.spaeh_kosub import claims
from fasttree.reports import Cell, ReportTable

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def list_table(
    header: Iterable[str], rows: Iterable[Iterable[str]], widths: str = "auto"
) -> list[str]:
    """A reStructuredText list-table."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in [list(header), *rows]:
        for place, cell in enumerate(row):
            lines.append(f"   {'*' if place == 0 else ' '} - {cell}")
    return [*lines, ""]


def yes(value: Any) -> str:
    """A fact as a word."""
    return "yes" if value else "no"


def criteria() -> list[str]:
    """A table of all criteria with links to their pages."""
    facts = [
        [
            f":ref:`{c['name']} <criterion-{c['name']}>`",
            c["summary"],
            c["evidence"],
            yes(c["symmetric"]),
            yes(c["metric"]),
            yes(c["convex"]),
            yes(c["extensive"]),
        ]
        for c in fasttree.list_criteria()
    ]
    head = ["name", "summary", "evidence", "symmetric", "metric", "convex", "extensive"]
    return list_table(head, facts)


def metrics() -> list[str]:
    """The registry of metrics."""
    rows = []
    for m in fasttree.metrics.list_metrics():
        names = ", ".join(f"``{name}``" for name in (m["name"], *m["aliases"]))
        low, high = ("" if end is None else f"{end:g}" for end in m["range"])
        better = "higher" if m["greater_is_better"] else "lower"
        task, ends = m["task"] or "any", f"{low} to {high}"
        rows += [[names, m["doc"], task, m["needs"], better, ends, m["source"]]]
    head = ["name and aliases", "what it is", "task", "needs", "better", "range", "source"]
    return list_table(head, rows, "22 26 12 8 8 10 14")


def datasets() -> list[str]:
    """The bundled data sets."""
    listed = fasttree.datasets.list_datasets()
    return list_table(listed[0], [[str(v) for v in d.values()] for d in listed])


def first_parameters() -> list[str]:
    """What single parameters change on twenty sets, from the recorded bench."""
    (record,) = records_of("first_parameters")
    rows = [
        [
            f"``{one['setting']}``" if "=" in one["setting"] else one["setting"],
            f"{one['accuracy']:.1f}",
            f"{one['difference']:+.1f} ({one['standard_error']:.1f})",
            f"{one['better']}",
            f"{one['worse']}",
            f"{one['leaves']:.0f}",
        ]
        for one in record["settings"]
    ]
    head = ["setting", "accuracy, %", "difference", "better on", "worse on", "leaves"]
    return list_table(head, rows)


def bias() -> list[str]:
    """Tables of the study of selection bias, one section a contest, from the recorded counts."""
    record = ROOT / "docs" / "studies" / "selection_bias" / "record.json"
    result = selection_bias.SelectionBias.from_record(record.read_text(encoding="utf-8"))
    lines = []
    for contest in result.features:
        lines += [contest.capitalize(), "'" * len(contest), ""]
        for setting in result.settings:
            table = result.table(setting, contest)
            rows = [[f"{cell.text} {cell.mark}".strip() for cell in row] for row in table.rows]
            lines += [f"**{table.title}**", "", *list_table(table.header, rows), *table.notes, ""]
    return lines


def bias_ranking() -> list[str]:
    """Mean bias of every criterion in both contests."""
    record = ROOT / "docs" / "studies" / "selection_bias" / "record.json"
    result = selection_bias.SelectionBias.from_record(record.read_text(encoding="utf-8"))
    every, nominal = (
        result.mean_bias(contest) for contest in (selection_bias.ALL, selection_bias.NOMINAL)
    )
    rows = [[name, f"{value:.2f}", f"{every[name]:.2f}"] for name, value in nominal.items()]
    return list_table(["criterion", "bias, nominal features", "bias, with a number"], rows)


def tests_error_rates() -> list[str]:
    """What tests find where there is nothing, and where there is something, from the recorded
    counts."""
    record = ROOT / "docs" / "studies" / "error_rates" / "record.json"
    table = error_rates.ErrorRates.from_record(record.read_text(encoding="utf-8")).table()
    rows = [[f"**{cell.text}**" if cell.bold else cell.text for cell in row] for row in table.rows]
    return [f"{table.title}.", "", *list_table(table.header, rows), *table.notes, ""]


def _recorded(study: str) -> str:
    return (ROOT / "docs" / "studies" / study / "record.json").read_text(encoding="utf-8")


def null_rate_table() -> list[str]:
    """How often trees of significance split noise, from the recorded counts."""
    return report_lines(null_rates.NullRates.from_record(_recorded("null_rates")).table())


def honest_coverage() -> list[str]:
    """How often intervals of leaves hold the truth, from the recorded counts."""
    return report_lines(honest_leaves.Coverage.from_record(_recorded("honest_leaves")).table())


def firm_choices() -> list[str]:
    """Whether firm criteria are accurate, from the recorded numbers."""
    result = stability.Firmness.from_record(_recorded("stability"))
    return [*report_lines(result.answer_table()), *report_lines(result.methods_table())]


def ctree_speed() -> list[str]:
    """Conditional inference trees beside partykit, from the record."""
    (one,) = records_of("ctree")
    seconds = one["cpu_s"]
    return [
        f"On {one['rows']:,} rows of {one['columns']} numbers with two classes, {one['leaves']} "
        f"leaves: {seconds['fasttree']:.2f} s of CPU time of one thread here, "
        f"{seconds['partykit']:.2f} s in partykit {one['partykit']} (R {one['R']}), "
        f"{one['ratio']:.1f} times as long (``benches/ctree.py``).",
        "",
    ]


def bias_variance_parts() -> list[str]:
    """Bias, variance and structure of trees and forests, from the recorded numbers."""
    record = ROOT / "docs" / "studies" / "bias_variance" / "record.json"
    lines = []
    for table in bias_variance.BiasVariance.from_record(
        record.read_text(encoding="utf-8")
    ).tables():
        rows = [[cell.text for cell in row] for row in table.rows]
        lines += [f"**{table.title.partition(': ')[2]}**", "", *list_table(table.header, rows), ""]
    return lines


def _interactions() -> interactions.Interactions:
    record = ROOT / "docs" / "studies" / "interactions" / "record.json"
    return interactions.Interactions.from_record(record.read_text(encoding="utf-8"))


def report_lines(table: Any) -> list[str]:
    """A `ReportTable` under its title, the best in bold, with its notes."""
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    notes = [line for note in table.notes for line in (note.replace("*", r"\*"), "")]
    return [f"**{table.title}**", "", *list_table(table.header, rows), *notes, ""]


def _cell(cell: Any) -> str:
    text = cell.text.replace("*", r"\*")
    return f"**{text}**" if cell.bold else text


def interactions_trees() -> list[str]:
    """Trees on problems of interacting features, pruned and not, from the recorded numbers."""
    result = _interactions()
    return [line for pruned in (True, False) for line in report_lines(result.tree_table(pruned))]


def interactions_recovery() -> list[str]:
    """Which relevant bits are found, from the recorded numbers."""
    return [line for table in _interactions().recovery_tables() for line in report_lines(table)]


def _optimal_trees() -> optimal_trees.OptimalTrees:
    record = ROOT / "docs" / "studies" / "optimal_trees" / "record.json"
    return optimal_trees.OptimalTrees.from_record(record.read_text(encoding="utf-8"))


def optimal_excess() -> list[str]:
    """Errors of greedy trees above the optimum, from the recorded run."""
    result = _optimal_trees()
    return [line for depth in result.depths() for line in report_lines(result.excess_table(depth))]


def optimal_parts() -> list[str]:
    """What of them is the criterion's."""
    return report_lines(_optimal_trees().parts_table())


def optimal_test() -> list[str]:
    """Accuracy of optimal and greedy trees on new rows."""
    table = _optimal_trees().test_table()
    marked = [[replace(c, text=f"{c.text} {c.mark}".strip()) for c in row] for row in table.rows]
    return report_lines(replace(table, rows=marked))


def optimal_at_scale() -> list[str]:
    """How far proofs of optimal trees reach, from the records."""
    records = [one for one in records_of("optimal_at_scale") if "--anytime" not in one["command"]]
    results = [one for record in records for one in record["results"]]
    times = sorted({one["seconds"] for one in results})
    found: dict[tuple[str, int], dict[float, dict[str, Any]]] = {}
    for one in results:
        found.setdefault((one["set"], one["depth"]), {})[one["seconds"]] = one
    rows = []
    for (name, depth), by_time in found.items():
        proofs = [one["cpu_s"] for one in by_time.values() if one["gap"] == 0.0]
        cells = []
        for seconds in times:
            if proofs and min(proofs) <= seconds:
                cells.append(f"proven: {min(proofs):.1f} s")
            else:
                one = by_time.get(seconds)
                cells.append("" if one is None else f"{100 * one['gap']:.0f} %")
        peak = max(one["peak_over_data"] for one in by_time.values())
        rows.append([name, str(depth), *cells, f"{peak:.1f}"])
    head = ["rows x columns", "depth", *(f"gap, {s:g} s" for s in times), "memory"]
    return [machine_of(records[0]), "", *list_table(head, rows), ""]


def _vilalta() -> dict[str, Any]:
    record = ROOT / "docs" / "vilalta2001" / "record.json"
    found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    return found


def vilalta2001() -> list[str]:
    """The tables of the reproduction, from the recorded run."""
    lines = []
    for one in _vilalta()["tables"]:
        cells = [[Cell(**cell) for cell in row] for row in one["rows"]]
        lines += report_lines(ReportTable(one["title"], one["header"], cells, (), one["notes"]))
    return lines


def vilalta2001_summary() -> list[str]:
    """How many cells agree."""
    return [_vilalta()["summary"] + ".", ""]


def _hope_korb() -> dict[str, Any]:
    record = ROOT / "docs" / "hope_korb2004" / "record.json"
    found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    return found


def _hope_korb_tables(part: str) -> list[str]:
    """The tables of the recorded run whose title has these words."""
    lines = []
    for one in _hope_korb()["tables"]:
        if part in one["title"]:
            cells = [[Cell(**cell) for cell in row] for row in one["rows"]]
            lines += report_lines(ReportTable(one["title"], one["header"], cells, (), one["notes"]))
    return lines


def hope_korb_summary() -> list[str]:
    """How many accuracies are within reach, and which sets the run lacks."""
    found = _hope_korb()
    return [f"{found['summary']}. Sets that the run lacks: {', '.join(found['missing'])}.", ""]


def hope_korb_simulated() -> list[str]:
    """Section 5.1: groups, analyses of variance, rewards and findings."""
    parts = ("groups of learners", "ANOVA", "reward and divergence", "Findings")
    return [line for part in parts for line in _hope_korb_tables(part)]


def hope_korb_sets() -> list[str]:
    """Section 5.2: accuracies, differences, rewards, significance, and what is out of reach."""
    parts = ("differences from A.2", "beside A.2", "out of reach", "A.1's order", "5x2cv t test")
    return [line for part in parts for line in _hope_korb_tables(part)]


def _spaeh_kosub() -> dict[str, Any]:
    record = ROOT / "docs" / "spaeh_kosub" / "record.json"
    found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    return found


def spaeh_kosub_claims() -> list[str]:
    """The paper's sentences, whether they hold under both tie rules, and what was measured."""
    words = {True: "holds", False: "**does not hold**", None: "not checked"}
    rows = [
        [
            c["figure"],
            c["claim"],
            words[c["first"]["holds"]],
            words[c["random"]["holds"]],
            c["first"]["evidence"],
        ]
        for c in _spaeh_kosub()["claims"]
    ]
    return list_table(
        ["figure", "the paper", "ties first", "random ties", "measured, ties first"],
        rows,
        "6 30 12 12 40",
    )


def spaeh_kosub_redundant() -> list[str]:
    """Redundant splits per tree, by distance, evaluation and tie rule."""
    found = _spaeh_kosub()["redundant"]
    measures = dict.fromkeys(method.partition(" ")[0] for method in found)
    columns = [(e, t) for t in ("first", "random") for e in ("local", "global")]
    rows = [
        [f"``{measure}``", *(f"{found[f'{measure} {e}, ties={t}']:.2f}" for e, t in columns)]
        for measure in measures
    ]
    return list_table(["distance", *(f"{e}, {t} ties" for e, t in columns)], rows)


def spaeh_kosub_ties() -> list[str]:
    """Nodes of global trees on all cells of the MONK's problems, first and random ties."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in _spaeh_kosub()["ties"]:
        cell = (
            f"{row['value']:.0f}" if row["sd"] is None else f"{row['value']:.0f} ({row['sd']:.0f})"
        )
        measure = row["method"].partition(" ")[0]
        found.setdefault((row["dataset"].partition(",")[0], f"``{measure}``"), []).append(cell)
    rows = [[*name, *cells] for name, cells in found.items()]
    return list_table(["data set", "distance", "ties first", "random: mean (sd) of 50"], rows)


def spaeh_kosub_facts() -> list[str]:
    """Table 1 of the paper as the registry knows it."""
    return report_lines(claims.facts_table())


def side_by_side() -> list[str]:
    """The records of the benches beside other libraries: a table for each day and
    machine."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records_of("side_by_side", "at_scale"):
        found.setdefault(machine_of(record), []).extend(record["results"])
    return [line for about, results in found.items() for line in results_of(about, results)]


def reading() -> list[str]:
    """CPU time of reading files, beside pandas, from the record."""
    (record,) = records_of("reading")
    peers = ("pandas", "pandas strings", "pandas categories")
    rows = [
        [
            f"{r['file']}, {r['megabytes']:.0f} MB",
            f"{r['cpu_s']['fasttree']:.3f}",
            *(f"{r['ratios'][peer]:.2f}x" if peer in r["ratios"] else "" for peer in peers),
        ]
        for r in record["results"]
    ]
    return [machine_of(record), "", *list_table(["file", "CPU s", *peers], rows), ""]


def machine_of(record: dict[str, Any]) -> str:
    """When and where a record was made."""
    about = record["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in about["packages"].items())
    return (
        f"Recorded {record['date']} on {about['processor']}; Python {about['python']}, {versions}."
    )


def results_of(about: str, results: list[dict[str, Any]]) -> list[str]:
    """Where results were recorded, and a table of them."""
    rows = []
    for r in results:
        ms = 1e3 * r["cpu_seconds"]
        against = "; ".join(f"{a['ratio']:.1f}x {a['peer']}" for a in r.get("against", []))
        rows.append(
            [
                f"{r['workload']}; {r['data']}",
                r["contestant"],
                f"{ms:,.0f}" if ms >= 1000 else f"{ms:.4g}",
                "" if r["leaves"] is None else f"{r['leaves']:,.0f}",
                "" if r["accuracy"] is None else f"{r['accuracy']:.4f}",
                against,
            ]
        )
    table = list_table(["workload", "contestant", "CPU ms", "leaves", "accuracy", "ratio"], rows)
    return [about, "", *table, ""]


def formats() -> list[str]:
    """Every export format: what is typed, what it gives, where it is written."""
    rows = [
        [
            f"``{one.method or f'to_{name}()'}``",
            f"``--form {name}``",
            one.summary + (" (forests, too)" if one.forests else ""),
        ]
        for name, one in fasttree.exports.FORMATS.items()
    ]
    return list_table(["method", "``ftree show``", "gives"], rows)


def ranks_table(ranks: dict[str, int], summary: Callable[[str], str]) -> list[str]:
    """Packages or modules by rank, lowest first."""
    rows = [
        [str(rank), f"``{name}``", summary(name)]
        for name, rank in sorted(ranks.items(), key=lambda item: (item[1], item[0]))
    ]
    return list_table(["rank", "name", "what it is"], rows)


def python_ranks() -> list[str]:
    """The ranks that tests/python/project/test_architecture.py checks, with the first line of
    each text."""
    file = ROOT / "tests" / "python" / "project" / "test_architecture.py"
    source = file.read_text(encoding="utf-8")
    ranks = next(
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "RANKS"
    )
    package = ROOT / "python" / "fasttree"

    def summary(name: str) -> str:
        file = package / name / "__init__.py"
        file = file if file.is_file() else package / f"{name}.py"
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        return first_sentence(text)

    return ranks_table(ranks, summary)


def rust_ranks() -> list[str]:
    """The ranks that tests/rust/architecture.rs checks, with the first line of each text."""
    source = (ROOT / "tests" / "rust" / "architecture.rs").read_text(encoding="utf-8")
    table = source[source.index("const RANKS") : source.index("];", source.index("const RANKS"))]
    ranks = {name: int(rank) for name, rank in re.findall(r'\("(\w+)", (\d+)\)', table)}

    def summary(name: str) -> str:
        file = ROOT / "src" / name / "mod.rs"
        file = file if file.is_file() else ROOT / "src" / f"{name}.rs"
        lines = file.read_text(encoding="utf-8").splitlines()
        text = "\n".join(line[3:].strip() for line in lines if line.startswith("//!"))
        return first_sentence(re.sub(r"\[?`([^`]*)`\]?", r"``\1``", text))

    return ranks_table(ranks, summary)


def first_sentence(text: str) -> str:
    """The first paragraph, up to its first full stop."""
    paragraph = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    sentence = re.split(r"(?<=[a-z)`])\. ", paragraph)[0].rstrip("., ")
    return re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", sentence)


MAKERS: dict[str, Callable[[], list[str]]] = {
    "architecture-python": python_ranks,
    "architecture-rust": rust_ranks,
    "bias-variance": bias_variance_parts,
    "criteria": criteria,
    "ctree-speed": ctree_speed,
    "firm-choices": firm_choices,
    "honest-leaves": honest_coverage,
    "interactions-recovery": interactions_recovery,
    "interactions-trees": interactions_trees,
    "metrics": metrics,
    "null-rates": null_rate_table,
    "datasets": datasets,
    "error-rates": tests_error_rates,
    "formats": formats,
    "hope-korb2004-sets": hope_korb_sets,
    "hope-korb2004-simulated": hope_korb_simulated,
    "hope-korb2004-summary": hope_korb_summary,
    "selection-bias": bias,
    "first-parameters": first_parameters,
    "selection-bias-ranking": bias_ranking,
    "optimal-at-scale": optimal_at_scale,
    "optimal-trees-excess": optimal_excess,
    "optimal-trees-parts": optimal_parts,
    "optimal-trees-test": optimal_test,
    "reading": reading,
    "side-by-side": side_by_side,
    "spaeh-kosub-claims": spaeh_kosub_claims,
    "spaeh-kosub-facts": spaeh_kosub_facts,
    "spaeh-kosub-redundant": spaeh_kosub_redundant,
    "spaeh-kosub-ties": spaeh_kosub_ties,
    "vilalta2001": vilalta2001,
    "vilalta2001-summary": vilalta2001_summary,
}


class Generated(Directive):
    """Parses what a maker returns in place."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The parsed lines."""
        name = self.arguments[0]
        if name not in MAKERS:
            raise self.error(f"nothing generates {name!r}; known: {', '.join(MAKERS)}")
        parent = nodes.section()
        parent.document = self.state.document
        lines = StringList(MAKERS[name](), source=f"generated: {name}")
        self.state.nested_parse(lines, self.content_offset, parent, match_titles=True)
        return parent.children


def setup(app: Any) -> dict[str, Any]:
    """Register the directive; the tables depend on the installed library, so every build makes
    them."""
    app.add_directive("generated", Generated)
    return {"parallel_read_safe": True, "version": "1"}
