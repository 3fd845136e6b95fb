//! A Markov chain over orders alone, the parents summed out (Friedman & Koller 2003). Orders whose
//! best models lie far apart often differ by few nits, so it mixes where a chain over models does
//! not.
//!
//! Given the order, variables choose their parents independently: an order weighs `prod F_j(S_j)`,
//! with F_j(S) the sum over the sets of parents among the predecessors S ([`super::weights`]).
//! There are two moves: a variable is put back at a place drawn by the weights of all its places
//! (Gibbs), or two variables are exchanged (Metropolis). Parents are drawn from their exact
//! distribution given the order. For that a second table is summed over the lower half of the
//! variables only: first the upper half of the parents is drawn, then the lower one, from at most
//! `2 * 2^(n / 2)` sets.
//!
//! Memory: 3 n 2^(n - 1) numbers, so up to [`MOST_VARIABLES`] variables, and only if all sets of
//! variables can be counted in seconds ([`affordable`]).

use super::exact;
use super::prior::Prior;
use super::rng::SearchRng;
use super::subsets::SubsetSums;
use super::variables::{VarSet, Variables, set_members};
use super::weights::{add_absent, index_without, node_weights, set_at, subset_zeta_of};
use crate::error::Result;
use crate::numeric::log_add;
use crate::parallel::{self, Control};

/// Largest number of variables: 252 MB of tables.
pub const MOST_VARIABLES: usize = exact::MOST_VARIABLES;

/// Most sets times rows that are counted for the tables: seconds.
const LARGEST_WORK: u64 = 1 << 30;

/// Whether every set of the variables can be counted in seconds: up to [`MOST_VARIABLES`]
/// variables, and at most 2^30 sets times distinct rows. A search then walks over orders, and
/// otherwise over models.
pub fn affordable(variables: &Variables) -> bool {
    let n = variables.len();
    n <= MOST_VARIABLES && (variables.n_distinct_rows() as u64) << n <= LARGEST_WORK
}

/// Logarithms of weights and sums of weights, by child and set of other variables.
#[derive(Debug)]
pub struct OrderSums<'a> {
    prior: &'a Prior,
    /// Number of bits of the lower half of an index.
    low: u32,
    /// Weight of the set as the parents.
    weights: Vec<Vec<f64>>,
    /// Summed over subsets of the lower half.
    half: Vec<Vec<f64>>,
    /// Summed over all subsets, with the terms of absent arcs from the other predecessors.
    sums: Vec<Vec<f64>>,
}

impl<'a> OrderSums<'a> {
    /// The tables of all variables, one variable per task. O(n^2 2^n) time. `counted` has the table
    /// costs of all sets, and can be dropped afterwards.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn new(
        variables: &Variables,
        counted: &SubsetSums,
        prior: &'a Prior,
        control: &Control,
    ) -> Result<Self> {
        let n = variables.len();
        let low = (n as u32 - 1) / 2;
        let weights = node_weights(variables, counted, prior, control)?;
        let tables = parallel::map(control, n, &|j| {
            let fixed = index_without(prior.required[j], j);
            // the lower half first, then the upper half on top
            let mut half = weights[j].clone();
            subset_zeta_of(&mut half, 0..low, fixed, log_add, control)?;
            let mut sums = half.clone();
            subset_zeta_of(&mut sums, low..n as u32 - 1, fixed, log_add, control)?;
            add_absent(&mut sums, prior, j);
            Ok((half, sums))
        })?;
        let (half, sums) = tables.into_iter().unzip();
        Ok(Self { prior, low, weights, half, sums })
    }

    /// Logarithm of F_j: the weight of all sets of parents of `j` among `earlier`.
    #[inline]
    fn sum(&self, j: usize, earlier: VarSet) -> f64 {
        self.sums[j][index_without(earlier, j)]
    }

    /// Parents of `j` among `earlier`, drawn by their weights.
    fn draw(
        &self,
        j: usize,
        earlier: VarSet,
        rng: &mut SearchRng,
        scratch: &mut Vec<f64>,
    ) -> VarSet {
        let must = index_without(self.prior.required[j] & earlier, j);
        let free = index_without(earlier & !self.prior.required[j], j);
        let lower = (1 << self.low) - 1;
        let (all, table) = (must | free, &self.half[j]);
        // the upper half of the parents, the lower half summed out
        let high =
            pick(free & !lower, rng, scratch, |set| table[(set | must) & !lower | all & lower]);
        let high = (high | must) & !lower;
        // the lower half, given the upper half
        let table = &self.weights[j];
        let low = pick(free & lower, rng, scratch, |set| table[set | must & lower | high]);
        set_at(high | low | must, j) as VarSet
    }
}

/// A random subset of `mask`, with probabilities proportional to exp(weight).
fn pick(
    mask: usize,
    rng: &mut SearchRng,
    scratch: &mut Vec<f64>,
    weight: impl Fn(usize) -> f64,
) -> usize {
    if mask == 0 {
        return 0;
    }
    // weights of all subsets, from the mask itself down to the empty set
    scratch.clear();
    let mut set = mask;
    loop {
        scratch.push(weight(set));
        if set == 0 {
            break;
        }
        set = (set - 1) & mask;
    }
    let place = draw_index(scratch, rng);
    // the subset at that place: the bits of its number, counted from the end, are deposited into
    // the mask
    let (mut number, mut found) = (scratch.len() - 1 - place, 0);
    for bit in set_members(mask as VarSet) {
        found |= (number & 1) << bit;
        number >>= 1;
    }
    found
}

