//! A tree as indented text, as `model.to_text()` and the command line show it.
//!
//! One line per branch, in the style of C4.5: `name <= 2.5: label (rows/errors)` for a leaf, the
//! condition alone for an inner node, whose branches follow, indented by one step more. Names and
//! labels come from the user's data, so they are made safe to print first ([`one_line`]).
//! O(nodes x levels of the subset tests).

use super::{NONE, Test, Tree};
use crate::data::{Kind, Label, Schema};
use crate::error::Result;
use crate::parallel::Control;
use std::fmt::Write;

/// How a tree is printed.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Digits after the decimal point of thresholds and counts.
    pub decimals: usize,
    /// Inner nodes at this depth are printed like leaves, followed by "...".
    pub max_depth: usize,
    /// Longest list of levels that is printed in full; of a longer one, all but two of that many
    /// and the number of those left out.
    pub max_levels: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { decimals: 6, max_depth: usize::MAX, max_levels: usize::MAX }
    }
}

/// Depth from which on the indent is written as a number, so that lines of a deep chain stay short.
const MAX_INDENT: usize = 60;

/// Text with each run of line breaks, control characters, invisible characters and marks of writing
/// direction replaced by one blank, so that no name can forge a line of a tree or command a
/// terminal. `one_line` of the Python package replaces the same characters.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_run = false;
    for letter in text.chars() {
        let is_control = matches!(u32::from(letter),
            0..=0x1f | 0x7f..=0x9f | 0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb);
        if !is_control {
            out.push(letter);
        } else if !in_run {
            out.push(' ');
        }
        in_run = is_control;
    }
    out
}

/// A number with at most `decimals` digits after the point, without trailing zeros.
fn number(x: f64, decimals: usize) -> String {
    let fixed = format!("{x:.decimals$}");
    if fixed.contains('.') {
        fixed.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        fixed
    }
}

/// The condition on the branch that leads to a node, `feature <= threshold` or the like.
pub(crate) fn condition(tree: &Tree, schema: &Schema, node: usize, style: &Style) -> String {
    let decimals = style.decimals;
    let branch = tree.nodes[node].branch as usize;
    let parent_index = tree.nodes[node].parent as usize;
    let parent = &tree.nodes[parent_index];
    let feature = &schema.features[parent.feature as usize];
    let name = &one_line(&feature.name);
    match (parent.test, &feature.kind) {
        (Test::Leaf, _) => name.clone(),
        (Test::Threshold(t), _) if branch == 0 => {
            format!("{name} <= {}", recognisable(t.at, decimals))
        }
        (Test::Threshold(t), _) if branch == 1 => {
            format!("{name} > {}", recognisable(t.at, decimals))
        }
        (Test::Multiway, Kind::Nominal { levels, .. }) if branch < levels.len() => {
            format!("{name} = {}", one_line(&levels[branch].to_string()))
        }
        (Test::Multiway, Kind::Numeric { cuts: Some(cuts), .. }) if branch <= cuts.len() => {
            bin_condition(name, cuts, branch, decimals)
        }
        (Test::Subset { .. }, Kind::Nominal { levels, .. }) if branch < 2 => {
            let listed = tree.subset(parent_index).unwrap_or_default();
            subset_condition(name, levels, listed, branch == 0, style.max_levels)
        }
        // The branch after those of the values.
        _ => format!("{name} is missing"),
    }
}

/// The condition of one bin of a numeric feature that was cut into bins.
fn bin_condition(name: &str, cuts: &[f64], bin: usize, decimals: usize) -> String {
    let cut = |i: usize| recognisable(cuts[i], decimals);
    match bin {
        _ if cuts.is_empty() => format!("{name} = any number"),
        0 => format!("{name} <= {}", cut(0)),
        last if last == cuts.len() => format!("{name} > {}", cut(last - 1)),
        inner => format!("{} < {name} <= {}", cut(inner - 1), cut(inner)),
    }
}

/// The condition of a branch of a subset test: the levels `listed`, or all others; see
/// [`Style::max_levels`].
fn subset_condition(
    name: &str,
    levels: &[Label],
    listed: &[u32],
    is_listed: bool,
    max_levels: usize,
) -> String {
    let shown: Vec<String> = (0..levels.len())
        .filter(|&code| listed.binary_search(&(code as u32)).is_ok() == is_listed)
        .map(|code| one_line(&levels[code].to_string()))
        .collect();
    match &shown[..] {
        [one] => format!("{name} = {one}"),
        _ if !is_listed && listed.len() == 1 => {
            format!("{name} != {}", one_line(&levels[listed[0] as usize].to_string()))
        }
        many if many.len() > max_levels => {
            let (kept, rest) = many.split_at(max_levels.saturating_sub(2).max(1));
            format!("{name} in {{{}, ... {} more}}", kept.join(", "), rest.len())
        }
        many => format!("{name} in {{{}}}", many.join(", ")),
    }
}

/// A threshold, rounded if that changes it by at most a thousandth, else in full.
fn recognisable(threshold: f64, decimals: usize) -> String {
    let rounded = number(threshold, decimals);
    let error = (rounded.parse::<f64>().unwrap_or(0.0) - threshold).abs();
    if threshold == 0.0 || error <= threshold.abs() * 1e-3 {
        rounded
    } else if threshold.abs() < 1e-4 {
        format!("{threshold:e}")
    } else {
        threshold.to_string()
    }
}

/// A node as a leaf: `label (rows/errors)`, or `label (rows)` if it makes no errors; of a numeric
/// target `number (rows/impurity)`.
fn summary(tree: &Tree, schema: &Schema, node: usize, decimals: usize) -> String {
    let counts = tree.counts(node);
    if let Some(outcome) = tree.outcome(node) {
        let rows = number(counts[0], decimals);
        let value = recognisable(outcome.value, decimals);
        return match outcome.impurity > 0.0 {
            true => format!("{value} ({rows}/{})", recognisable(outcome.impurity, decimals)),
            false => format!("{value} ({rows})"),
        };
    }
    let class = usize::try_from(tree.nodes[node].label).ok();
    let label = match class {
        None => "unclassified".to_string(),
        Some(class) => one_line(&schema.classes[class].to_string()),
    };
    let total: f64 = counts.iter().sum();
    let errors = total - class.map_or(0.0, |class| counts[class]);
    if errors > 0.0 {
        format!("{label} ({}/{})", number(total, decimals), number(errors, decimals))
    } else {
        format!("{label} ({})", number(total, decimals))
    }
}

/// The tree as indented text: one line per branch, leaves as `label (rows/errors)`.
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
        let is_root = node.parent == NONE;
        let is_last = tree.is_leaf(i) || depth == style.max_depth;
        // Every node but the root has the condition of its branch, ...
        if !is_root {
            if depth > MAX_INDENT {
                let _ = write!(out, "[{}] ", depth - 1);
            } else {
                out.push_str(&"|   ".repeat(depth - 1));
            }
            out.push_str(&condition(tree, schema, i, &style));
        }
        // ... and where the path ends, the label and counts.
        if is_last {
            out.push_str(if is_root { "" } else { ": " });
            out.push_str(&summary(tree, schema, i, style.decimals));
            if !tree.is_leaf(i) {
                out.push_str(" ...");
            }
        }
        if !is_root || is_last {
            out.push('\n');
        }
    }
    Ok(out)
}
