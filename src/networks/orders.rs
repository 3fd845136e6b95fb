//! A walk over orders alone, the parents summed out (Friedman & Koller 2003): few nits separate
//! orders whose models are far apart, so such a walk mixes where one over models does not.
//!
//! Given the order, variables choose their parents independently, and with F_j(S) the sum over the
//! sets of parents among the predecessors S ([`super::weights`]) an order weighs `prod F_j(S_j)`.
//! Two moves: a variable is taken out and put back at a place drawn from all places by their
//! weights (Gibbs), or two variables exchange their places (Metropolis). Parents are drawn from
//! their exact distribution given the order, from tables that are summed half way: first the upper
//! half of the predecessors, then the lower one, so that at most 2 * 2^(n / 2) sets are looked at.
//!
//! Tables hold 3 n 2^(n - 1) numbers: up to [`LARGEST`] variables, and only where counting all sets
//! of variables is affordable ([`affordable`]).

use super::dice::Dice;
use super::exact;
use super::prior::Prior;
use super::subsets::SubsetSums;
use super::variables::{Set, Variables, members};
use super::weights::{expanded, finish, log_add, node_weights, squeezed, subset_zeta_of};
use crate::error::Result;
use crate::parallel::{self, Control};

/// Largest number of variables: 252 MB of tables.
pub const LARGEST: usize = exact::LARGEST;

/// Largest number of sets times rows that are counted for the tables.
const LARGEST_WORK: u64 = 1 << 30;

/// Whether every set of the variables can be counted in seconds.
pub fn affordable(variables: &Variables) -> bool {
    let n = variables.len();
    n <= LARGEST && (variables.rows() as u64) << n <= LARGEST_WORK
}

/// Logarithms of weights of parents, by child and set.
#[derive(Debug)]
pub struct OrderSums<'a> {
    prior: &'a Prior,
    /// Bits of the lower half of a place.
    low: u32,
    /// Of a set of parents.
    weights: Vec<Vec<f64>>,
    /// Summed over subsets of the lower half.
    half: Vec<Vec<f64>>,
    /// Summed over all subsets, with the absent arcs from the other predecessors.
    sums: Vec<Vec<f64>>,
}

impl<'a> OrderSums<'a> {
    /// Tables of all variables.
    pub fn new(
        variables: &Variables,
        counted: &SubsetSums,
        prior: &'a Prior,
        control: &Control,
    ) -> Result<Self> {
        let n = variables.len();
        let low = (n as u32 - 1) / 2;
        let weights = node_weights(variables, counted, prior, control)?;
        let tables = parallel::map(control, n, |j| {
            let fixed = squeezed(prior.required[j], j);
            let mut half = weights[j].clone();
            subset_zeta_of(&mut half, 0..low, fixed, log_add, control)?;
            let mut sums = half.clone();
            subset_zeta_of(&mut sums, low..n as u32 - 1, fixed, log_add, control)?;
            finish(&mut sums, prior, j);
            Ok((half, sums))
        })?;
        let (half, sums) = tables.into_iter().unzip();
        Ok(Self { prior, low, weights, half, sums })
    }

    /// Logarithm of the weight of all parents of `j` among the variables that come earlier.
    #[inline]
    fn sum(&self, j: usize, earlier: Set) -> f64 {
        self.sums[j][squeezed(earlier, j)]
    }

    /// Parents of `j` among the variables that come earlier, drawn by their weights.
    fn draw(&self, j: usize, earlier: Set, dice: &mut Dice, scratch: &mut Vec<f64>) -> Set {
        let must = squeezed(self.prior.required[j] & earlier, j);
        let free = squeezed(earlier & !self.prior.required[j], j);
        let lower = (1 << self.low) - 1;
        let (all, table) = (must | free, &self.half[j]);
        let high =
            pick(free & !lower, dice, scratch, |set| table[(set | must) & !lower | all & lower]);
        let high = (high | must) & !lower;
        let table = &self.weights[j];
        let low = pick(free & lower, dice, scratch, |set| table[set | must & lower | high]);
        expanded(high | low | must, j) as Set
    }
}

