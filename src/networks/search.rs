//! The search: annealing from many starts, then Metropolis chains over totally ordered models.
//!
//! 1. Annealing: eleven units of three rounds each, from an empty model, from a full one, and again
//!    from the better of both; 8 max(n^3, 1000) steps a round, the temperature falling by the same
//!    factor at each step.
//! 2. The prior of an arc, unless given, becomes (arcs + 1/2) / (M + 1) of the best model.
//! 3. Chains at temperature 1.8 from the best model, their first steps unused; visits are weighed
//!    back to temperature 1 ([`super::visits`]).
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

/// Steps between two looks at the cancel flag.
const STRIDE: u64 = 256;

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
    /// Of the chains; above 1 wider than the posterior.
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
    /// Share of the weight that the kept models hold.
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
    let round = 8 * (n.pow(3)).max(1000) as u64;
    let warm = config.steps / config.chains as u64 / 20;
    let each = config.steps / config.chains as u64;
    control.expect(3 * ANNEALED as u64 * round + (each + warm) * config.chains as u64);
    let annealed = parallel::map(control, ANNEALED, |unit| {
        anneal(Space { costs: &costs, prior: &prior }, round, config.seed, unit as u64, control)
    })?;
    let mut best = least(annealed);
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
    best.reprice(space, &mut Groups::default());
    let chains = parallel::map(control, config.chains, |chain| {
        walk(space, &best, (warm, each), config, chain as u64, control)
    })?;
    let (mut seen, bests): (Vec<Visits>, Vec<Ordered>) = chains.into_iter().unzip();
    best = clean(space, &least(bests));
    let lowest = seen.iter().map(|v| v.least).fold(f64::INFINITY, f64::min);
    seen.iter_mut().for_each(|v| v.lower(lowest));
    let total: f64 = seen.iter().map(|v| v.total).sum();
    let mut arcs = vec![0.0; n * n];
    for chain in &seen {
        arcs.iter_mut().zip(&chain.arcs).for_each(|(a, w)| *a += w / total);
    }
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

/// One chain: what it saw, and the best model.
fn walk(
    space: Space<'_>,
    start: &Ordered,
    (warm, steps): (u64, u64),
    config: &SearchConfig,
    chain: u64,
    control: &Control,
) -> Result<(Visits, Ordered)> {
    let mut dice = Dice::new(config.seed, ANNEALED as u64 + chain);
    let mut groups = Groups::default();
    let (mut model, mut best) = (start.clone(), start.clone());
    let mut visits = Visits::new(model.parents.len(), start.cost, config.temperature);
    let mut since = 0;
    for step in 0..warm + steps {
        if step % STRIDE == 0 {
            control.check()?;
            control.advance(STRIDE.min(warm + steps - step));
        }
        if step == warm {
            since = 0;
        }
        if let Some(change) = model.draw(space, &mut dice, &mut groups)
            && accepts(change.delta, config.temperature, &mut dice)
        {
            if change.is_visible() && step >= warm {
                visits.add(&model, since);
                since = 0;
            }
            model.make(&change);
            if model.cost < best.cost {
                best.clone_from(&model);
            }
        }
        since += 1;
    }
    visits.add(&model, since);
    Ok((visits, best))
}
