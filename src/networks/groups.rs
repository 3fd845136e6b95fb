//! Groups of visited models: equal graphs, Markov equivalence classes, and classes that the data
//! cannot distinguish.
//!
//! Models are cleaned first: arcs that do not shorten the message go. Two graphs are Markov
//! equivalent if they have the same edges and the same v-structures (Verma & Pearl 1990). A class
//! joins a heavier one if their predictions of the data differ by fewer nits (N times the
//! Kullback-Leibler divergence, estimated from the data) than the heavier one's message is shorter.

use super::cost::{Groups, likelihood};
use super::state::{Space, clean_parents};
use super::variables::{VarSet, set_members};
use super::visits::Visits;
use super::words::WordMap;
use crate::error::Result;
use crate::numeric::sort_few;
use crate::parallel::Control;
use serde::Serialize;
use std::collections::HashMap;

/// Most joined classes that a class is compared with, heaviest first.
const COMPARED: usize = 32;

/// Most cleaned sets of parents that are remembered.
const LARGEST_KNOWN: usize = 1 << 20;

/// A cleaned model and the groups it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupedModel {
    /// Parents of each variable, cleaned.
    pub parents: Vec<VarSet>,
    /// Share of all visits.
    pub weight: f64,
    /// Number of visits.
    pub visits: u64,
    /// Nits of its tables and arcs; all pairs count as possible arcs, whatever the order.
    pub length: f64,
    /// Number of its Markov equivalence class, in order of first occurrence.
    pub class: usize,
    /// Number of the group of joined classes that it belongs to.
    pub joined: usize,
}

/// Clean the visited models of all chains and group the `keep` most visited; `total` is the number
/// of all visits.
pub fn group_models(
    space: Space<'_>,
    seen: Vec<Visits>,
    total: u64,
    keep: usize,
    control: &Control,
) -> Result<Vec<GroupedModel>> {
    // clean, and add up the visits of equal graphs
    let mut groups = Groups::default();
    let mut known: WordMap<(usize, VarSet), VarSet> = WordMap::default();
    let mut models: WordMap<Vec<VarSet>, u64> = WordMap::default();
    for chain in seen {
        for (mut parents, visits) in chain.into_models() {
            control.check()?;
            if known.len() > LARGEST_KNOWN {
                known.clear();
            }
            for (j, own) in parents.iter_mut().enumerate() {
                let key = (j, *own);
                *own =
                    *known.entry(key).or_insert_with(|| clean_parents(space, j, *own, &mut groups));
            }
            *models.entry(parents).or_default() += visits;
        }
    }
    let grouped = |(parents, visits): (Vec<VarSet>, u64)| GroupedModel {
        parents,
        weight: visits as f64 / total as f64,
        visits,
        length: 0.0,
        class: 0,
        joined: 0,
    };
    let mut found: Vec<GroupedModel> = models.into_iter().map(grouped).collect();
    // keep the most visited ones, with their message lengths
    sort_few(&mut found, &|a, b| b.visits.cmp(&a.visits).then_with(|| a.parents.cmp(&b.parents)));
    found.truncate(keep);
    let pairs: f64 = space.prior.absent_cost(&(0..space.costs.variables.len()).collect::<Vec<_>>());
    for one in &mut found {
        let nodes = one.parents.iter().enumerate();
        one.length =
            nodes.map(|(j, &p)| space.costs.node_cost(space.prior, j, p, &mut groups)).sum::<f64>()
                + pairs;
    }
    assign_classes(&mut found);
    join_classes(space, &mut found, control)?;
    Ok(found)
}

/// A Markov equivalence class: the edges and v-structures that its graphs share.
#[derive(Debug, PartialEq, Eq, Hash)]
struct MarkovClass {
    /// Neighbours of each variable.
    edges: Vec<VarSet>,
    /// A child with two parents that no edge joins: child and pair.
    v_structures: Vec<(usize, VarSet)>,
}

/// The Markov equivalence class of a graph.
fn markov_class(parents: &[VarSet]) -> MarkovClass {
    let mut edges = vec![0; parents.len()];
    for (j, &own) in parents.iter().enumerate() {
        edges[j] |= own;
        set_members(own).for_each(|i| edges[i] |= 1 << j);
    }
    let mut v_structures = Vec::new();
    for (j, &own) in parents.iter().enumerate() {
        for a in set_members(own) {
            let apart = own & !edges[a] & !(1 << a);
            v_structures
                .extend(set_members(apart).filter(|&b| a < b).map(|b| (j, 1 << a | 1 << b)));
        }
    }
    MarkovClass { edges, v_structures }
}

/// Number the Markov equivalence classes.
fn assign_classes(models: &mut [GroupedModel]) {
    let mut numbers = HashMap::new();
    for one in models {
        let next = numbers.len();
        one.class = *numbers.entry(markov_class(&one.parents)).or_insert(next);
    }
}

/// Join classes, heaviest first; each is represented by its heaviest model, the leader.
fn join_classes(space: Space<'_>, models: &mut [GroupedModel], control: &Control) -> Result<()> {
    struct Class {
        weight: f64,
        /// Index of its first model.
        leader: usize,
        /// Number of its group.
        joined: usize,
    }
    /// The first class of a group.
    struct Leader {
        /// Nits of the data as the model predicts them.
        likelihood: f64,
        /// Message length of the model.
        length: f64,
    }
    let count = models.iter().map(|m| m.class + 1).max().unwrap_or(0);
    let mut all: Vec<Class> =
        (0..count).map(|_| Class { weight: 0.0, leader: usize::MAX, joined: 0 }).collect();
    for (at, one) in models.iter().enumerate() {
        let class = &mut all[one.class];
        class.weight += one.weight;
        class.leader = class.leader.min(at);
    }
    // nits of the data under a model, from remembered terms of its variables
    let mut known: HashMap<(usize, VarSet), f64> = HashMap::new();
    let mut groups = Groups::default();
    let mut likelihood_of = |parents: &[VarSet]| -> f64 {
        let node = |(j, &p): (usize, &VarSet)| {
            *known
                .entry((j, p))
                .or_insert_with(|| likelihood(space.costs.variables, j, p, &mut groups))
        };
        parents.iter().enumerate().map(node).sum()
    };
    let mut by_weight: Vec<usize> = (0..count).collect();
    sort_few(&mut by_weight, &|&a, &b| all[b].weight.total_cmp(&all[a].weight));
    // each class joins the first group whose leader it is close to, or leads a new one
    let mut leaders: Vec<Leader> = Vec::new();
    for class in by_weight {
        control.check()?;
        let model = &models[all[class].leader];
        let own = Leader { likelihood: likelihood_of(&model.parents), length: model.length };
        let is_close = |leader: &Leader| {
            (own.likelihood - leader.likelihood).abs() < own.length - leader.length
        };
        all[class].joined = match leaders.iter().take(COMPARED).position(is_close) {
            Some(found) => found,
            None => {
                leaders.push(own);
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
    fn chains_are_one_class_and_v_structures_another() {
        // 0 -> 1 -> 2, 0 <- 1 <- 2, 0 -> 1 <- 2
        let chain = markov_class(&[0b000, 0b001, 0b010]);
        assert_eq!(chain, markov_class(&[0b010, 0b100, 0b000]));
        assert_ne!(chain, markov_class(&[0b000, 0b101, 0b000]));
    }
}
