//! Growth on the rows themselves: each candidate is judged by the smallest trees of its branches
//! ([`crate::exact`]).

use crate::data::{entry_row, entry_tied};
use crate::error::{Error, Result};
use crate::exact::Sizer;
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::NodeEvaluator;
use crate::numeric::Ties;
use crate::parallel::Control;
use crate::split::Scored;
use crate::stats::contingency::Code;
use crate::stats::{Sum, Weighing};

impl<C: Code, W: Weighing> NodeEvaluator<'_, '_, C, W> {
    /// Visit the candidates of the wanted features in feature and threshold order, with the rows of
    /// their branches.
    fn each_by_rows(
        &self,
        wanted: impl Fn(u32) -> bool,
        mut visit: impl FnMut(u32, u32, &[&[u32]]) -> Result<()>,
    ) -> Result<()> {
        let min = self.minimum();
        let enough = |rows: &[u32]| {
            let weight: f64 = rows.iter().map(|&r| self.value(r)).sum();
            let count = if W::COPIES { weight } else { rows.len() as f64 };
            count >= f64::from(min.rows) && weight >= min.weight
        };
        for feature in (0..self.context.data.columns().len() as u32).filter(|&f| wanted(f)) {
            match self.context.place(feature) {
                FeaturePlace::Numeric(i) => {
                    let order = self.field.order(i, self.range);
                    let rows: Vec<u32> = order.iter().map(|&e| entry_row(e)).collect();
                    let (known, missing) = rows.split_at(self.known(i).0.len());
                    if !missing.is_empty() && !enough(missing) {
                        continue;
                    }
                    for at in (1..known.len()).filter(|&at| entry_tied(order[at]) == 0) {
                        let (left, right) = known.split_at(at);
                        if enough(left) && enough(right) {
                            visit(feature, at as u32, &[left, right, missing])?;
                        }
                    }
                }
                FeaturePlace::Nominal(j) => {
                    let width = self.context.nominal.features.len();
                    let coded = self.field.coded(width, self.range);
                    let mut branches = vec![Vec::new(); self.context.nominal.layout.arity(j)];
                    for (codes, &row) in coded.codes.chunks_exact(width).zip(coded.rows) {
                        branches[codes[j].index()].push(row);
                    }
                    let filled: Vec<&[u32]> =
                        branches.iter().filter(|b| !b.is_empty()).map(Vec::as_slice).collect();
                    if filled.len() > 1 && filled.iter().all(|b| enough(b)) {
                        visit(feature, 0, &filled)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Weight of a row.
    fn value(&self, row: u32) -> f64 {
        self.context.weights.of(row).value(self.context.weights.unit())
    }

    fn sizer<'c>(&'c self, budget: u64, control: &'c Control) -> Result<Sizer<'c>> {
        match &self.context.sizes {
            Some(Ok(sizes)) => Ok(sizes.sizer(budget, control)),
            Some(Err(e)) => Err(e.clone()),
            None => Err(Error::Internal("rows of a context without their sizes".into())),
        }
    }

    /// The best candidate of each wanted feature.
    pub(in crate::grow) fn best_by_rows(
        &self,
        budget: u64,
        wanted: impl Fn(u32) -> bool,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        let ties = self.context.setting.ties != Ties::First;
        let mut found: Vec<Scored> = Vec::new();
        let mut sizer = self.sizer(budget, control)?;
        self.each_by_rows(wanted, |feature, at, branches| {
            let best = found.last_mut().filter(|s| s.feature == feature);
            // Sums from the best one on are of no interest, but equal ones are where ties are
            // drawn.
            let enough =
                best.as_ref().map_or(usize::MAX, |s| -s.score as usize + usize::from(ties));
            let score = -(sizer.sum(branches, enough)? as f64);
            match best {
                Some(s) if score > s.score => *s = Scored { feature, score, at, tied: Vec::new() },
                Some(s) if score == s.score && ties => s.tied.push(at),
                Some(_) => {}
                None => found.push(Scored { feature, score, at, tied: Vec::new() }),
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Score of all rows of the node in one branch.
    pub(in crate::grow) fn undivided_by_rows(&self, budget: u64, control: &Control) -> Result<f64> {
        let rows: Vec<u32> = match self.context.numeric.is_empty() {
            true => self.field.coded(self.context.nominal.features.len(), self.range).rows.to_vec(),
            false => self.field.order(0, self.range).iter().map(|&e| entry_row(e)).collect(),
        };
        Ok(-(self.sizer(budget, control)?.sum(&[&rows], usize::MAX)? as f64))
    }

    /// All candidates: feature, rows on the left of a threshold (0 for a multiway split), score.
    pub(in crate::grow) fn all_by_rows(
        &self,
        budget: u64,
        control: &Control,
    ) -> Result<Vec<(u32, u32, f64)>> {
        let mut found = Vec::new();
        let mut sizer = self.sizer(budget, control)?;
        self.each_by_rows(
            |_| true,
            |feature, at, branches| {
                found.push((feature, at, -(sizer.sum(branches, usize::MAX)? as f64)));
                Ok(())
            },
        )?;
        Ok(found)
    }
}
