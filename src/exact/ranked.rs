//! The rows of a search for optimal trees, with ranks instead of values, and the tests as columns
//! of ranks.
//!
//! A *test column* is a feature seen in one way: its tests are `rank < t`, and the rows for which
//! it holds go left. A number, or a nominal feature whose levels are cut in their declared order,
//! is one column. One level against the rest, or a set of levels against the others, is a column
//! of two ranks. A feature with missing values is two columns: in one the missing rows come before
//! all others and always go left, in the other they come last and go right. So the search tries
//! both sides without knowing of missing values. O(rows x columns).

use crate::data::{Column, Dataset, MISSING, Weights, entry_row, entry_tied, sorted_entries};
use crate::error::{Error, Result};
use crate::parallel::Control;

/// How a nominal feature is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NominalTests {
    /// Cuts of the declared order of its levels.
    #[default]
    Ordered,
    /// One level against all others.
    OneVsRest,
    /// Every division of at most [`MOST_LEVELS`] levels that occur.
    Subset,
}

/// Most levels of a feature that is tested by all divisions.
pub const MOST_LEVELS: usize = 8;

/// The question that the tests of a column ask about a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    /// Whether the value, or the code of the level, is small enough.
    Cut,
    /// Whether the level is one of these codes (ascending).
    Levels(Vec<u32>),
}

/// A feature seen in one way.
#[derive(Debug)]
pub(super) struct TestColumn {
    pub(super) feature: usize,
    /// The number of the way in which the feature is seen; columns that differ only in where
    /// missing values go have the same number.
    pub(super) variant: u32,
    /// Whether the rows with missing values go right.
    pub(super) missing_right: bool,
    pub(super) asked: Asked,
    /// Rank of each row. Rank 0 is for missing values that go left, and the largest rank for
    /// missing values that go right.
    pub(super) ranks: Vec<u32>,
    /// One more than the largest rank of a value that is known.
    pub(super) end: u32,
}

/// A test: `rank < below` in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankedTest {
    pub(super) column: u32,
    pub(super) below: u32,
}

/// The order of tests that decides ties: the lowest feature, then the lowest threshold. The derived
/// comparison reads the fields in the order of their declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TieKey {
    pub(super) feature: usize,
    /// [`TestColumn::variant`].
    pub(super) variant: u32,
    /// [`RankedTest::below`].
    pub(super) below: u32,
    pub(super) missing_right: bool,
}

/// The rows of a search with their classes, weights and test columns. Row numbers of the search are
/// positions in these lists.
#[derive(Debug)]
pub(super) struct RankedRows {
    /// Class of each row, as its position among the declared classes.
    pub(super) class: Vec<u8>,
    /// Number of declared classes.
    pub(super) classes: usize,
    /// Weight of each row; empty if all weights are 1.
    pub(super) weights: Vec<f64>,
    /// Copies of each row, which limits on rows count; empty if each row is one.
    pub(super) copies: Vec<u32>,
    pub(super) columns: Vec<TestColumn>,
}

impl RankedRows {
    /// Encode some rows (internal numbers) with their weights; `nominal` says how nominal features
    /// are tested.
    ///
    /// # Errors
    /// [`Error::Data`] for too many classes, or levels of a feature.
    pub(super) fn new(
        data: &Dataset,
        rows: &[u32],
        weights: &Weights,
        nominal: NominalTests,
        control: &Control,
    ) -> Result<Self> {
        let classes = data.n_classes();
        if classes > usize::from(u8::MAX) {
            let reason = format!("{classes} classes: optimal trees take at most 255");
            return Err(Error::Data(reason));
        }
        let class = rows.iter().map(|&r| data.classes()[r as usize] as u8).collect();
        let copies = weights.copies().unwrap_or_default();
        let copies = rows.iter().filter_map(|&r| copies.get(r as usize).copied()).collect();
        let weights = match weights {
            Weights::Unit => Vec::new(),
            _ => exactly_summed(rows.iter().map(|&r| weights.value(r)).collect()),
        };
        let mut ranked = Self { class, classes, weights, copies, columns: Vec::new() };
        for feature in 0..data.columns().len() {
            control.check()?;
            ranked.add_feature(data, rows, feature, nominal, control)?;
        }
        Ok(ranked)
    }

    /// Number of rows. Rows of weight 0 are not among them; copies of a row count once.
    pub(super) fn len(&self) -> usize {
        self.class.len()
    }

    /// Weight of a row. 1 if no weights are kept.
    pub(super) fn weight(&self, row: u32) -> f64 {
        self.weights.get(row as usize).copied().unwrap_or(1.0)
    }

    /// Copies of a row. 1 if no copies are kept. Limits on the rows of a leaf count copies, not
    /// weights.
    pub(super) fn size(&self, row: u32) -> u32 {
        self.copies.get(row as usize).copied().unwrap_or(1)
    }

    /// Copies of some rows. Their sum is the number of rows of a node as the model shows it.
    pub(super) fn sizes(&self, rows: &[u32]) -> u32 {
        rows.iter().map(|&row| self.size(row)).sum()
    }

    /// Weight of each class of some rows. The list has one entry per declared class, also for
    /// classes without rows. O(rows).
    pub(super) fn counts(&self, rows: &[u32]) -> Vec<f64> {
        let mut counts = vec![0.0; self.classes];
        for &row in rows {
            counts[usize::from(self.class[row as usize])] += self.weight(row);
        }
        counts
    }

