//! The prior over totally ordered models: probabilities of arcs, constraints on the order.
//!
//! For every pair i before j there is an arc from i to j with probability `p_ij`, independently;
//! orders are uniform over those that respect the given pairs. So the cost of a model is a sum over
//! pairs i before j: `-ln p_ij` for an arc, `-ln (1 - p_ij)` for none. With one p for all it is
//! `-k ln p - (M - k) ln(1 - p)` for k of M possible arcs. Certain arcs (`p_ij = 1`) and impossible
//! ones (`p_ij = 0`) are constraints.

use super::variables::{VarSet, set_members};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The prior as the user gives it. Variables are numbered, the class last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorConfig {
    /// Probability of an arc that `arcs` does not name. If `None`, a search estimates it, and other
    /// functions take 1/2.
    #[serde(default)]
    pub arc_probability: Option<f64>,
    /// (i, j, probability of the arc from i to j if i comes first).
    #[serde(default)]
    pub arcs: Vec<(usize, usize, f64)>,
    /// (i, j): i comes before j.
    #[serde(default)]
    pub ordered: Vec<(usize, usize)>,
    /// (i, j): there is an arc between i and j, in either direction.
    #[serde(default)]
    pub tied: Vec<(usize, usize)>,
}

/// The checked prior.
#[derive(Debug, Clone)]
pub struct Prior {
    /// Number of variables.
    variables: usize,
    /// Variables that must come before each variable: the transitive closure of the given pairs.
    pub before: Vec<VarSet>,
    /// By child: parents that are certain if they come first.
    pub required: Vec<VarSet>,
    /// By child: impossible parents.
    pub forbidden: Vec<VarSet>,
    /// Most parents per variable.
    pub max_parents: usize,
    /// Arcs with a probability of their own, as in [`PriorConfig::arcs`].
    named: Vec<(usize, usize, f64)>,
    /// Whether some arcs have probabilities of their own, or pairs are tied.
    constrained: bool,
    /// `ln (p / (1 - p))`, if it is the same for all arcs.
    uniform: Option<f64>,
    /// `ln (p_ij / (1 - p_ij))` at `[child * variables + parent]`; 0 if the arc is certain.
    odds: Vec<f64>,
    /// `ln (1 - p_ij)` at `[child * variables + parent]`; 0 if the arc is certain.
    absent: Vec<f64>,
}

impl Prior {
    /// Check a prior over variables with these names.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a probability outside [0, 1], contradictions, pairs that form a
    /// circle, or more certain parents than `max_parents`.
    pub fn new(config: &PriorConfig, names: &[String], max_parents: usize) -> Result<Self> {
        let n = names.len();
        let mut prior = Self {
            variables: n,
            before: vec![0; n],
            required: vec![0; n],
            forbidden: vec![0; n],
            max_parents: max_parents.min(n.saturating_sub(1)),
            named: config.arcs.clone(),
            constrained: !config.tied.is_empty() || !config.arcs.is_empty(),
            uniform: None,
            odds: Vec::new(),
            absent: Vec::new(),
        };
        let pairs = config.ordered.iter().chain(&config.tied).copied();
        for (i, j) in pairs.chain(config.arcs.iter().map(|a| (a.0, a.1))) {
            if i >= n || j >= n || i == j {
                return Err(Error::Internal(format!("a prior of the pair ({i}, {j}) of {n}")));
            }
        }
        prior.close_order(config, names)?;

        // ties, certain arcs and impossible ones
        for &(i, j) in &config.tied {
            prior.required[i] |= 1 << j;
            prior.required[j] |= 1 << i;
        }
        for &(i, j, p) in &config.arcs {
            let pair = || format!("('{}', '{}')", names[i], names[j]);
            if !(0.0..=1.0).contains(&p) {
                return Err(Error::parameter(
                    "arc_priors",
                    p,
                    format!("of {}: a probability", pair()),
                ));
            }
            if p == 1.0 {
                prior.required[j] |= 1 << i;
            } else if p == 0.0 {
                prior.forbidden[j] |= 1 << i;
                if config.tied.iter().any(|&t| t == (i, j) || t == (j, i)) {
                    return Err(Error::parameter(
                        "arc_priors",
                        0,
                        format!("of {}: the pair is tied, which contradicts it", pair()),
                    ));
                }
            }
        }
        for (j, name) in names.iter().enumerate() {
            let most = (prior.required[j]).count_ones() as usize;
            if most > prior.max_parents {
                return Err(Error::parameter(
                    "max_parents",
                    max_parents,
                    format!("'{name}' may need {most} parents by the ties and certain arcs"),
                ));
            }
        }
        prior.set_arc_probability(config.arc_probability.unwrap_or(0.5))?;
        Ok(prior)
    }

    /// The transitive closure of the given order (Warshall); a circle is refused.
    fn close_order(&mut self, config: &PriorConfig, names: &[String]) -> Result<()> {
        for &(i, j) in &config.ordered {
            self.before[j] |= 1 << i;
        }
        for k in 0..self.variables {
            for j in 0..self.variables {
                if self.before[j] >> k & 1 == 1 {
                    self.before[j] |= self.before[k];
                }
            }
        }
        match (0..self.variables).find(|&j| self.before[j] >> j & 1 == 1) {
            None => Ok(()),
            Some(j) => Err(Error::parameter(
                "ordered",
                format!("'{}'", names[j]),
                "would have to come before itself: the pairs form a circle",
            )),
        }
    }

