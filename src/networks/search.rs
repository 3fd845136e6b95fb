//! The search: annealing from many starts, then Metropolis chains over totally ordered models.
//!
//! 1. Annealing: eleven units of three rounds each, from an empty model, from a full one, and again
//!    from the better of both; 16 max(n^3, 1000) steps a round (no more than for
//!    24 variables), the temperature falling by the same factor at each step.
//! 2. The prior of an arc, unless given, becomes (arcs + 1/2) / (M + 1) of the best model.
//! 3. Chains from the annealed models, their first steps unused. A chain is a ladder of temperatures 1,
//!    r, r^2, ...; each rung walks for itself, and neighbours exchange their models now and then
//!    (Geyer 1991), so that what the hot rungs find comes down. Visits are counted at temperature 1.
//!    (A single chain at 1.8 whose visits are weighed back, as the authors' program has it, missed
//!    arc probabilities by up to 1 on tables whose truth is known.)
//! 4. Models are cleaned and grouped ([`super::groups`]).
//!
//! Units and chains have random numbers of their own and share nothing but counted tables, so the
//! number of threads changes nothing.

use super::cache::CostCache;
use super::cost::Groups;
use super::groups::{Grouped, grouped};
use super::prior::{Prior, PriorConfig};
use super::state::{Dice, Ordered, Space, cleaned};
use super::variables::{Set, Variables};
use super::visits::Visits;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// Units of annealing, each of three rounds.
const ANNEALED: usize = 11;

/// A sixteenth of the steps of a round, at most.
const LONGEST_ROUND: usize = 13_824;

/// Steps between two looks at the cancel flag.
const STRIDE: u64 = 256;

/// Temperatures of a ladder.
const RUNGS: i32 = 7;

/// Steps of a rung between two exchanges.
const SWEEP: u64 = 16;

/// How many times as many steps the coldest rung makes.
const COLD: u64 = 4;

/// Settings of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Seed of everything.
    pub seed: u64,
    /// Chains.
    pub chains: usize,
    /// Steps of all chains together.
    pub steps: u64,
    /// Ratio of neighbouring temperatures in a chain's ladder.
    pub temperature: f64,
    /// Models that are kept, heaviest first.
    pub keep: usize,
}

/// A model that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// Parents of each variable.
    pub parents: Vec<Set>,
    /// Nits.
    pub length: f64,
}

/// What a search found.
#[derive(Debug)]
pub struct SearchResult {
    /// The model with the shortest message, cleaned.
    pub best: Found,
    /// Prior of an arc that was searched with.
    pub arc_probability: f64,
    /// Probability of the arc from i to j at `[i * n + j]`, before cleaning.
    pub arcs: Vec<f64>,
    /// Cleaned models, heaviest first.
    pub models: Vec<Grouped>,
    /// Share of the visits that the kept models hold.
    pub kept: f64,
    /// Steps that were made, annealing and chains.
    pub steps: u64,
    /// Tables that were counted.
    pub counted: u64,
}

/// Search for models.
pub fn search(
    variables: &Variables,
    prior: &PriorConfig,
    max_parents: usize,
    config: &SearchConfig,
    control: &Control,
) -> Result<SearchResult> {
    let n = variables.len();
    check(config)?;
    let given = prior.arc_probability;
    let mut prior = Prior::new(prior, &variables.names, max_parents)?;
    let costs = CostCache::new(variables);
    let round = 16 * n.pow(3).clamp(1000, LONGEST_ROUND) as u64;
    let warm = config.steps / config.chains as u64 / 20;
    let each = config.steps / config.chains as u64;
    control.expect(3 * ANNEALED as u64 * round + (each + warm) * config.chains as u64);
    let mut annealed = parallel::map(control, ANNEALED, |unit| {
        anneal(Space { costs: &costs, prior: &prior }, round, config.seed, unit as u64, control)
    })?;
    let mut best = least(annealed.clone());
    let arc_probability = match given {
        Some(p) => p,
        None => {
            let most = n * (n - 1) / 2;
            (clean(Space { costs: &costs, prior: &prior }, &best).arcs() as f64 + 0.5)
                / (most + 1) as f64
        }
    };
    prior.set_arc_probability(arc_probability)?;
    let space = Space { costs: &costs, prior: &prior };
    annealed.iter_mut().for_each(|one| one.reprice(space, &mut Groups::default()));
    annealed.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let chains = parallel::map(control, config.chains, |chain| {
        walk(space, &annealed, (warm, each), config, chain, control)
    })?;
    let (seen, bests): (Vec<Visits>, Vec<Ordered>) = chains.into_iter().unzip();
    best = clean(space, &least(bests));
    let total: u64 = seen.iter().map(|v| v.total).sum();
    let arcs = (0..n * n)
        .map(|at| seen.iter().map(|v| v.arcs[at]).sum::<u64>() as f64 / total as f64)
        .collect();
    let models = grouped(space, seen, total, config.keep, control)?;
    Ok(SearchResult {
        kept: models.iter().map(|m| m.weight).sum(),
        best: Found { parents: best.parents, length: best.cost },
        arc_probability,
        arcs,
        models,
        steps: 3 * ANNEALED as u64 * round + (each + warm) * config.chains as u64,
        counted: costs.counted(),
    })
}

