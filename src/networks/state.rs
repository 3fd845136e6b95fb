//! A totally ordered model, and the moves of the walks over models.
//!
//! Four moves, each as likely as its reverse (Wallace & Korb 1999): toggle one arc (1/3), exchange
//! two successive variables of the order and turn an arc between them (1/3), toggle two arcs into
//! one variable (1/6), exchange one parent for another (1/6). A move that breaks a constraint of
//! the prior, or needs too many parents, is rejected. A move costs a look-up of one or two tables.

use super::cache::CostCache;
use super::cost::Groups;
use super::prior::Prior;
use super::rng::SearchRng;
use super::variables::{VarSet, set_members};

/// The costs of models, shared by all walks.
#[derive(Debug, Clone, Copy)]
pub struct Space<'a> {
    /// Costs of tables.
    pub costs: &'a CostCache<'a>,
    /// Costs of arcs.
    pub prior: &'a Prior,
}

/// A totally ordered model with its cost.
#[derive(Debug, Clone)]
pub struct OrderedModel {
    /// Variables, first to last.
    pub order: Vec<usize>,
    /// Parents of each variable.
    pub parents: Vec<VarSet>,
    /// Nits of each variable's table and arcs.
    pub nodes: Vec<f64>,
    /// Nits of the absent arcs.
    pub absent: f64,
    /// Message length in nits.
    pub cost: f64,
}

/// An allowed move with the change of the cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Move {
    /// Place in the order whose variable is exchanged with the next one.
    swap: Option<usize>,
    /// Variables with new parents; the first `count` are used.
    changed: [ChangedNode; 2],
    count: usize,
    /// Change of the cost of absent arcs.
    absent: f64,
    /// Change of the cost.
    pub delta: f64,
}

/// New parents of a variable.
#[derive(Debug, Clone, Copy, Default)]
struct ChangedNode {
    variable: usize,
    parents: VarSet,
    /// Nits of the table and the arcs.
    cost: f64,
}

impl Move {
    /// Whether the arcs change, or the cost of absent ones. An exchange of two variables without an
    /// arc leaves both as they are; it is made, but the model counts as visited without a break.
    pub fn is_visible(&self) -> bool {
        self.count > 0 || self.absent != 0.0
    }
}

impl OrderedModel {
    /// A model from its order and parents, with all its costs. The parents of a variable must come
    /// before it in the order, which is not checked here.
    pub fn new(
        space: Space<'_>,
        order: Vec<usize>,
        parents: Vec<VarSet>,
        groups: &mut Groups,
    ) -> Self {
        let nodes: Vec<f64> = parents
            .iter()
            .enumerate()
            .map(|(j, &p)| space.costs.node_cost(space.prior, j, p, groups))
            .collect();
        let absent = space.prior.absent_cost(&order);
        let cost = nodes.iter().sum::<f64>() + absent;
        Self { order, parents, nodes, absent, cost }
    }