    /// Set the probability of all arcs that [`PriorConfig::arcs`] does not name. A search calls it
    /// again after annealing, with the probability that it has estimated from the best model unless
    /// the user gave one.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless it is above 0 and below 1.
    pub fn set_arc_probability(&mut self, p: f64) -> Result<()> {
        if !(p > 0.0 && p < 1.0) {
            return Err(Error::parameter(
                "arc_probability",
                p,
                "a number above 0 and below 1 (0.5 is neutral)",
            ));
        }
        let n = self.variables;
        self.uniform = (!self.constrained).then(|| (p / (1.0 - p)).ln());
        self.odds = vec![(p / (1.0 - p)).ln(); n * n];
        self.absent = vec![(1.0 - p).ln(); n * n];
        for &(i, j, p) in &self.named {
            self.odds[j * n + i] = (p / (1.0 - p)).ln();
            self.absent[j * n + i] = (1.0 - p).ln();
        }
        for j in 0..n {
            for i in set_members(self.required[j]) {
                self.odds[j * n + i] = 0.0;
                self.absent[j * n + i] = 0.0;
            }
        }
        Ok(())
    }

    /// Whether `child` may have these parents if the variables `earlier` come before it: no more
    /// than `max_parents`, no impossible one, and every certain one that comes before the child.
    /// `earlier` is computed only where the prior has constraints. Whether the parents are among
    /// `earlier` is not checked.
    #[inline]
    pub fn allows(&self, child: usize, parents: VarSet, earlier: impl Fn() -> VarSet) -> bool {
        parents.count_ones() as usize <= self.max_parents
            && (!self.constrained
                || parents & self.forbidden[child] == 0
                    && self.required[child] & earlier() & !parents == 0)
    }

    /// `ln (p_ij / (1 - p_ij))` of the arc from `parent` to `child`: the nits that the arc saves
    /// compared with its absence. It is 0 for a certain arc, whose presence is no choice, and minus
    /// infinity for an impossible one.
    #[inline]
    pub fn odds(&self, parent: usize, child: usize) -> f64 {
        self.odds[child * self.variables + parent]
    }

    /// `ln (1 - p_ij)` of the arc from `parent` to `child`: the weight of its absence, at most 0.
    /// It is 0 for a certain arc, whose absence [`Self::allows`] refuses.
    #[inline]
    pub fn absent(&self, parent: usize, child: usize) -> f64 {
        self.absent[child * self.variables + parent]
    }

    /// Nits of the arcs into `child`, relative to no arcs; negative if arcs are more likely than
    /// not. Added to [`Self::absent_cost`] of an order, it is the cost of a model with these arcs.
    #[inline]
    pub fn arcs_cost(&self, child: usize, parents: VarSet) -> f64 {
        if let Some(odds) = self.uniform {
            return -odds * f64::from(parents.count_ones());
        }
        -set_members(parents).map(|i| self.odds(i, child)).sum::<f64>()
    }

    /// Nits of an order without arcs: the sum of `-ln (1 - p_ij)` over all pairs, O(n^2). Orders
    /// have different costs only if some arcs have probabilities of their own, or pairs are tied.
    pub fn absent_cost(&self, order: &[usize]) -> f64 {
        let mut cost = 0.0;
        for (at, &j) in order.iter().enumerate() {
            for &i in &order[..at] {
                cost -= self.absent(i, j);
            }
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("v{i}")).collect()
    }

    #[test]
    fn one_probability_costs_what_the_formula_says() {
        let config = PriorConfig { arc_probability: Some(7.5 / 29.0), ..PriorConfig::default() };
        let prior = Prior::new(&config, &names(8), 11).unwrap();
        let order: Vec<usize> = (0..8).collect();
        let cost = prior.absent_cost(&order) + prior.arcs_cost(7, 0b1111111);
        let p: f64 = 7.5 / 29.0;
        assert!((cost + 7.0 * p.ln() + 21.0 * (1.0 - p).ln()).abs() < 1e-12);
    }

    #[test]
    fn contradictions_are_named() {
        let circle = PriorConfig { ordered: vec![(0, 1), (1, 2), (2, 0)], ..Default::default() };
        assert!(Prior::new(&circle, &names(3), 11).unwrap_err().to_string().contains("circle"));
        let both =
            PriorConfig { tied: vec![(0, 1)], arcs: vec![(1, 0, 0.0)], ..Default::default() };
        assert!(Prior::new(&both, &names(3), 11).unwrap_err().to_string().contains("tied"));
        let many = PriorConfig { tied: vec![(0, 1), (0, 2)], ..Default::default() };
        assert!(Prior::new(&many, &names(3), 1).is_err());
        let none = PriorConfig { arc_probability: Some(1.0), ..Default::default() };
        assert!(Prior::new(&none, &names(3), 1).is_err());
    }
}
