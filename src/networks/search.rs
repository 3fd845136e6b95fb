//! The search for models: simulated annealing from many starts, then Metropolis chains.
//!
//! 1. Annealing: eleven units of three rounds each, from an empty model, from a full one, and again
//!    from the better of both. A round has 16 max(n^3, 1000) steps (no more than for 24 variables),
//!    and the temperature falls by the same factor at each step.
//! 2. The prior probability of an arc, unless given, becomes (arcs + 1/2) / (M + 1) of the best
//!    model, M being the number of pairs of variables.
//! 3. Chains from the annealed models ([`super::chains`]); their first steps are not counted. A
//!    chain is a ladder of temperatures over orders where that is affordable, else over models.
//!    (CaMML has a single chain over models at temperature 1.8 and reweights its visits; on tables
//!    with known posteriors that missed arc probabilities by up to 1.)
//! 4. The visited models are cleaned and grouped ([`super::groups`]).
//!
//! Units and chains have their own random numbers and share nothing but costs of tables. So the
//! number of threads changes no result except [`SearchResult::counted`], as two threads may count
//! the same table.

use super::cache::CostCache;
use super::chains::{Chain, accepts};
use super::cost::Groups;
use super::groups::{GroupedModel, group_models};
use super::orders::{self, OrderSums};
use super::prior::{Prior, PriorConfig};
use super::rng::SearchRng;
use super::state::{OrderedModel, Space, clean_parents};
use super::subsets::SubsetSums;
use super::variables::{VarSet, Variables};
use super::visits::Visits;
use crate::error::{Error, Result};
use crate::numeric::sort_few;
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// Number of annealing units, each of three rounds.
const ANNEALING_UNITS: usize = 11;

/// Most variables that the number of annealing steps grows with.
const MOST_VARIABLES: usize = 24;

/// Steps between two reports of progress.
const PROGRESS_STEPS: u64 = 256;

/// Settings of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of chains.
    pub chains: usize,
    /// Number of counted steps of all chains together.
    pub steps: u64,
    /// Ratio of successive temperatures in the ladder of a chain, at least 1.
    pub temperature: f64,
    /// Number of models that are kept, those with the most visits.
    pub keep: usize,
}

/// The best model of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundModel {
    /// Parents of each variable.
    pub parents: Vec<VarSet>,
    /// Message length in nits.
    pub length: f64,
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult {
    /// The model with the shortest message, cleaned.
    pub best: FoundModel,
    /// Prior probability of an arc, as given or estimated.
    pub arc_probability: f64,
    /// Probability of the arc from i to j at `[i * n + j]`, before cleaning.
    pub arcs: Vec<f64>,
    /// Cleaned models, most visited first.
    pub models: Vec<GroupedModel>,
    /// Share of all visits that `models` have.
    pub kept: f64,
    /// Number of steps of annealing and chains.
    pub steps: u64,
    /// Number of tables, or sets of variables, that were counted.
    pub counted: u64,
}

