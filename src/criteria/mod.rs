//! Split criteria: pure functions of evidence, one file each.
//!
//! A criterion declares the [`Evidence`] that it reads, and growth lets `stats` count it. A
//! criterion on tables is given a *block* of candidates at once ([`Tables`]: struct of arrays
//! `[branch][class][candidate]`), so that inner loops over candidates vectorise and there is one
//! virtual call per block; one on [`pairs`] is given the pairs of a node, for all features
//! together. It returns a *score* (larger is better) and, for growth that compares leaves or whole
//! trees, a *distance* (smaller is better). Criteria do not depend on growth, features or
//! thresholds.
//!
//! To add one: write a file with a struct for its options, `info()` ([`Properties`]) and either the
//! steps of a [`fold`] over classes and branches or one generic `score` ([`Formula`]), and give it
//! one entry in [`CRITERIA`] (`registry.rs`). Defaults, Python classes, command-line choices, the
//! pages of the documentation, contract tests and bench rows come from that entry;
//! `CONTRIBUTING.md` names the oracle and the command that writes two lists.

pub use crate::numeric::Cells;
pub use crate::options::{OptionDomain, OptionInfo};
pub use evidence::{Evidence, QuantileLoss, SizeBudget};
pub use facts::{EvidenceKind, Info, LossRise, TargetKind};
pub use formula::{Criterion, Formula, GainFilter, PairScreen, Properties, SplitRule};
pub use gain_ratio::GainRatio;
pub use gini::Gini;
pub use impurity::Impurity;
pub use info_gain::InfoGain;
pub use largest_deviation::LargestDeviation;
pub use mdl::DescriptionLength;
pub use registry::{CRITERIA, Entry, Make, find, make};
pub use running::{Cuts, LeftRows, RunningScores, Term};
pub use tables::{Block, Context, Tables};

mod absolute_error;
mod accuracy;
mod angle;
mod assignment;
mod auc;
pub mod c45;
mod chi2;
mod class_angle;
mod class_euclid;
mod contextual_merit;
mod contrast;
mod dkm;
mod euclid;
mod evidence;
mod f_measure;
mod f_measure_max;
mod facts;
mod fold;
mod formula;
mod g_statistic;
mod gain_ratio;
mod gains;
mod gini;
mod hellinger;
mod impurity;
mod info_gain;
mod information;
mod jaccard;
mod k_nearest_merit;
mod laplace;
mod largest_deviation;
mod mantaras;
mod mdl;
mod minimal_tree_size;
mod moments;
mod multisurf;
pub mod neighbours;
mod nmi;
mod normal_gain;
mod orthogonality;
pub mod pairs;
mod pi;
mod poisson;
mod quantile;
mod registry;
mod relief;
mod relieff;
pub mod rows;
mod rrelieff;
mod running;
mod squared_error;
mod standard_deviation;
mod surf;
mod symmetric_uncertainty;
mod tables;
mod twoing;
mod variation_of_information;