fn check(config: &SearchConfig) -> Result<()> {
    if config.chains == 0 || config.steps < config.chains as u64 {
        let reason = format!("at least one step for each of {} chains", config.chains.max(1));
        return Err(Error::parameter("n_steps", config.steps, reason));
    }
    if !(config.temperature >= 1.0 && config.temperature.is_finite()) {
        return Err(Error::parameter("temperature", config.temperature, "a number, at least 1"));
    }
    Ok(())
}

/// The cheapest model; of several the first.
fn least(models: Vec<Ordered>) -> Ordered {
    let mut models = models.into_iter();
    let first = models.next().unwrap_or_else(|| unreachable!("there is always one unit"));
    models.fold(first, |best, one| if one.cost < best.cost { one } else { best })
}

/// A model without the arcs that do not pay.
fn clean(space: Space<'_>, model: &Ordered) -> Ordered {
    let mut groups = Groups::default();
    let parents = model
        .parents
        .iter()
        .enumerate()
        .map(|(j, &own)| cleaned(space, j, own, &mut groups))
        .collect();
    Ordered::new(space, model.order.clone(), parents, &mut groups)
}

/// The best of three rounds.
fn anneal(
    space: Space<'_>,
    steps: u64,
    seed: u64,
    unit: u64,
    control: &Control,
) -> Result<Ordered> {
    let mut dice = Dice::new(seed, unit);
    let mut groups = Groups::default();
    let empty = Ordered::random(space, false, &mut dice, &mut groups);
    let full = Ordered::random(space, true, &mut dice, &mut groups);
    let hot = 2.0 + 0.01 * empty.cost / empty.parents.len() as f64;
    let mut best = empty.clone();
    for (start, from) in [(Some(empty), hot), (Some(full), hot), (None, 0.2 * hot + 2.0)] {
        let mut model = start.unwrap_or_else(|| best.clone());
        let cooling = (0.25 / from).powf(1.0 / steps as f64);
        let mut temperature = from;
        for step in 0..steps {
            if step % STRIDE == 0 {
                control.check()?;
                control.advance(STRIDE.min(steps - step));
            }
            temperature *= cooling;
            if let Some(change) = model.draw(space, &mut dice, &mut groups)
                && accepts(change.delta, temperature, &mut dice)
            {
                model.make(&change);
                if model.cost < best.cost {
                    best.clone_from(&model);
                }
            }
        }
    }
    Ok(best)
}

/// Metropolis: always downhill, uphill with probability exp(-delta / T).
#[inline]
fn accepts(delta: f64, temperature: f64, dice: &mut Dice) -> bool {
    delta <= 0.0 || (delta < 40.0 * temperature && dice.unit() < (-delta / temperature).exp())
}

/// One chain: what it saw at temperature 1, and the best model of all rungs.
fn walk(
    space: Space<'_>,
    starts: &[Ordered],
    (warm, steps): (u64, u64),
    config: &SearchConfig,
    chain: usize,
    control: &Control,
) -> Result<(Visits, Ordered)> {
    let mut dice = Dice::new(config.seed, (ANNEALED + chain) as u64);
    let mut groups = Groups::default();
    let mut best = starts[0].clone();
    let temperatures: Vec<f64> = (0..RUNGS).map(|r| config.temperature.powi(r)).collect();
    // the cold rung from a good model, another one in each chain; the others from all of them
    let mut rungs: Vec<Ordered> =
        (0..temperatures.len()).map(|r| starts[(chain + r) % starts.len()].clone()).collect();
    let mut visits = Visits::new(best.parents.len());
    let mut done = 0;
    for sweep in 0_u64.. {
        if sweep % 8 == 0 {
            control.check()?;
        }
        for (at, (model, &temperature)) in rungs.iter_mut().zip(&temperatures).enumerate() {
            let counted = (at == 0 && done >= warm).then_some(&mut visits);
            let steps = if at == 0 { COLD * SWEEP } else { SWEEP };
            stroll(space, model, (temperature, steps), counted, &mut best, &mut dice, &mut groups);
        }
        for low in (sweep as usize % 2..rungs.len() - 1).step_by(2) {
            let gain = (rungs[low].cost - rungs[low + 1].cost)
                * (1.0 / temperatures[low] - 1.0 / temperatures[low + 1]);
            if gain >= 0.0 || dice.unit() < gain.exp() {
                rungs.swap(low, low + 1);
            }
        }
        let made = SWEEP * (COLD + temperatures.len() as u64 - 1);
        control.advance(made.min((warm + steps).saturating_sub(done)));
        done += made;
        if done >= warm + steps && visits.total > 0 {
            return Ok((visits, best));
        }
    }
    unreachable!("a chain ends with its last step")
}

/// Some steps at one temperature; visits are counted where they count.
#[inline]
fn stroll(
    space: Space<'_>,
    model: &mut Ordered,
    (temperature, steps): (f64, u64),
    mut visits: Option<&mut Visits>,
    best: &mut Ordered,
    dice: &mut Dice,
    groups: &mut Groups,
) {
    let mut since = 0;
    for _ in 0..steps {
        if let Some(change) = model.draw(space, dice, groups)
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
}