/// Search for models with short messages, and estimate how probable each arc is. `prior` numbers
/// the variables as `variables` does.
///
/// # Errors
/// [`Error::Parameter`] for settings or a prior out of range, [`Error::Cancelled`].
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

    // numbers of steps, and counts of all sets of variables where affordable
    let round = 16 * n.pow(3).clamp(1000, MOST_VARIABLES.pow(3)) as u64;
    let warm = config.steps / config.chains as u64 / 20;
    let each = config.steps / config.chains as u64;
    let steps = 3 * ANNEALING_UNITS as u64 * round + (each + warm) * config.chains as u64;
    let part = steps / SubsetSums::units(n) / 8 + 1; // an eighth of the progress bar
    let ordered = orders::affordable(variables);
    control.set_total(steps + if ordered { part * SubsetSums::units(n) } else { 0 });
    let counted = match ordered {
        true => Some(SubsetSums::new(variables, prior.max_parents, part, control)?),
        false => None,
    };
    let costs = CostCache::new(variables, counted.as_ref());
    // lengths of cleaned models come from tables counted one by one, so that ties are exact
    let exact = CostCache::new(variables, None);

    // annealing, and the prior probability of an arc
    let mut annealed = parallel::map(control, ANNEALING_UNITS, &|unit| {
        anneal(Space { costs: &costs, prior: &prior }, round, config.seed, unit as u64, control)
    })?;
    let estimate =
        || estimate_arc_probability(Space { costs: &exact, prior: &prior }, &annealed, control);
    let arc_probability = given.map_or_else(estimate, Ok)?;
    prior.set_arc_probability(arc_probability)?;
    let space = Space { costs: &costs, prior: &prior };
    annealed.iter_mut().for_each(|one| one.update_costs(space, &mut Groups::default()));
    sort_few(&mut annealed, &|a, b| a.cost.total_cmp(&b.cost));

    // chains from the annealed models
    let sums = counted.as_ref().map(|c| OrderSums::new(variables, c, &prior, control));
    let sums = sums.transpose()?;
    let chain = Chain {
        space,
        sums: sums.as_ref(),
        starts: &annealed,
        warm,
        steps: each,
        temperature: config.temperature,
        seed: config.seed,
        control,
    };
    let chains = parallel::map(control, config.chains, &|number| {
        chain.run(number, (ANNEALING_UNITS + number) as u64)
    })?;
    drop(sums);

    // results: the best model, frequencies of arcs, and cleaned models
    let space = Space { costs: &exact, prior: &prior };
    let (seen, bests): (Vec<Visits>, Vec<OrderedModel>) = chains.into_iter().unzip();
    let best = clean(space, &least(bests), control)?;
    let total: u64 = seen.iter().map(|v| v.total).sum();
    let visits = |at: usize| seen.iter().map(|v| v.arcs[at]).sum::<u64>();
    let arcs = (0..n * n).map(|at| visits(at) as f64 / total as f64).collect();
    let models = group_models(space, seen, total, config.keep, control)?;
    let sets = if ordered { 1 << n } else { 0 };
    Ok(SearchResult {
        kept: models.iter().map(|m| m.weight).sum(),
        best: FoundModel { parents: best.parents, length: best.cost },
        arc_probability,
        arcs,
        models,
        steps,
        counted: sets + costs.n_counted() + exact.n_counted(),
    })
}

/// (arcs + 1/2) / (M + 1) of the best model, cleaned.
fn estimate_arc_probability(
    space: Space<'_>,
    annealed: &[OrderedModel],
    control: &Control,
) -> Result<f64> {
    let n = space.costs.variables.len();
    let best = clean(space, &least(annealed.to_vec()), control)?;
    Ok((best.arcs() as f64 + 0.5) / (n * (n - 1) / 2 + 1) as f64)
}

/// Check the settings.
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

/// The model with the least cost, the first of equal ones.
fn least(models: Vec<OrderedModel>) -> OrderedModel {
    let mut models = models.into_iter();
    let first = models.next().unwrap_or_else(|| unreachable!("there is always one unit"));
    models.fold(first, |best, one| if one.cost < best.cost { one } else { best })
}

/// The model without the arcs that make its message longer.
fn clean(space: Space<'_>, model: &OrderedModel, control: &Control) -> Result<OrderedModel> {
    let mut groups = Groups::default();
    let mut parents = Vec::with_capacity(model.parents.len());
    for (j, &own) in model.parents.iter().enumerate() {
        control.check()?;
        parents.push(clean_parents(space, j, own, &mut groups));
    }
    Ok(OrderedModel::new(space, model.order.clone(), parents, &mut groups))
}

/// One annealing unit: the best model of its three rounds.
fn anneal(
    space: Space<'_>,
    steps: u64,
    seed: u64,
    unit: u64,
    control: &Control,
) -> Result<OrderedModel> {
    let mut rng = SearchRng::new(seed, unit);
    let mut groups = Groups::default();
    let empty = OrderedModel::random(space, false, &mut rng, &mut groups);
    let full = OrderedModel::random(space, true, &mut rng, &mut groups);
    // start about as hot as a hundredth of the mean cost of a variable, end at a quarter of a nit
    let hot = 2.0 + 0.01 * empty.cost / empty.parents.len() as f64;
    let mut best = empty.clone();
    for (start, from) in [(Some(empty), hot), (Some(full), hot), (None, 0.2 * hot + 2.0)] {
        let mut model = start.unwrap_or_else(|| best.clone());
        let cooling = (0.25 / from).powf(1.0 / steps as f64);
        let mut temperature = from;
        for step in 0..steps {
            control.check()?;
            if step % PROGRESS_STEPS == 0 {
                control.advance(PROGRESS_STEPS.min(steps - step));
            }
            temperature *= cooling;
            if let Some(change) = model.draw(space, &mut rng, &mut groups)
                && accepts(change.delta, temperature, &mut rng)
            {
                model.apply(&change);
                if model.cost < best.cost {
                    best.clone_from(&model);
                }
            }
        }
    }
    Ok(best)
}
