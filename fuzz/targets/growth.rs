//! Trees of small tables against the naive grower of [`super::twin`], node by node.
//!
//! Every table and configuration is valid by construction, so a refusal is a finding, too.

use super::Source;
use super::twin::{Column, Limits, Twin};
use fasttree_core::criteria::{CRITERIA, EvidenceKind};
use fasttree_core::data::{Dataset, DatasetBuilder, RowSet, Schema, Weights};
use fasttree_core::fit::FitPlan;
use fasttree_core::parallel::Control;
use fasttree_core::tree::{NONE, Test};

fn columns(source: &mut Source<'_>, rows: usize) -> Vec<Column> {
    (0..1 + source.below(4))
        .map(|_| {
            let gaps = source.below(4) == 0;
            let missing = |byte: u8| gaps && byte.is_multiple_of(5);
            if source.below(2) == 0 {
                let grid = 1 + source.below(8);
                let number = |byte: u8| {
                    if missing(byte) { f64::NAN } else { (usize::from(byte) % grid) as f64 / 4.0 }
                };
                Column::Numeric((0..rows).map(|_| number(source.byte())).collect())
            } else {
                let levels = 2 + source.below(4);
                let code =
                    |byte: u8| if missing(byte) { None } else { Some(usize::from(byte) % levels) };
                Column::Nominal(levels, (0..rows).map(|_| code(source.byte())).collect())
            }
        })
        .collect()
}

fn dataset(columns: &[Column], classes: &[u16], k: usize) -> Dataset<'static> {
    let features: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(j, column)| match column {
            Column::Numeric(_) => format!(r#"{{"name": "x{j}", "kind": "numeric"}}"#),
            Column::Nominal(levels, _) => {
                let names: Vec<String> = (0..*levels).map(|v| format!(r#""v{v}""#)).collect();
                let names = names.join(",");
                format!(r#"{{"name": "c{j}", "kind": "nominal", "levels": [{names}]}}"#)
            }
        })
        .collect();
    let names: Vec<String> = (0..k).map(|c| format!(r#""k{c}""#)).collect();
    let schema: Schema = serde_json::from_str(&format!(
        r#"{{"features": [{}], "classes": [{}], "target": "class"}}"#,
        features.join(","),
        names.join(",")
    ))
    .unwrap();
    let mut builder = DatasetBuilder::new(schema, classes).unwrap();
    for column in columns {
        match column {
            Column::Numeric(values) => {
                builder.numeric_block(1, |r, _| values[r], None, &Control::new(1)).unwrap();
            }
            Column::Nominal(levels, codes) => {
                builder.nominal(*levels, |r| codes[r].map_or(-1, |c| c as i64)).unwrap();
            }
        }
    }
    builder.finish().unwrap()
}

/// Grow both ways and compare.
pub fn check(bytes: &[u8]) {
    let source = &mut Source::new(bytes);
    let table: Vec<&str> = CRITERIA
        .iter()
        .filter(|e| e.info.evidence == EvidenceKind::Table)
        .map(|e| e.info.name)
        .collect();
    let criterion = source.one(&table);
    let limits = Limits {
        max_depth: source.one(&[usize::MAX, 1, 2, 5]),
        min_samples_split: source.one(&[2, 2, 4, 9]),
        min_samples_leaf: source.one(&[1, 1, 2, 4]),
    };
    let weighted = source.below(3) == 0;
    let (rows, k) = (2 + source.below(24), 2 + source.below(3));
    let classes: Vec<u16> = (0..rows).map(|_| source.below(k) as u16).collect();
    let weights: Vec<u32> =
        (0..rows).map(|_| if weighted { source.below(4) as u32 } else { 1 }).collect();
    if weights.iter().all(|&w| w == 0) {
        return;
    }
    let columns = columns(source, rows);
    let data = dataset(&columns, &classes, k);
    let depth = match limits.max_depth {
        usize::MAX => String::new(),
        depth => format!(r#""max_depth": {depth}, "#),
    };
    let words = format!(
        r#"{{{depth}"criterion": "{criterion}", "missing": "branch", "min_samples_split": {},
            "min_samples_leaf": {}}}"#,
        limits.min_samples_split, limits.min_samples_leaf
    );
    let inside: Vec<u32> = data.original().iter().map(|&r| weights[r as usize]).collect();
    let given = if weighted { Weights::Integer(inside) } else { Weights::Unit };
    let plan = FitPlan::new(serde_json::from_str(&words).unwrap(), None).unwrap();
    let all = RowSet::all(data.len());
    let model = plan.fit(&data, &all, &given, &Control::new(1)).expect(&words).model;
    let twin = Twin::new(&columns, &classes, &weights, k, criterion, limits).grow();
    let tree = &model.tree;
    let told = || format!("{words}\n{columns:?}\n{classes:?} {weights:?}");
    assert_eq!(tree.nodes.len(), twin.len(), "{}", told());
    for (i, (node, expected)) in tree.nodes.iter().zip(&twin).enumerate() {
        let threshold = match node.test {
            Test::Threshold(t) => Some(t.at),
            _ => None,
        };
        let feature = (node.test != Test::Leaf).then_some(node.feature as usize);
        let parent = (node.parent != NONE).then_some(node.parent as usize);
        assert_eq!(feature, expected.feature, "feature of node {i}: {}", told());
        assert_eq!(threshold, expected.threshold, "threshold of node {i}: {}", told());
        assert_eq!(parent, expected.parent, "parent of node {i}: {}", told());
        assert_eq!(node.depth as usize, expected.depth, "depth of node {i}: {}", told());
        assert_eq!(node.label, expected.label, "label of node {i}: {}", told());
        // Whole weights are copies of rows.
        let rows: f64 = expected.counts.iter().sum();
        assert_eq!(f64::from(node.rows), rows, "rows of node {i}: {}", told());
        assert_eq!(tree.counts(i), expected.counts, "counts of node {i}: {}", told());
        let missing = (node.missing_branch != NONE).then_some(node.missing_branch as usize);
        assert_eq!(missing, expected.missing_branch, "branch of node {i}: {}", told());
    }
}