/// A subset of `mask` with a probability proportional to exp(weight).
fn pick(
    mask: usize,
    dice: &mut Dice,
    scratch: &mut Vec<f64>,
    weight: impl Fn(usize) -> f64,
) -> usize {
    if mask == 0 {
        return 0;
    }
    scratch.clear();
    let mut set = mask;
    loop {
        scratch.push(weight(set));
        if set == 0 {
            break;
        }
        set = (set - 1) & mask;
    }
    let place = place_of(scratch, dice);
    // the subsets descend from the mask itself: deposit the bits of the number into the mask
    let (mut number, mut found) = (scratch.len() - 1 - place, 0);
    for bit in members(mask as Set) {
        found |= (number & 1) << bit;
        number >>= 1;
    }
    found
}

/// A place with a probability proportional to exp(value); the values are changed.
fn place_of(values: &mut [f64], dice: &mut Dice) -> usize {
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for value in values.iter_mut() {
        // e^-40 of the heaviest one: less than the resolution of a draw
        if *value > top - 40.0 {
            total += (*value - top).exp();
        }
        *value = total;
    }
    let drawn = dice.unit() * total;
    values.iter().position(|&v| drawn < v).unwrap_or(values.len() - 1)
}

/// An order on its walk at one temperature.
#[derive(Debug, Clone)]
pub struct OrderWalk {
    /// Variables, first to last.
    pub order: Vec<usize>,
    /// Logarithm of its weight.
    pub weight: f64,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub struct OrderScratch {
    values: Vec<f64>,
    with: Vec<f64>,
}

impl OrderWalk {
    /// An order with its weight.
    pub fn new(sums: &OrderSums<'_>, order: Vec<usize>) -> Self {
        let mut found = Self { order, weight: 0.0 };
        found.weigh(sums);
        found
    }

    /// The weight, summed afresh.
    pub fn weigh(&mut self, sums: &OrderSums<'_>) {
        let mut earlier: Set = 0;
        self.weight = 0.0;
        for &j in &self.order {
            self.weight += sums.sum(j, earlier);
            earlier |= 1 << j;
        }
    }

    /// Take a variable out and put it back at a place drawn by the weights of the orders.
    pub fn relocate(
        &mut self,
        sums: &OrderSums<'_>,
        temperature: f64,
        dice: &mut Dice,
        scratch: &mut OrderScratch,
    ) {
        let n = self.order.len();
        let moved = self.order.remove(dice.below(n));
        let OrderScratch { values, with } = scratch;
        // values[k]: the variables before place k, and the moved one there; with[k]: those after it
        values.clear();
        with.clear();
        let (mut earlier, mut before): (Set, f64) = (0, 0.0);
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
        with.clone_from(values);
        let cold = 1.0 / temperature;
        values.iter_mut().for_each(|v| *v *= cold);
        let place = place_of(values, dice);
        self.order.insert(place, moved);
        self.weight = with[place];
    }

    /// Propose to exchange two variables.
    pub fn exchange(&mut self, sums: &OrderSums<'_>, temperature: f64, dice: &mut Dice) {
        let (a, b) = dice.two(self.order.len());
        let mut earlier: Set = self.order[..a].iter().fold(0, |set, &i| set | 1 << i);
        let (mut gain, mut other) = (0.0, earlier);
        self.order[a..=b].iter().for_each(|&j| {
            gain -= sums.sum(j, earlier);
            earlier |= 1 << j;
        });
        self.order.swap(a, b);
        self.order[a..=b].iter().for_each(|&j| {
            gain += sums.sum(j, other);
            other |= 1 << j;
        });
        if gain >= 0.0 || dice.unit() < (gain / temperature).exp() {
            self.weight += gain;
        } else {
            self.order.swap(a, b);
        }
    }

    /// Parents of every variable, drawn given the order.
    pub fn draw_parents(
        &self,
        sums: &OrderSums<'_>,
        dice: &mut Dice,
        scratch: &mut OrderScratch,
    ) -> Vec<Set> {
        let mut parents = vec![0; self.order.len()];
        let mut earlier: Set = 0;
        for &j in &self.order {
            parents[j] = sums.draw(j, earlier, dice, &mut scratch.values);
            earlier |= 1 << j;
        }
        parents
    }
}
