//! Fits on rows that came in batches, or that are divided into partitions on several machines.
//!
//! Such rows are kept as records of codes only. Cut points are in the schema, and [`FeatureBins`]
//! say what the codes mean. Parameters that need rows or numbers after encoding are refused by name
//! before anything is counted ([`FitPlan::check_codes`]). The model is the same as [`FitPlan::fit`]
//! gives on the same histograms. The bindings call this for `fit_batches` and for distributed
//! growth.

use super::plan::FitPlan;
use super::records::RecordRows;
use super::route::{CodesObstacle, ColumnShape, FitShape, Reason, codes_obstacle};
use crate::bins::{
    BinnedTable, FeatureBins, PartFormat, Records, RowLayout, TableFacts, WeightWidth,
};
use crate::data::{Schema, TargetGrid};
use crate::error::{Error, Result, unsupported};
use crate::grow::GrowthSetting;
use crate::grow::binned::SpreadFacts;
use crate::model::{Forest, Model};
use crate::parallel::Control;
use crate::stats::ExactMoments;
use crate::tree::{Node, NodePosition, Outcome, Tree};

/// The facts about all rows that growth on codes needs.
#[derive(Debug, Clone)]
pub struct CodeFacts {
    /// Names and cut points.
    pub schema: Schema,
    /// The meaning of the codes of each feature.
    pub features: Vec<FeatureBins>,
    /// Rows have weights.
    pub weighted: bool,
    /// Weight of each class; of a numeric target the weight of all rows.
    pub totals: Vec<u32>,
    /// Number of rows.
    pub rows: usize,
    /// The numeric target, if that is one.
    pub number: Option<NumberFacts>,
}

/// The facts about the numbers of all rows that growth on codes needs.
#[derive(Debug, Clone, Copy)]
pub struct NumberFacts {
    /// The grid of the numbers.
    pub grid: TargetGrid,
    /// Their sums, in units.
    pub moments: ExactMoments,
}

impl CodeFacts {
    /// Weight of all rows. It is a sum of 64 bits, as the classes together may exceed 32 bits.
    pub fn total(&self) -> u64 {
        self.totals.iter().map(|&t| u64::from(t)).sum()
    }

    /// Which classes have rows.
    fn occurring(&self) -> Vec<bool> {
        self.totals.iter().map(|&t| t > 0).collect()
    }

    fn table(&self) -> TableFacts<'_> {
        TableFacts { features: &self.features, classes: self.totals.len(), unit: 1.0 }
    }

    /// The layout of the records, and how their histograms count. Every worker must derive it from
    /// the same facts, as histograms are exchanged as plain arrays. Codes take two bytes if some
    /// feature has more than 255 of them.
    pub fn format(&self) -> PartFormat {
        let weight = if self.weighted { WeightWidth::Word } else { WeightWidth::None };
        let wide = self.features.iter().any(|f| f.n_codes > 255);
        PartFormat {
            layout: RowLayout::new(self.features.len(), wide, weight)
                .with_number(self.number.is_some()),
            classes: self.totals.len(),
            codes: self.features.iter().map(FeatureBins::n_codes_with_missing).max().unwrap_or(1),
        }
    }

    /// The facts that distributed growth needs. They borrow from `self`, and making them takes
    /// O(features), so each step makes its own.
    pub fn spread_facts(&self) -> SpreadFacts<'_> {
        SpreadFacts {
            table: self.table(),
            format: self.format(),
            total: self.total(),
            totals: &self.totals,
            moments: self.number.map(|number| number.moments),
            rows: self.rows as u32,
        }
    }
}

impl FitPlan {
    /// Refuse parameters that need more than codes; `forest` says whether many trees are fitted.
    ///
    /// # Errors
    /// [`Error::Parameter`], or an unsupported combination with the alternatives.
    pub fn check_codes(&self, facts: &CodeFacts, forest: bool) -> Result<()> {
        let column = |f: &FeatureBins| ColumnShape {
            levels: Some(f.n_codes as usize),
            missing: f.has_missing,
        };
        let columns = facts.features.iter().map(column).collect();
        let is_regression = facts.number.is_some();
        let shape = FitShape {
            is_regression,
            ..FitShape::from_codes(columns, facts.rows, facts.totals.len())
        };
        let refuse = |what, instead| {
            unsupported(format!("{what} on rows in batches or partitions"), instead)
        };
        if !self.searches_bins() {
            refuse("threshold_search='exact'", "threshold_search='histogram'")
        } else if self.criterion.needs_all_candidates() {
            refuse("a function as criterion", "the criteria of fasttree.list_criteria()")
        } else if self.limits().constraints.is_some() {
            refuse("monotonic_cst or interaction_cst", "None, or rows in memory")
        } else if self.config.alpha_rule.is_some() {
            refuse("ccp_alpha='cv'", "a number")
        } else if self.config.target_bins.is_some() {
            refuse("target_bins, which are found on the numbers of all rows,", "target_bins=None")
        } else if self.criterion.averages_divergences() {
            refuse(
                "criterion='poisson', whose impurities add up a term of each row,",
                "squared_error",
            )
        } else if forest && !self.is_final() {
            refuse("pruning in a forest", "pruning=None and merge_redundant=None")
        } else if let Some(CodesObstacle { what, instead }) = codes_obstacle(self, &shape, 0) {
            refuse(what, instead)
        } else {
            // A pruning method that needs rows refuses any tree, so a leaf is enough to ask.
            let (leaf, method) = (self.leaf(facts), self.config.pruning.as_ref());
            self.prune(leaf, method, None, &Control::new(1)).map(|_| ())
        }
    }

    /// A model of one leaf.
    fn leaf(&self, facts: &CodeFacts) -> Model {
        let mut tree = Tree::empty(facts.totals.len());
        tree.counts = facts.totals.iter().map(|&t| f64::from(t)).collect();
        tree.nodes.push(Node::leaf(NodePosition::ROOT, 0, facts.rows as u32));
        tree.outcomes.extend(facts.number.map(|_| Outcome::default()));
        self.model_of(tree, facts.schema.clone().into(), String::new())
    }

    /// The setting of growth on the rows of these facts. The seed is the seed of the plan; a
    /// distributed forest replaces it for each tree.
    pub fn setting_on_codes(&self, facts: &CodeFacts) -> GrowthSetting<'_> {
        let (features, grid) = (&facts.features, facts.number.map(|number| number.grid));
        self.setting_on_features(facts.occurring(), facts.total(), facts.rows, features, grid)
    }

    /// The records of all rows from their `bytes`. `hashes` are numbers for the content of each
    /// row, by which a forest draws its samples, and `forest` says that one will be fitted.
    ///
    /// # Errors
    /// Returns the errors of [`FitPlan::check_codes`], and [`Error::Internal`] for bytes that do
    /// not fit the facts.
    pub fn records_from_bytes(
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
            grid: facts.number.map(|number| number.grid),
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

    /// A forest of trees, in the order of their numbers. Tree `t` must have been grown with the
    /// seed that belongs to number `t`; the client of distributed growth joins the finished trees
    /// by it.
    pub fn forest_of(&self, trees: Vec<Model>, facts: &CodeFacts) -> Forest {
        self.join_trees(trees, 0, facts.totals.iter().map(|&t| f64::from(t)).collect())
    }
}