/// A random index, with probabilities proportional to exp(value); the values are overwritten.
fn draw_index(values: &mut [f64], rng: &mut SearchRng) -> usize {
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for value in values.iter_mut() {
        // others are less than e^-40 of the largest, below the resolution of a random number
        if *value > top - 40.0 {
            total += (*value - top).exp();
        }
        *value = total;
    }
    let drawn = rng.unit() * total;
    values.iter().position(|&v| drawn < v).unwrap_or(values.len() - 1)
}

/// The state of the chain: an order with its weight.
#[derive(Debug, Clone)]
pub struct OrderWalk {
    /// Variables, first to last.
    pub order: Vec<usize>,
    /// Logarithm of its weight.
    pub weight: f64,
}

/// Memory that draws use again.
#[derive(Debug, Default)]
pub struct OrderScratch {
    /// Weights of all choices of a draw.
    values: Vec<f64>,
    /// Second table of [`OrderWalk::relocate`].
    with: Vec<f64>,
}

impl OrderWalk {
    /// A walk that starts at this order, which must respect the prior: its weight is minus infinity
    /// otherwise. O(n) look-ups.
    pub fn new(sums: &OrderSums<'_>, order: Vec<usize>) -> Self {
        let mut found = Self { order, weight: 0.0 };
        found.weigh(sums);
        found
    }

    /// Sum the weight from scratch, O(n) look-ups. Moves update the weight by differences, whose
    /// rounding errors add up.
    pub fn weigh(&mut self, sums: &OrderSums<'_>) {
        let mut earlier: VarSet = 0;
        self.weight = 0.0;
        for &j in &self.order {
            self.weight += sums.sum(j, earlier);
            earlier |= 1 << j;
        }
    }

    /// Take a random variable out and put it back at a place drawn by the weights of the orders
    /// (Gibbs), at the temperature of the rung. The move is always accepted, but may put the
    /// variable where it was. O(n) look-ups for all places together, as neighbouring places share
    /// their terms.
    pub fn relocate(
        &mut self,
        sums: &OrderSums<'_>,
        temperature: f64,
        rng: &mut SearchRng,
        scratch: &mut OrderScratch,
    ) {
        let n = self.order.len();
        let moved = self.order.remove(rng.below(n));
        let OrderScratch { values, with } = scratch;
        // values[k]: terms of the variables before place k, and of the moved one at k;
        // with[k]: term of the variable that follows, the moved one being before it
        values.clear();
        with.clear();
        let (mut earlier, mut before): (VarSet, f64) = (0, 0.0);
        for &j in &self.order {
            values.push(before + sums.sum(moved, earlier));
            with.push(sums.sum(j, earlier | 1 << moved));
            before += sums.sum(j, earlier);
            earlier |= 1 << j;
        }
        values.push(before + sums.sum(moved, earlier));
        let mut after = 0.0;
        for place in (0..n - 1).rev() {
            after += with[place];
            values[place] += after;
        }
        // draw at the temperature of the chain; `with` keeps the weights themselves
        with.clone_from(values);
        let cold = 1.0 / temperature;
        values.iter_mut().for_each(|v| *v *= cold);
        let place = draw_index(values, rng);
        self.order.insert(place, moved);
        self.weight = with[place];
    }

    /// Propose to exchange two random variables (Metropolis); the order needs at least two. An
    /// order that breaks the prior has the weight minus infinity, so it is never accepted. Costs
    /// two look-ups for each variable from the first of the two to the second.
    pub fn exchange(&mut self, sums: &OrderSums<'_>, temperature: f64, rng: &mut SearchRng) {
        let (a, b) = rng.ordered_pair(self.order.len());
        let mut earlier: VarSet = self.order[..a].iter().fold(0, |set, &i| set | 1 << i);
        // only the terms of the variables from place a to place b change
        let (mut gain, mut exchanged) = (0.0, earlier);
        self.order[a..=b].iter().for_each(|&j| {
            gain -= sums.sum(j, earlier);
            earlier |= 1 << j;
        });
        self.order.swap(a, b);
        self.order[a..=b].iter().for_each(|&j| {
            gain += sums.sum(j, exchanged);
            exchanged |= 1 << j;
        });
        if gain >= 0.0 || rng.unit() < (gain / temperature).exp() {
            self.weight += gain;
        } else {
            self.order.swap(a, b);
        }
    }

    /// Parents of every variable, drawn from their distribution given the order: with probabilities
    /// proportional to their weights, independently of each other. At most `2 * 2^(n / 2)` terms
    /// per variable. The model is a draw from the posterior only if the order is: for the walk at
    /// temperature 1.
    pub fn draw_parents(
        &self,
        sums: &OrderSums<'_>,
        rng: &mut SearchRng,
        scratch: &mut OrderScratch,
    ) -> Vec<VarSet> {
        let mut parents = vec![0; self.order.len()];
        let mut earlier: VarSet = 0;
        for &j in &self.order {
            parents[j] = sums.draw(j, earlier, rng, &mut scratch.values);
            earlier |= 1 << j;
        }
        parents
    }
}
