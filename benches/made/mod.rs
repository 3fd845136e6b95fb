//! Data for the benches, made from a seed, and slow answers to compare the fast ones with.

#![allow(dead_code, reason = "each bench uses its part")]

use fasttree_core::data::{Dataset, DatasetBuilder, Feature, Kind, Label, RowSet, Schema, Weights};
use fasttree_core::fit::{Config, FitPlan};
use fasttree_core::model::Model;
use fasttree_core::numeric::{mix, uniform};
use fasttree_core::parallel::Control;

/// A number in [0, 1) that depends on its arguments alone.
pub fn unit(seed: u64, i: u64) -> f64 {
    uniform(mix(seed, i), 1 << 53) as f64 / (1_u64 << 53) as f64
}

fn schema(features: usize, classes: usize, kind: impl Fn() -> Kind) -> Schema {
    Schema {
        features: (0..features).map(|j| Feature::new(format!("x{j}"), kind())).collect(),
        classes: (0..classes).map(|c| Label::Int(c as i64)).collect(),
        target: "class".into(),
    }
}

/// Numbers, column by column, and classes that follow six of them (or all) but for one row in
/// twenty.
pub fn numbers(rows: usize, features: usize, classes: usize) -> (Vec<Vec<f64>>, Vec<u16>) {
    let columns: Vec<Vec<f64>> =
        (0..features).map(|j| (0..rows).map(|i| unit(j as u64, i as u64)).collect()).collect();
    let telling = features.min(6);
    let codes = (0..rows)
        .map(|i| {
            let signal: f64 = (0..telling).map(|j| (columns[j][i] * (j + 2) as f64).fract()).sum();
            let signal = signal / telling as f64;
            let noisy = if unit(99, i as u64) < 0.05 { unit(98, i as u64) } else { signal };
            ((noisy * classes as f64) as u16).min(classes as u16 - 1)
        })
        .collect();
    (columns, codes)
}

/// The columns of [`numbers`], encoded.
pub fn numeric(columns: &[Vec<f64>], codes: &[u16], classes: usize) -> Dataset<'static> {
    let kind = || Kind::Numeric { cuts: None, fill: None };
    let mut builder =
        DatasetBuilder::new(schema(columns.len(), classes, kind), codes).expect("classes");
    builder
        .numeric_block(columns.len(), |row, column| columns[column][row], None, &Control::new(1))
        .expect("numbers");
    builder.finish().expect("data")
}

/// Codes below `values`, column by column, and two classes that follow six of the columns, with
/// noise.
pub fn labels(rows: usize, features: usize, values: usize) -> (Vec<Vec<u8>>, Vec<u16>) {
    let columns: Vec<Vec<u8>> = (0..features)
        .map(|j| (0..rows).map(|i| uniform(mix(j as u64, i as u64), values as u64) as u8).collect())
        .collect();
    let codes = (0..rows)
        .map(|i| {
            let signal: f64 =
                (0..6).map(|j| unit(50 + j as u64, u64::from(columns[j][i])) - 0.5).sum();
            u16::from(signal + unit(97, i as u64) - 0.5 > 0.0)
        })
        .collect();
    (columns, codes)
}

/// The columns of [`labels`], encoded.
pub fn nominal(columns: &[Vec<u8>], codes: &[u16], values: usize) -> Dataset<'static> {
    let levels = || (0..values).map(|v| Label::Int(v as i64)).collect();
    let kind = || Kind::Nominal { levels: levels(), ordered: false, fill: None };
    let mut builder = DatasetBuilder::new(schema(columns.len(), 2, kind), codes).expect("classes");
    for column in columns {
        builder.nominal(values, |row| i64::from(column[row])).expect("codes");
    }
    builder.finish().expect("data")
}

/// A plan for a criterion; everything else as it is by default.
pub fn plan(criterion: &str) -> FitPlan {
    FitPlan::new(Config { criterion: criterion.into(), ..Config::default() }, None).expect("plan")
}

/// A tree without limits on all rows, one thread.
pub fn fit(plan: &FitPlan, data: &Dataset) -> Model {
    let all = RowSet::all(data.len());
    plan.fit(data, &all, &Weights::Unit, &Control::new(1)).expect("model").model
}

/// Impurity before a split minus impurity after it, from the definition.
pub fn decrease(criterion: &str, table: &[Vec<f64>]) -> f64 {
    let impurity = |counts: &[f64]| {
        let n: f64 = counts.iter().sum();
        let share = counts.iter().filter(|&&c| c > 0.0).map(|c| c / n);
        match criterion {
            "gini" => 1.0 - share.map(|p| p * p).sum::<f64>(),
            "info_gain" => -share.map(|p| p * p.log2()).sum::<f64>(),
            other => panic!("no slow form of {other}"),
        }
    };
    let classes = table[0].len();
    let totals: Vec<f64> = (0..classes).map(|c| table.iter().map(|b| b[c]).sum()).collect();
    let n: f64 = totals.iter().sum();
    let after =
        table.iter().map(|b| b.iter().sum::<f64>()).zip(table).filter(|(size, _)| *size > 0.0);
    impurity(&totals) - after.map(|(size, b)| size / n * impurity(b)).sum::<f64>()
}

/// The best score of any threshold on any column, by trying all.
pub fn best_threshold(criterion: &str, columns: &[Vec<f64>], codes: &[u16], classes: usize) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for column in columns {
        let mut rows: Vec<usize> = (0..codes.len()).collect();
        rows.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let mut table = vec![vec![0.0; classes]; 2];
        for &c in codes {
            table[1][c as usize] += 1.0;
        }
        for pair in rows.windows(2) {
            let class = codes[pair[0]] as usize;
            table[0][class] += 1.0;
            table[1][class] -= 1.0;
            if column[pair[0]] < column[pair[1]] {
                best = best.max(decrease(criterion, &table));
            }
        }
    }
    best
}

/// The best score of any multiway split.
pub fn best_multiway(criterion: &str, columns: &[Vec<u8>], codes: &[u16], values: usize) -> f64 {
    let score = |column: &Vec<u8>| {
        let mut table = vec![vec![0.0; 2]; values];
        for (&v, &c) in column.iter().zip(codes) {
            table[v as usize][c as usize] += 1.0;
        }
        decrease(criterion, &table)
    };
    columns.iter().map(score).fold(f64::NEG_INFINITY, f64::max)
}

/// Rows that a tree without limits gets wrong on its own training set.
pub fn training_errors(model: &Model) -> f64 {
    let tree = &model.tree;
    (0..tree.nodes.len())
        .filter(|&i| tree.is_leaf(i))
        .map(|i| {
            tree.counts(i).iter().sum::<f64>() - tree.counts(i).iter().copied().fold(0.0, f64::max)
        })
        .sum()
}
