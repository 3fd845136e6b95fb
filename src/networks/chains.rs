//! Metropolis chains with parallel tempering (Geyer 1991).
//!
//! A chain is a ladder of temperatures 1, r, r^2, ...; neighbouring rungs exchange their states now
//! and then, so that models found by the hot rungs reach the cold one. Visits are counted at
//! temperature 1.
//!
//! If the tables of sums over parents fit into memory, the rungs walk over orders
//! ([`super::orders`]). The cold rung then draws parents from their exact distribution given its
//! order, and makes some moves over models from there, keeping the order that they end with. Each
//! of the three steps leaves the posterior invariant. With more variables or rows all rungs walk
//! over models.

use super::cost::Groups;
use super::orders::{OrderScratch, OrderSums, OrderWalk};
use super::rng::SearchRng;
use super::state::{OrderedModel, Space};
use super::visits::Visits;
use crate::error::Result;
use crate::parallel::Control;

/// Number of temperatures of a ladder over models.
const MODEL_RUNGS: i32 = 7;

/// Number of temperatures of a ladder over orders.
const ORDER_RUNGS: i32 = 5;

/// Rounds of moves and exchanges over orders between two draws of parents.
const ROUNDS: usize = 5;

/// Steps of a rung over models between two exchanges.
const SWEEP: u64 = 16;

/// The cold rung over models makes this many times as many steps, as only its visits count.
const COLD: u64 = 4;

/// The settings of the chains of a search.
pub struct Chain<'a> {
    /// Costs of models.
    pub space: Space<'a>,
    /// Sums over parents if the rungs walk over orders.
    pub sums: Option<&'a OrderSums<'a>>,
    /// Models to start from, the best one first.
    pub starts: &'a [OrderedModel],
    /// Number of first steps whose visits are not counted.
    pub warm: u64,
    /// Number of steps whose visits are counted.
    pub steps: u64,
    /// Ratio of successive temperatures.
    pub temperature: f64,
    /// Seed of the search.
    pub seed: u64,
    /// Cancellation and progress.
    pub control: &'a Control,
}

/// Metropolis rule: accept a change of the cost by `delta` with probability min(1, exp(-delta /
/// T)).
#[inline]
pub fn accepts(delta: f64, temperature: f64, rng: &mut SearchRng) -> bool {
    // beyond 40 T the probability is below the resolution of a random number
    delta <= 0.0 || (delta < 40.0 * temperature && rng.unit() < (-delta / temperature).exp())
}

/// Whether two rungs at temperatures `cold` and `hot` exchange their states. The state of the cold
/// rung costs `excess` more than the state of the hot one.
fn exchanges(excess: f64, cold: f64, hot: f64, rng: &mut SearchRng) -> bool {
    let gain = excess * (1.0 / cold - 1.0 / hot);
    gain >= 0.0 || rng.unit() < gain.exp()
}

