//! Fits on rows that came in batches, or that lie on other machines: records of codes are all that
//! there is of them.
//!
//! Cut points are in the schema, codes are known by [`FeatureBins`]. What reads rows or numbers
//! again is refused by name before anything is counted ([`FitPlan::check_codes`]); all else is what
//! [`FitPlan::fit`] does on histograms, and the model is the same.

use super::FitPlan;
use super::records::RecordRows;
use super::route::{FitShape, Reason, bars_codes};
use crate::bins::{
    BinnedTable, FeatureBins, PartFormat, Records, RowLayout, TableFacts, WeightWidth,
};
use crate::data::Schema;
use crate::error::{Error, Result, unsupported};
use crate::grow::GrowthSetting;
use crate::grow::binned::SpreadFacts;
use crate::model::{Forest, Model};
use crate::parallel::Control;
use crate::tree::{Node, NodePosition, Tree};

/// What growth on codes must know of all rows.
#[derive(Debug, Clone)]
pub struct CodeFacts {
    /// Names and cut points.
    pub schema: Schema,
    /// What codes mean.
    pub features: Vec<FeatureBins>,
    /// Rows have weights.
    pub weighted: bool,
    /// The rows are copies that were drawn.
    pub drawn: bool,
    /// Weight of each class.
    pub totals: Vec<u32>,
    /// Number of rows.
    pub rows: usize,
}

impl CodeFacts {
    /// Weight of all rows.
    pub fn total(&self) -> u64 {
        self.totals.iter().map(|&t| u64::from(t)).sum()
    }

    /// What growth must know of copies drawn of the rows.
    pub fn of_drawn(&self, records: &Records) -> Self {
        let mut totals = vec![0; self.totals.len()];
        for row in records.rows() {
            totals[records.layout.class(row)] += records.layout.weight(row) as u32;
        }
        let rows = totals.iter().map(|&t| t as usize).sum();
        Self { weighted: true, drawn: true, totals, rows, ..self.clone() }
    }

    fn occurring(&self) -> Vec<bool> {
        self.totals.iter().map(|&t| t > 0).collect()
    }

    fn table(&self) -> TableFacts<'_> {
        TableFacts { features: &self.features, classes: self.totals.len(), unit: 1.0 }
    }

    /// How rows are laid out and counted.
    pub fn format(&self) -> PartFormat {
        let weight = if self.weighted { WeightWidth::Word } else { WeightWidth::None };
        let wide = self.features.iter().any(|f| f.codes > 255);
        PartFormat {
            layout: RowLayout::new(self.features.len(), wide, weight),
            classes: self.totals.len(),
            codes: self.features.iter().map(FeatureBins::width).max().unwrap_or(1),
            rows: self.weighted && !self.drawn,
        }
    }

    /// What distributed growth must know.
    pub fn spread(&self) -> SpreadFacts<'_> {
        SpreadFacts {
            table: self.table(),
            format: self.format(),
            drawn: self.drawn,
            total: self.total(),
        }
    }
}

impl FitPlan {
    /// Refuse what cannot be done on codes alone.
    pub fn check_codes(&self, facts: &CodeFacts, forest: bool) -> Result<()> {
        let config = &self.config;
        let columns: Vec<(usize, bool)> =
            facts.features.iter().map(|f| (f.codes as usize, f.missing)).collect();
        let shape = FitShape::of_codes(&columns, facts.rows, facts.totals.len());
        let refused = if !self.on_bins() {
            ("threshold_search='exact'", "threshold_search='histogram'")
        } else if self.criterion.needs_all_candidates() {
            ("a function as criterion", "the criteria of fasttree.list_criteria()")
        } else if config.alpha_rule.is_some() {
            ("ccp_alpha='cv'", "a number")
        } else if forest && !self.is_final() {
            ("pruning in a forest", "pruning=None and merge_redundant=None")
        } else if let Some(bar) = bars_codes(self, &shape, 0) {
            bar
        } else {
            // Refuses what asks for rows.
            let (leaf, method) = (self.leaf(facts), self.config.pruning.as_ref());
            return self.pruned(leaf, method, None, &Control::new(1)).map(|_| ());
        };
        unsupported(format!("{} on rows in batches or partitions", refused.0), refused.1)
    }

    /// A tree that is one leaf.
    fn leaf(&self, facts: &CodeFacts) -> Model {
        let mut tree = Tree::empty(facts.totals.len());
        tree.counts = facts.totals.iter().map(|&t| f64::from(t)).collect();
        tree.nodes.push(Node::leaf(NodePosition::ROOT, 0, facts.rows as u32));
        self.model_of(tree, facts.schema.clone().into(), String::new())
    }

    /// The setting of growth.
    pub fn setting_on_codes(&self, facts: &CodeFacts) -> GrowthSetting<'_> {
        self.setting_on_features(facts.occurring(), (facts.total(), facts.rows), &facts.features)
    }

    /// Records of all rows, for a tree or a forest; `hashes` are the numbers of their content.
    pub fn coded(
        &self,
        facts: CodeFacts,
        bytes: Vec<u8>,
        hashes: Option<Vec<u64>>,
        forest: bool,
    ) -> Result<Box<RecordRows>> {
        self.check_codes(&facts, forest)?;
        let layout = facts.format().layout;
        let classes = facts.totals.len();
        let is_sound = |row: &[u8]| layout.class(row) < classes;
        if bytes.len() != facts.rows * layout.width
            || !bytes.chunks_exact(layout.width).all(is_sound)
            || hashes.as_ref().is_some_and(|hashes| hashes.len() != facts.rows)
        {
            return Err(Error::Internal("records of other rows or classes".into()));
        }
        Ok(Box::new(RecordRows {
            occurring: facts.occurring(),
            copies: facts.total(),
            rows: facts.rows,
            schema: facts.schema,
            table: BinnedTable {
                features: facts.features,
                records: Records { layout, bytes },
                classes,
                unit: 1.0,
            },
            reason: Reason::RECORDS,
            hashes: hashes.unwrap_or_default(),
        }))
    }

    /// Trees, each by its seed, as a forest.
    pub fn forest_of(&self, trees: Vec<Model>, facts: &CodeFacts) -> Forest {
        self.joined(trees, 0, facts.totals.iter().map(|&t| f64::from(t)).collect())
    }
}
