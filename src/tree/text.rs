//! A tree as indented text.

use super::{NONE, Test, Tree};
use crate::data::{Kind, Schema};
use crate::error::Result;
use crate::parallel::Control;
use std::fmt::Write;

/// How much is printed.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Digits after the point of thresholds and counts.
    pub decimals: usize,
    /// Deeper nodes are folded.
    pub max_depth: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { decimals: 6, max_depth: usize::MAX }
    }
}

/// Text without line breaks, control characters and marks that turn the direction of writing or
/// have no width: each run of them becomes one blank, so that no name can forge a line of a tree or
/// command a terminal. The package's `one_line` does the same.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for letter in text.chars() {
        let control = matches!(u32::from(letter),
            0..=0x1f | 0x7f..=0x9f | 0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb);
        if !control {
            out.push(letter);
        } else if !inside {
            out.push(' ');
        }
        inside = control;
    }
    out
}

fn number(x: f64, decimals: usize) -> String {
    let fixed = format!("{x:.decimals$}");
    if fixed.contains('.') {
        fixed.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        fixed
    }
}

/// The condition on the branch that leads to a node.
pub(crate) fn condition(tree: &Tree, schema: &Schema, node: usize, decimals: usize) -> String {
    let n = &tree.nodes[node];
    let parent = &tree.nodes[n.parent as usize];
    let feature = &schema.features[parent.feature as usize];
    let branch = n.branch as usize;
    let name = &one_line(&feature.name);
    match (parent.test, &feature.kind) {
        (Test::Leaf, _) => name.clone(),
        (Test::Threshold(t), _) if branch == 0 => format!("{name} <= {}", exact(t.at, decimals)),
        (Test::Threshold(t), _) if branch == 1 => format!("{name} > {}", exact(t.at, decimals)),
        (Test::Multiway, Kind::Nominal { levels, .. }) if branch < levels.len() => {
            format!("{name} = {}", one_line(&levels[branch].to_string()))
        }
        (Test::Multiway, Kind::Numeric { cuts: Some(cuts), .. }) if branch <= cuts.len() => {
            match branch {
                _ if cuts.is_empty() => format!("{name} = any number"),
                0 => format!("{name} <= {}", exact(cuts[0], decimals)),
                b if b == cuts.len() => format!("{name} > {}", exact(cuts[b - 1], decimals)),
                b => format!(
                    "{} < {name} <= {}",
                    exact(cuts[b - 1], decimals),
                    exact(cuts[b], decimals)
                ),
            }
        }
        (Test::Subset { .. }, Kind::Nominal { levels, .. }) if branch < 2 => {
            let listed = tree.subset(n.parent as usize).unwrap_or_default();
            let side =
                |code: &usize| (listed.binary_search(&(*code as u32)).is_ok()) == (branch == 0);
            let shown: Vec<String> = (0..levels.len())
                .filter(side)
                .map(|code| one_line(&levels[code].to_string()))
                .collect();
            match &shown[..] {
                [one] => format!("{name} = {one}"),
                _ if branch == 1 && listed.len() == 1 => {
                    format!("{name} != {}", one_line(&levels[listed[0] as usize].to_string()))
                }
                many => format!("{name} in {{{}}}", many.join(", ")),
            }
        }
        _ => format!("{name} is missing"),
    }
}

/// A threshold, rounded only where rounding keeps it recognisable.
fn exact(t: f64, decimals: usize) -> String {
    let short = number(t, decimals);
    if t == 0.0 || (short.parse::<f64>().unwrap_or(0.0) - t).abs() <= t.abs() * 1e-3 {
        short
    } else if t.abs() < 1e-4 {
        format!("{t:e}")
    } else {
        t.to_string()
    }
}

fn summary(tree: &Tree, schema: &Schema, node: usize, decimals: usize) -> String {
    let counts = tree.counts(node);
    let label = match tree.nodes[node].label {
        l if l < 0 => "unclassified".to_string(),
        l => one_line(&schema.classes[l as usize].to_string()),
    };
    let total: f64 = counts.iter().sum();
    let wrong = total - usize::try_from(tree.nodes[node].label).map_or(0.0, |l| counts[l]);
    if wrong > 0.0 {
        format!("{label} ({}/{})", number(total, decimals), number(wrong, decimals))
    } else {
        format!("{label} ({})", number(total, decimals))
    }
}

/// Indented text, one line a branch, leaves as `label (rows/errors)`.
pub fn text(tree: &Tree, schema: &Schema, style: Style, control: &Control) -> Result<String> {
    let mut out = String::new();
    for (i, node) in tree.nodes.iter().enumerate() {
        if i % 1024 == 0 {
            control.check()?;
        }
        let depth = node.depth as usize;
        if depth > style.max_depth {
            continue;
        }
        if node.parent != NONE {
            // A very deep chain keeps its lines readable: the indent is a number there.
            if depth > 60 {
                let _ = write!(out, "[{}] ", depth - 1);
            } else {
                out.push_str(&"|   ".repeat(depth - 1));
            }
            out.push_str(&condition(tree, schema, i, style.decimals));
        }
        if tree.is_leaf(i) || depth == style.max_depth {
            out.push_str(if node.parent == NONE { "" } else { ": " });
            out.push_str(&summary(tree, schema, i, style.decimals));
            if !tree.is_leaf(i) {
                out.push_str(" ...");
            }
        }
        if node.parent != NONE || tree.is_leaf(i) || depth == style.max_depth {
            out.push('\n');
        }
    }
    Ok(out)
}