impl Chain<'_> {
    /// Run chain `number` with the random numbers of `unit`. Returns the visits at temperature 1,
    /// and the best model of all rungs.
    pub fn run(&self, number: usize, unit: u64) -> Result<(Visits, OrderedModel)> {
        let mut rng = SearchRng::new(self.seed, unit);
        let rungs = if self.sums.is_some() { ORDER_RUNGS } else { MODEL_RUNGS };
        let temperatures: Vec<f64> = (0..rungs).map(|r| self.temperature.powi(r)).collect();
        // each chain starts its rungs at other models, the cold one at one of the best
        let rungs: Vec<OrderedModel> = (0..temperatures.len())
            .map(|r| self.starts[(number + r) % self.starts.len()].clone())
            .collect();
        match self.sums {
            Some(sums) => self.walk_orders(sums, rungs, &temperatures, &mut rng),
            None => self.walk_models(rungs, &temperatures, &mut rng),
        }
    }

    /// Add the `made` steps of a sweep to `done`; true if all steps are done.
    fn is_done(&self, made: u64, done: &mut u64) -> bool {
        self.control.advance(made.min((self.warm + self.steps).saturating_sub(*done)));
        *done += made;
        *done >= self.warm + self.steps
    }

    /// Parallel tempering over models.
    fn walk_models(
        &self,
        mut rungs: Vec<OrderedModel>,
        temperatures: &[f64],
        rng: &mut SearchRng,
    ) -> Result<(Visits, OrderedModel)> {
        let mut groups = Groups::default();
        let mut best = self.starts[0].clone();
        let mut visits = Visits::new(best.parents.len());
        let mut done = 0;
        for sweep in 0_usize.. {
            for (at, (model, &temperature)) in rungs.iter_mut().zip(temperatures).enumerate() {
                let counted = (at == 0 && done >= self.warm).then_some(&mut visits);
                let steps = if at == 0 { COLD * SWEEP } else { SWEEP };
                let moves = Moves { temperature, steps };
                self.walk(model, moves, counted, &mut best, rng, &mut groups)?;
            }
            exchange_rungs(&mut rungs, |model| model.cost, temperatures, sweep, rng);
            let made = SWEEP * (COLD + temperatures.len() as u64 - 1);
            if self.is_done(made, &mut done) && visits.total > 0 {
                break;
            }
        }
        Ok((visits, best))
    }

    /// Parallel tempering over orders; models are drawn at temperature 1.
    fn walk_orders(
        &self,
        sums: &OrderSums<'_>,
        rungs: Vec<OrderedModel>,
        temperatures: &[f64],
        rng: &mut SearchRng,
    ) -> Result<(Visits, OrderedModel)> {
        let n = rungs[0].order.len();
        let (mut groups, mut scratch) = (Groups::default(), OrderScratch::default());
        let mut best = self.starts[0].clone();
        let mut visits = Visits::new(n);
        let mut rungs: Vec<OrderWalk> =
            rungs.into_iter().map(|model| OrderWalk::new(sums, model.order)).collect();
        let mut done = 0;
        loop {
            self.control.check()?;
            for round in 0..ROUNDS {
                sweep_orders(sums, &mut rungs, temperatures, round, rng, &mut scratch);
            }
            let counted = (done >= self.warm).then_some(&mut visits);
            let parents = rungs[0].draw_parents(sums, rng, &mut scratch);
            let order = rungs[0].order.clone();
            let mut model = OrderedModel::new(self.space, order, parents, &mut groups);
            let moves = Moves { temperature: 1.0, steps: SWEEP };
            self.walk(&mut model, moves, counted, &mut best, rng, &mut groups)?;
            rungs[0] = OrderWalk::new(sums, model.order);
            let made = SWEEP + (ROUNDS * n * temperatures.len()) as u64;
            if self.is_done(made, &mut done) && visits.total > 0 {
                break;
            }
        }
        Ok((visits, best))
    }

    /// Make some moves over models, and count the visits if `visits` is given. `best` becomes the
    /// best model on the way.
    fn walk(
        &self,
        model: &mut OrderedModel,
        Moves { temperature, steps }: Moves,
        mut visits: Option<&mut Visits>,
        best: &mut OrderedModel,
        rng: &mut SearchRng,
        groups: &mut Groups,
    ) -> Result<()> {
        if model.cost < best.cost {
            best.clone_from(model);
        }
        let mut since = 0; // steps since the last visit was counted
        for _ in 0..steps {
            self.control.check()?;
            if let Some(change) = model.draw(self.space, rng, groups)
                && accepts(change.delta, temperature, rng)
            {
                if change.is_visible()
                    && let Some(visits) = &mut visits
                {
                    visits.add(model, since);
                    since = 0;
                }
                model.apply(&change);
                if model.cost < best.cost {
                    best.clone_from(model);
                }
            }
            since += 1;
        }
        if let Some(visits) = visits {
            visits.add(model, since);
        }
        Ok(())
    }
}

/// A number of moves over models at one temperature.
struct Moves {
    temperature: f64,
    steps: u64,
}

/// Exchange the states of neighbouring rungs, by the rule of [`exchanges`]. In even rounds the
/// lower rung of each pair has an even number, in odd rounds an odd one. `cost` gives the cost of a
/// state.
fn exchange_rungs<S>(
    rungs: &mut [S],
    cost: impl Fn(&S) -> f64,
    temperatures: &[f64],
    round: usize,
    rng: &mut SearchRng,
) {
    for low in (round % 2..rungs.len() - 1).step_by(2) {
        let excess = cost(&rungs[low]) - cost(&rungs[low + 1]);
        if exchanges(excess, temperatures[low], temperatures[low + 1], rng) {
            rungs.swap(low, low + 1);
        }
    }
}

/// As many moves of every rung over orders as there are variables, then exchanges of rungs.
fn sweep_orders(
    sums: &OrderSums<'_>,
    rungs: &mut [OrderWalk],
    temperatures: &[f64],
    round: usize,
    rng: &mut SearchRng,
    scratch: &mut OrderScratch,
) {
    for (order, &temperature) in rungs.iter_mut().zip(temperatures) {
        let n = order.order.len();
        for step in 0..if n > 1 { n } else { 0 } {
            if step % 2 == 0 {
                order.relocate(sums, temperature, rng, scratch);
            } else {
                order.exchange(sums, temperature, rng);
            }
        }
    }
    exchange_rungs(rungs, |order| -order.weight, temperatures, round, rng);
}
