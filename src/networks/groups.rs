//! Visited models, cleaned and grouped: by graph, by Markov class, and classes that the data cannot
//! tell apart.
//!
//! Two graphs are of one Markov class when they have the same edges and the same v-structures
//! (Verma & Pearl 1990). A class joins a heavier one when their predictions of the data differ by
//! fewer nits (N times the Kullback-Leibler divergence, as the data estimate it) than the message
//! gains by the heavier one.

use super::cost::{Groups, likelihood};
use super::state::{Space, cleaned};
use super::variables::{Set, members};
use super::visits::Visits;
use super::words::WordMap;
use crate::error::Result;
use crate::parallel::Control;
use serde::Serialize;
use std::collections::HashMap;

/// Joined classes that a class is compared with, heaviest first.
const COMPARED: usize = 32;

/// Cleaned sets of parents that are remembered, at most.
const LARGEST_KNOWN: usize = 1 << 20;

/// A cleaned model and where it belongs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupedModel {
    /// Parents of each variable, cleaned.
    pub parents: Vec<Set>,
    /// Share of all visits.
    pub weight: f64,
    /// Visits.
    pub visits: u64,
    /// Nits of its tables and arcs, the order aside.
    pub length: f64,
    /// Number of its Markov class, by first mention.
    pub class: usize,
    /// Number of the joined classes that it belongs to.
    pub joined: usize,
}

/// Clean and group what was seen; `total` is the number of all visits.
pub fn grouped(
    space: Space<'_>,
    seen: Vec<Visits>,
    total: u64,
    keep: usize,
    control: &Control,
) -> Result<Vec<GroupedModel>> {
    let mut groups = Groups::default();
    let mut known: WordMap<(usize, Set), Set> = WordMap::default();
    let mut models: WordMap<Vec<Set>, u64> = WordMap::default();
    for chain in seen {
        for (mut parents, visits) in chain.into_models() {
            control.check()?;
            if known.len() > LARGEST_KNOWN {
                known.clear();
            }
            for (j, own) in parents.iter_mut().enumerate() {
                let key = (j, *own);
                *own = *known.entry(key).or_insert_with(|| cleaned(space, j, *own, &mut groups));
            }
            *models.entry(parents).or_default() += visits;
        }
    }
    let grouped = |(parents, visits): (Vec<Set>, u64)| GroupedModel {
        parents,
        weight: visits as f64 / total as f64,
        visits,
        length: 0.0,
        class: 0,
        joined: 0,
    };
    let mut found: Vec<GroupedModel> = models.into_iter().map(grouped).collect();
    found.sort_unstable_by(|a, b| b.visits.cmp(&a.visits).then_with(|| a.parents.cmp(&b.parents)));
    found.truncate(keep);
    let pairs: f64 = space.prior.absent_cost(&(0..space.costs.variables.len()).collect::<Vec<_>>());
    for one in &mut found {
        let nodes = one.parents.iter().enumerate();
        one.length =
            nodes.map(|(j, &p)| space.costs.node(space.prior, j, p, &mut groups)).sum::<f64>()
                + pairs;
    }
    classes(&mut found);
    join(space, &mut found, control)?;
    Ok(found)
}

/// Edges and v-structures.
fn markov_class(parents: &[Set]) -> (Vec<Set>, Vec<(usize, Set)>) {
    let mut edges = vec![0; parents.len()];
    for (j, &own) in parents.iter().enumerate() {
        edges[j] |= own;
        members(own).for_each(|i| edges[i] |= 1 << j);
    }
    let mut meetings = Vec::new();
    for (j, &own) in parents.iter().enumerate() {
        for a in members(own) {
            let apart = own & !edges[a] & !(1 << a);
            meetings.extend(members(apart).filter(|&b| a < b).map(|b| (j, 1 << a | 1 << b)));
        }
    }
    (edges, meetings)
}

fn classes(models: &mut [GroupedModel]) {
    let mut numbers = HashMap::new();
    for one in models {
        let next = numbers.len();
        one.class = *numbers.entry(markov_class(&one.parents)).or_insert(next);
    }
}

/// Join classes, heaviest first; each is represented by its heaviest model.
fn join(space: Space<'_>, models: &mut [GroupedModel], control: &Control) -> Result<()> {
    struct Class {
        weight: f64,
        leader: usize,
        joined: usize,
    }
    let count = models.iter().map(|m| m.class + 1).max().unwrap_or(0);
    let mut all: Vec<Class> =
        (0..count).map(|_| Class { weight: 0.0, leader: usize::MAX, joined: 0 }).collect();
    for (at, one) in models.iter().enumerate() {
        let class = &mut all[one.class];
        class.weight += one.weight;
        class.leader = class.leader.min(at);
    }
    let mut known: HashMap<(usize, Set), f64> = HashMap::new();
    let mut groups = Groups::default();
    let mut predicted = |parents: &[Set]| -> f64 {
        let node = |(j, &p): (usize, &Set)| {
            *known
                .entry((j, p))
                .or_insert_with(|| likelihood(space.costs.variables, j, p, &mut groups))
        };
        parents.iter().enumerate().map(node).sum()
    };
    let mut by_weight: Vec<usize> = (0..count).collect();
    by_weight.sort_by(|&a, &b| all[b].weight.total_cmp(&all[a].weight));
    // (likelihood, length) of the first class of each join
    let mut leaders: Vec<(f64, f64)> = Vec::new();
    for class in by_weight {
        control.check()?;
        let model = &models[all[class].leader];
        let here = (predicted(&model.parents), model.length);
        let fits = |l: &(f64, f64)| (here.0 - l.0).abs() < here.1 - l.1;
        all[class].joined = match leaders.iter().take(COMPARED).position(fits) {
            Some(found) => found,
            None => {
                leaders.push(here);
                leaders.len() - 1
            }
        };
    }
    models.iter_mut().for_each(|one| one.joined = all[one.class].joined);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_one_class_and_meetings_another() {
        // 0 -> 1 -> 2, 0 <- 1 <- 2, 0 -> 1 <- 2
        let chain = markov_class(&[0b000, 0b001, 0b010]);
        assert_eq!(chain, markov_class(&[0b010, 0b100, 0b000]));
        assert_ne!(chain, markov_class(&[0b000, 0b101, 0b000]));
    }
}
