//! Metropolis chains, each a ladder of temperatures 1, r, r^2, ... whose neighbours exchange their
//! states now and then (Geyer 1991), so that what the hot rungs find comes down. Visits are counted
//! at temperature 1.
//!
//! Where all sums over parents fit into memory, the rungs walk over orders ([`super::orders`]). The
//! coldest then draws parents from their exact distribution given its order, and walks on from
//! that model by the moves over models, whose order it keeps: each of the three leaves the
//! posterior as it is. With more variables or rows every rung walks over models.

use super::cost::Groups;
use super::dice::Dice;
use super::orders::{OrderScratch, OrderSums, OrderWalk};
use super::state::{OrderedModel, Space};
use super::visits::Visits;
use crate::error::Result;
use crate::parallel::Control;

/// Temperatures of a ladder over models.
const RUNGS: i32 = 7;

/// Temperatures of a ladder over orders.
const ORDER_RUNGS: i32 = 5;

/// Exchanges of a ladder over orders between two draws of parents.
const ROUNDS: usize = 5;

/// Steps of a rung between two exchanges.
const SWEEP: u64 = 16;

/// How many times as many steps over models the coldest rung makes.
const COLD: u64 = 4;

/// One chain of a search.
pub struct Chain<'a> {
    /// Costs.
    pub space: Space<'a>,
    /// Sums over parents, where the rungs walk over orders.
    pub sums: Option<&'a OrderSums<'a>>,
    /// Models to start from, the best one first.
    pub starts: &'a [OrderedModel],
    /// First steps, which are not counted.
    pub warm: u64,
    /// Steps that are counted.
    pub steps: u64,
    /// Ratio of neighbouring temperatures.
    pub temperature: f64,
    /// Seed of the search.
    pub seed: u64,
    /// Cancel flag and progress.
    pub control: &'a Control,
}

/// Metropolis: always downhill, uphill with probability exp(-delta / T).
#[inline]
pub fn accepts(delta: f64, temperature: f64, dice: &mut Dice) -> bool {
    delta <= 0.0 || (delta < 40.0 * temperature && dice.unit() < (-delta / temperature).exp())
}

/// Whether two rungs exchange their states, of which the colder one costs `excess` more.
fn exchanges(excess: f64, cold: f64, hot: f64, dice: &mut Dice) -> bool {
    let gain = excess * (1.0 / cold - 1.0 / hot);
    gain >= 0.0 || dice.unit() < gain.exp()
}

impl Chain<'_> {
    /// What chain `number` saw at temperature 1, and the best model of all rungs.
    pub fn run(&self, number: usize, unit: u64) -> Result<(Visits, OrderedModel)> {
        let mut dice = Dice::new(self.seed, unit);
        let rungs = if self.sums.is_some() { ORDER_RUNGS } else { RUNGS };
        let temperatures: Vec<f64> = (0..rungs).map(|r| self.temperature.powi(r)).collect();
        // the cold rung from a good model, another one in each chain; the others from all of them
        let rungs: Vec<OrderedModel> = (0..temperatures.len())
            .map(|r| self.starts[(number + r) % self.starts.len()].clone())
            .collect();
        match self.sums {
            Some(sums) => self.walk_orders(sums, rungs, &temperatures, &mut dice),
            None => self.walk_models(rungs, &temperatures, &mut dice),
        }
    }

    /// Count what a sweep made; true at the end.
    fn swept(&self, made: u64, done: &mut u64) -> bool {
        self.control.advance(made.min((self.warm + self.steps).saturating_sub(*done)));
        *done += made;
        *done >= self.warm + self.steps
    }

    fn walk_models(
        &self,
        mut rungs: Vec<OrderedModel>,
        temperatures: &[f64],
        dice: &mut Dice,
    ) -> Result<(Visits, OrderedModel)> {
        let mut groups = Groups::default();
        let mut best = self.starts[0].clone();
        let mut visits = Visits::new(best.parents.len());
        let mut done = 0;
        for sweep in 0_usize.. {
            for (at, (model, &temperature)) in rungs.iter_mut().zip(temperatures).enumerate() {
                let counted = (at == 0 && done >= self.warm).then_some(&mut visits);
                let steps = if at == 0 { COLD * SWEEP } else { SWEEP };
                self.stroll(model, (temperature, steps), counted, &mut best, dice, &mut groups)?;
            }
            for low in (sweep % 2..rungs.len() - 1).step_by(2) {
                let excess = rungs[low].cost - rungs[low + 1].cost;
                if exchanges(excess, temperatures[low], temperatures[low + 1], dice) {
                    rungs.swap(low, low + 1);
                }
            }
            let made = SWEEP * (COLD + temperatures.len() as u64 - 1);
            if self.swept(made, &mut done) && visits.total > 0 {
                break;
            }
        }
        Ok((visits, best))
    }

    fn walk_orders(
        &self,
        sums: &OrderSums<'_>,
        rungs: Vec<OrderedModel>,
        temperatures: &[f64],
        dice: &mut Dice,
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
                sweep_orders(sums, &mut rungs, temperatures, round, dice, &mut scratch);
            }
            let counted = (done >= self.warm).then_some(&mut visits);
            let parents = rungs[0].draw_parents(sums, dice, &mut scratch);
            let order = rungs[0].order.clone();
            let mut model = OrderedModel::new(self.space, order, parents, &mut groups);
            self.stroll(&mut model, (1.0, SWEEP), counted, &mut best, dice, &mut groups)?;
            rungs[0] = OrderWalk::new(sums, model.order);
            let made = SWEEP + (ROUNDS * n * temperatures.len()) as u64;
            if self.swept(made, &mut done) && visits.total > 0 {
                break;
            }
        }
        Ok((visits, best))
    }

    /// Some steps over models at one temperature; visits are counted where they count.
    fn stroll(
        &self,
        model: &mut OrderedModel,
        (temperature, steps): (f64, u64),
        mut visits: Option<&mut Visits>,
        best: &mut OrderedModel,
        dice: &mut Dice,
        groups: &mut Groups,
    ) -> Result<()> {
        if model.cost < best.cost {
            best.clone_from(model);
        }
        let mut since = 0;
        for _ in 0..steps {
            self.control.check()?;
            if let Some(change) = model.draw(self.space, dice, groups)
                && accepts(change.delta, temperature, dice)
            {
                if change.is_visible()
                    && let Some(visits) = &mut visits
                {
                    visits.add(model, since);
                    since = 0;
                }
                model.make(&change);
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

/// As many moves of every rung as there are variables, then exchanges of neighbouring rungs.
fn sweep_orders(
    sums: &OrderSums<'_>,
    rungs: &mut [OrderWalk],
    temperatures: &[f64],
    round: usize,
    dice: &mut Dice,
    scratch: &mut OrderScratch,
) {
    for (order, &temperature) in rungs.iter_mut().zip(temperatures) {
        let n = order.order.len();
        for step in 0..if n > 1 { n } else { 0 } {
            if step % 2 == 0 {
                order.relocate(sums, temperature, dice, scratch);
            } else {
                order.exchange(sums, temperature, dice);
            }
        }
    }
    for low in (round % 2..rungs.len() - 1).step_by(2) {
        let excess = rungs[low + 1].weight - rungs[low].weight;
        if exchanges(excess, temperatures[low], temperatures[low + 1], dice) {
            rungs.swap(low, low + 1);
        }
    }
}
