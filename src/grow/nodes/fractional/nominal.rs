//! The nominal features of a node in parts: their levels, candidates and divisions.

use super::evaluate::FractionalEvaluator;
use crate::criteria::SplitRule;
use crate::error::Result;
use crate::split::multiway::{self, NominalTable};
use crate::split::subset::{
    self, FeatureLevels, LevelPartition, LevelPartitions, NominalSplits, SubsetSearch,
};
use crate::split::{BestOfEach, BlockScratch};
use crate::stats::contingency::Code;
use crate::stats::{CellOf, Weighing};
use crate::tree::Test;

impl<C: Code, W: Weighing> FractionalEvaluator<'_, C, W> {
    pub fn score_nominal(
        &self,
        nominal: usize,
        scratch: &mut BlockScratch<CellOf<W>>,
        best: &mut BestOfEach<'_>,
    ) -> Result<f64> {
        let (cells, known) = self.table(nominal);
        let table =
            NominalTable { feature: self.base.nominal[nominal].feature, cells, missing: false };
        let (unit, context) = (self.weights.unit(), &self.base.setting.context);
        if self.base.splits(nominal) != NominalSplits::Multiway {
            let (levels, mut partitions) =
                (std::iter::once(self.levels(nominal)), LevelPartitions::default());
            subset::score_candidates(
                levels,
                &known,
                &self.search(),
                context,
                &mut partitions,
                scratch,
                best,
            )?;
            return Ok(self.share(&known));
        }
        if !self.base.copies && self.min.rows > 1 && !self.has_large_branches(nominal) {
            return Ok(0.0);
        }
        multiway::score_candidates(
            std::iter::once(table),
            &known,
            unit,
            self.min,
            context,
            scratch,
            best,
        )?;
        Ok(self.share(&known))
    }

    /// Rows of each level, parts counted as rows.
    pub fn sizes(&self, nominal: usize) -> Vec<u32> {
        let (width, levels) = (self.base.nominal.len(), self.base.nominal[nominal].levels as usize);
        let mut sizes = vec![0; levels + 1];
        self.parts.codes.chunks_exact(width).for_each(|codes| sizes[codes[nominal].index()] += 1);
        sizes.truncate(levels);
        sizes
    }

    /// Whether every branch with rows has enough of them, counted as parts.
    pub fn has_large_branches(&self, nominal: usize) -> bool {
        self.sizes(nominal).iter().all(|&s| s == 0 || s >= self.min.rows)
    }

    pub fn search(&self) -> SubsetSearch {
        let setting = self.base.setting;
        let shortcut = setting.criterion.breiman_order();
        SubsetSearch {
            how: setting.nominal_splits.in_two(),
            shortcut,
            min: self.min,
            unit: self.weights.unit(),
            drawn: setting.splitter.division(self.draws),
        }
    }

    /// The levels of a nominal feature, without the rows that lack it.
    pub fn levels(&self, nominal: usize) -> FeatureLevels<'_, W::Sum> {
        let feature = &self.base.nominal[nominal];
        let (cells, _) = self.table(nominal);
        FeatureLevels {
            table: NominalTable { feature: feature.feature, cells, missing: false },
            ordered: feature.cuts.is_some(),
            rows: (!self.base.copies && self.min.rows > 1).then(|| self.sizes(nominal)),
        }
    }

    pub fn partitions(&self, nominal: usize) -> LevelPartitions<W::Sum> {
        let mut partitions = LevelPartitions::default();
        partitions.fill(&self.levels(nominal), self.totals.len(), &self.search());
        partitions
    }

    /// The division that a candidate of a nominal feature stands for.
    pub fn sides(&self, nominal: usize, at: u32) -> LevelPartition {
        let feature = &self.base.nominal[nominal];
        if self.base.rule == SplitRule::C45 {
            let mut is_first = vec![false; feature.levels as usize];
            is_first[at as usize] = true;
            return LevelPartition {
                test: Test::Subset { first: 0, len: 1 },
                listed: vec![at],
                is_first,
            };
        }
        self.partitions(nominal).partition(at, feature.levels, feature.cuts, &self.search())
    }
}