    /// Add the columns of a feature: one for each way to test it, and its twin if values are
    /// missing.
    fn add_feature(
        &mut self,
        data: &Dataset,
        rows: &[u32],
        feature: usize,
        nominal: NominalTests,
        control: &Control,
    ) -> Result<()> {
        let column = &data.columns()[feature];
        let cells: Vec<f64> = rows.iter().map(|&row| cell(column, row)).collect();
        // Distinct known values, ascending; rank `i + 1` is value `i`.
        let (mut values, mut ranks) = (Vec::new(), vec![0_u32; cells.len()]);
        let mut has_missing = false;
        for entry in sorted_entries(&cells) {
            let row = entry_row(entry) as usize;
            if cells[row].is_nan() {
                has_missing = true;
                break;
            }
            if entry_tied(entry) == 0 {
                values.push(cells[row]);
            }
            ranks[row] = values.len() as u32;
        }
        let variants = match (column, nominal) {
            (Column::Numeric(_), _) | (_, NominalTests::Ordered) => vec![Asked::Cut],
            (_, NominalTests::OneVsRest) => {
                values.iter().map(|&level| Asked::Levels(vec![level as u32])).collect()
            }
            (_, NominalTests::Subset) => divisions(&values, &data.schema().features[feature].name)?,
        };
        for (variant, asked) in variants.into_iter().enumerate() {
            control.check()?;
            let (ranks, end) = match &asked {
                Asked::Cut => (ranks.clone(), values.len() as u32 + 1),
                Asked::Levels(listed) => {
                    let is_listed = |rank: u32| {
                        rank > 0 && listed.contains(&(values[rank as usize - 1] as u32))
                    };
                    let rank = |&rank: &u32| match rank {
                        0 => 0,
                        rank => 2 - u32::from(is_listed(rank)),
                    };
                    (ranks.iter().map(rank).collect(), 3)
                }
            };
            // The twin: missing values come last.
            let missing_last = |&rank: &u32| if rank == 0 { end } else { rank };
            let twin = has_missing.then(|| ranks.iter().map(missing_last).collect());
            let mut push = |ranks, missing_right| {
                let (variant, asked) = (variant as u32, asked.clone());
                let column = TestColumn { feature, variant, missing_right, asked, ranks, end };
                self.columns.push(column);
            };
            push(ranks, false);
            if let Some(twin) = twin {
                push(twin, true);
            }
        }
        Ok(())
    }

    /// Whether the next column has the same tests, but sends missing values right instead of left.
    /// Features with missing values have such pairs of columns.
    pub(super) fn has_twin(&self, column: usize) -> bool {
        !self.columns[column].missing_right
            && self.columns.get(column + 1).is_some_and(|next| next.missing_right)
    }

    /// The position of a test in the order that decides ties. It compares tests by their features
    /// as given, not by the numbers of columns in the search.
    pub(super) fn tie_key(&self, test: RankedTest) -> TieKey {
        let &TestColumn { feature, variant, missing_right, .. } =
            &self.columns[test.column as usize];
        TieKey { feature, variant, below: test.below, missing_right }
    }
}

/// Weights rounded to whole units of 2^-50 of their sum, so that all their sums and differences are
/// exact, in any order. No weight becomes 0.
pub(super) fn exactly_summed(mut weights: Vec<f64>) -> Vec<f64> {
    let unit = f64::exp2(weights.iter().sum::<f64>().log2().ceil() - 50.0);
    weights.iter_mut().for_each(|weight| *weight = unit * (*weight / unit).round().max(1.0));
    weights
}

/// The value of a row in a column: a number, or the code of a level. NaN if it is missing.
pub(super) fn cell(column: &Column, row: u32) -> f64 {
    match column {
        Column::Numeric(c) => c.value(row),
        Column::Nominal(c) if c.code(row) == MISSING => f64::NAN,
        Column::Nominal(c) => f64::from(c.code(row)),
    }
}

/// How many test columns some rows will have: columns that are cut, and columns that ask for
/// levels. Known before the rows are encoded, for the limit on memory.
pub(super) fn count_test_columns(
    data: &Dataset,
    rows: &[u32],
    nominal: NominalTests,
    control: &Control,
) -> Result<[usize; 2]> {
    let mut n_columns = [0; 2];
    for column in data.columns() {
        control.check()?;
        let has_missing = rows.iter().any(|&row| cell(column, row).is_nan());
        let (kind, variants) = match (column, nominal) {
            (Column::Numeric(_), _) | (_, NominalTests::Ordered) => (0, 1),
            (Column::Nominal(c), _) => {
                let codes = rows.iter().map(|&row| c.code(row)).filter(|&code| code != MISSING);
                let mut codes: Vec<u32> = codes.collect();
                codes.sort_unstable();
                codes.dedup();
                let divisions = (1 << codes.len().clamp(1, MOST_LEVELS) >> 1) - 1;
                let divisions = divisions.max(codes.len().min(1));
                (1, if nominal == NominalTests::Subset { divisions } else { codes.len() })
            }
        };
        n_columns[kind] += if has_missing { 2 * variants } else { variants };
    }
    Ok(n_columns)
}

/// All divisions of the levels of a feature in two. Each is one list: the side with the first
/// level.
fn divisions(levels: &[f64], name: &str) -> Result<Vec<Asked>> {
    if levels.len() > MOST_LEVELS {
        return Err(Error::Data(format!(
            "column '{name}' has {} levels: nominal_splits='subset' divides at most {MOST_LEVELS}; \
             choose 'one_vs_rest' or 'ordered', or join levels",
            levels.len()
        )));
    }
    let others = levels.len().saturating_sub(1);
    let listed = |mask: usize| {
        let others = (0..others).filter(|i| mask >> i & 1 == 1).map(|i| levels[i + 1] as u32);
        Asked::Levels(levels.first().map(|&first| first as u32).into_iter().chain(others).collect())
    };
    // One level can be divided from missing values only.
    let count = ((1_usize << others) - 1).max(levels.len().min(1));
    Ok((0..count).map(listed).collect())
}