    /// A random order with the required arcs; if `full`, also with all arcs that keep a table at no
    /// more cells than there are rows.
    pub fn random(space: Space<'_>, full: bool, rng: &mut SearchRng, groups: &mut Groups) -> Self {
        let prior = space.prior;
        let variables = space.costs.variables;
        let n = variables.len();
        // a random order that respects the prior: the first shuffled variable whose predecessors
        // are in
        let mut waiting: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut waiting);
        let mut order = Vec::with_capacity(n);
        let mut earlier: VarSet = 0;
        while let Some(at) = waiting.iter().position(|&j| prior.before[j] & !earlier == 0) {
            let j = waiting.remove(at);
            order.push(j);
            earlier |= 1 << j;
        }
        // required arcs, then those from the nearest predecessors
        let mut parents = vec![0; n];
        earlier = 0;
        for (at, &j) in order.iter().enumerate() {
            parents[j] = prior.required[j] & earlier;
            for &i in order[..at].iter().rev().filter(|_| full) {
                let more = parents[j] | 1 << i;
                let cells = variables.configurations(more) * variables.arities[j] as f64;
                if prior.allows(j, more, || earlier) && cells <= variables.total {
                    parents[j] = more;
                }
            }
            earlier |= 1 << j;
        }
        Self::new(space, order, parents, groups)
    }

    /// The variables before a place.
    fn earlier(&self, at: usize) -> VarSet {
        self.order[..at].iter().fold(0, |set, &i| set | 1 << i)
    }

    /// A random move; `None` if it is not allowed.
    #[inline]
    pub fn draw(&self, space: Space<'_>, rng: &mut SearchRng, groups: &mut Groups) -> Option<Move> {
        let n = self.order.len();
        match rng.below(6) {
            _ if n < 2 => None,
            0 | 1 => {
                let (a, b) = rng.ordered_pair(n);
                self.toggle_arcs(space, b, 1 << self.order[a], groups)
            }
            2 | 3 => self.exchange_variables(space, rng.below(n - 1), groups),
            _ if n < 3 => None,
            kind => {
                let (a, b, c) = rng.ordered_triple(n);
                let (i, k): (VarSet, VarSet) = (1 << self.order[a], 1 << self.order[b]);
                let both = i | k;
                // kind 4 toggles both arcs, kind 5 only if exactly one is there: an exchange
                let present = self.parents[self.order[c]] & both;
                if kind == 5 && (present == 0 || present == both) {
                    return None;
                }
                self.toggle_arcs(space, c, both, groups)
            }
        }
    }

    /// Toggle the arcs from the variables in `toggled` into the variable at place `at`.
    #[inline]
    fn toggle_arcs(
        &self,
        space: Space<'_>,
        at: usize,
        toggled: VarSet,
        groups: &mut Groups,
    ) -> Option<Move> {
        let j = self.order[at];
        let parents = self.parents[j] ^ toggled;
        if !space.prior.allows(j, parents, || self.earlier(at)) {
            return None;
        }
        let cost = space.costs.node_cost(space.prior, j, parents, groups);
        Some(Move {
            changed: [ChangedNode { variable: j, parents, cost }, ChangedNode::default()],
            count: 1,
            delta: cost - self.nodes[j],
            ..Move::default()
        })
    }

    /// Exchange the variables at places `at` and `at + 1`.
    #[inline]
    fn exchange_variables(&self, space: Space<'_>, at: usize, groups: &mut Groups) -> Option<Move> {
        let (i, j) = (self.order[at], self.order[at + 1]);
        let prior = space.prior;
        if prior.before[j] >> i & 1 == 1 {
            return None;
        }
        let absent = prior.absent(i, j) - prior.absent(j, i);
        let mut found = Move { swap: Some(at), absent, delta: absent, ..Move::default() };
        // an arc between the two is turned
        let turned = self.parents[j] >> i & 1 == 1;
        let (own_j, own_i) = if turned {
            (self.parents[j] & !(1 << i), self.parents[i] | 1 << j)
        } else {
            (self.parents[j], self.parents[i])
        };
        if turned || prior.required[i] >> j & 1 == 1 {
            let earlier = || self.earlier(at);
            if !prior.allows(i, own_i, || earlier() | 1 << j) || !prior.allows(j, own_j, earlier) {
                return None;
            }
        }
        if turned {
            let changed = [(j, own_j), (i, own_i)].map(|(variable, parents)| {
                let cost = space.costs.node_cost(prior, variable, parents, groups);
                ChangedNode { variable, parents, cost }
            });
            found.changed = changed;
            found.count = 2;
            found.delta += changed.iter().map(|c| c.cost - self.nodes[c.variable]).sum::<f64>();
        }
        Some(found)
    }

    /// Carry out a move that [`Self::draw`] returned for this model as it is now. The costs of
    /// changed variables are taken from the move, so no table is counted again.
    #[inline]
    pub fn apply(&mut self, step: &Move) {
        if let Some(at) = step.swap {
            self.order.swap(at, at + 1);
        }
        for &ChangedNode { variable, parents, cost } in &step.changed[..step.count] {
            self.parents[variable] = parents;
            self.nodes[variable] = cost;
        }
        self.absent += step.absent;
        if step.is_visible() {
            // summed from scratch, so that a model has one cost however it was reached
            self.cost = self.nodes.iter().sum::<f64>() + self.absent;
        }
    }

    /// Number of arcs of the model. A search estimates the prior probability of an arc from the
    /// number in its best model.
    pub fn arcs(&self) -> usize {
        self.parents.iter().map(|p| p.count_ones() as usize).sum()
    }

    /// Compute the costs again after the prior has changed, as it does between annealing and
    /// chains. Most costs of tables are still in the cache; only the costs of arcs are new.
    pub fn update_costs(&mut self, space: Space<'_>, groups: &mut Groups) {
        *self = Self::new(space, self.order.clone(), self.parents.clone(), groups);
    }
}

/// The parents of `child` without the one whose removal shortens the message most; `None` if every
/// removal makes it longer. Required parents stay.
fn cheapest_removal(
    space: Space<'_>,
    child: usize,
    parents: VarSet,
    groups: &mut Groups,
) -> Option<VarSet> {
    let now = space.costs.node_cost(space.prior, child, parents, groups);
    let mut best: Option<(f64, VarSet)> = None;
    for i in set_members(parents & !space.prior.required[child]) {
        let less = parents & !(1 << i);
        let cost = space.costs.node_cost(space.prior, child, less, groups);
        if cost <= now && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, less));
        }
    }
    best.map(|(_, less)| less)
}

/// The parents of `child` after removing them one by one, each time the one whose removal makes the
/// message shortest, as long as no removal makes it longer. Required parents stay. Chains visit
/// models with arcs that tell nothing, so models are cleaned before they are reported and compared.
pub fn clean_parents(
    space: Space<'_>,
    child: usize,
    mut parents: VarSet,
    groups: &mut Groups,
) -> VarSet {
    while let Some(less) = cheapest_removal(space, child, parents, groups) {
        parents = less;
    }
    parents
}
