//! Split criteria: pure functions of evidence, one file each.
//!
//! A criterion declares its [`Evidence`], and growth asks `stats` for it. One on tables sees a
//! *block* of candidates at once ([`Tables`]: struct of arrays `[branch][class][candidate]`),
//! because inner loops over candidates vectorise and the virtual call is paid once a block; one on
//! [`pairs`] sees the pairs of a node, for all features together. It returns a *score* (larger is
//! better) and, for growth that compares leaves or whole trees, a *distance* (smaller is better).
//! It knows nothing about growing, features or thresholds.
//!
//! To add one: write a file with a struct for its options, `info()` ([`Properties`]) and either the
//! steps of a [`fold`] over classes and branches or one generic `score` ([`Formula`]), and give it
//! one entry in [`CRITERIA`]. Defaults, Python classes, command-line
//! choices, the pages of the documentation, contract tests and bench rows come from that entry;
//! `CONTRIBUTING.md` names the oracle and the command that writes two lists.

use crate::error::{Error, Result};
pub use crate::numeric::Cells;
pub use evidence::{Evidence, SizeBudget};
pub use facts::{EvidenceKind, Info, OptionInfo, OptionKind};
pub use formula::{Criterion, Formula, GainFilter, PairScreen, Properties, SplitRule};
pub use info_gain::InfoGain;
pub use running::{Cuts, LeftRows, RunningScores, Term};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
pub use tables::{Block, Context, Tables};
#[cfg(test)]
pub(crate) use {gain_ratio::GainRatio, gini::Gini};

mod accuracy;
mod angle;
mod assignment;
mod auc;
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
mod gini;
mod hellinger;
mod info_gain;
mod information;
mod jaccard;
mod k_nearest_merit;
mod laplace;
mod mantaras;
mod mdl;
mod minimal_tree_size;
mod multisurf;
pub mod neighbours;
mod nmi;
mod normal_gain;
mod orthogonality;
pub mod pairs;
mod pi;
mod relief;
mod relieff;
pub mod rows;
mod running;
mod surf;
mod symmetric_uncertainty;
mod tables;
mod twoing;
mod variation_of_information;

/// Makes a criterion from its options.
pub type Make = fn(Map<String, Value>) -> Result<Box<dyn Criterion>>;

/// One line of the registry.
pub struct Entry {
    /// Facts.
    pub info: &'static Info,
    /// Make the criterion from its options.
    pub make: Make,
}

/// Options as a file of this room declares them.
fn read<T: DeserializeOwned>(options: Map<String, Value>) -> Result<T> {
    let options = Value::Object(options);
    let shown = options.to_string();
    serde_json::from_value(options).map_err(|e| Error::parameter("options", shown, e))
}

/// Build a criterion from options; unknown names and values outside their domain are refused.
pub(crate) fn from_options<F: Formula + DeserializeOwned>(
    options: Map<String, Value>,
) -> Result<Box<dyn Criterion>> {
    let made: F = read(options)?;
    made.check()?;
    Ok(Box::new(made))
}

macro_rules! entry {
    ($module:ident :: $type:ident) => {
        entry!($module::$type, $module::INFO)
    };
    ($module:ident :: $type:ident, $info:expr) => {
        Entry { info: &$info, make: from_options::<$module::$type> }
    };
    (on pairs $module:ident :: $type:ident) => {
        Entry { info: &$module::INFO, make: pairs::from_options::<$module::$type> }
    };
    (on neighbours $module:ident :: $type:ident, $info:expr) => {
        Entry { info: &$info, make: neighbours::from_options::<$module::$type> }
    };
}

/// All criteria, in the order in which tables list them.
pub static CRITERIA: &[Entry] = &[
    entry!(info_gain::InfoGain),
    entry!(gain_ratio::GainRatio),
    entry!(normal_gain::NormalGain),
    entry!(mantaras::Mantaras),
    entry!(variation_of_information::VariationOfInformation),
    entry!(symmetric_uncertainty::SymmetricUncertainty),
    entry!(nmi::GeometricNmi, nmi::GEOMETRIC),
    entry!(nmi::MinNmi, nmi::MIN),
    entry!(nmi::MaxNmi, nmi::MAX),
    entry!(gini::Gini),
    entry!(chi2::Chi2),
    entry!(g_statistic::GStatistic),
    entry!(laplace::Laplace),
    entry!(accuracy::Accuracy),
    entry!(jaccard::Jaccard),
    entry!(f_measure::FMeasure),
    entry!(f_measure_max::FMeasureMax),
    entry!(mdl::DescriptionLength),
    entry!(dkm::Dkm),
    entry!(hellinger::Hellinger),
    entry!(euclid::Euclid),
    entry!(angle::Angle),
    entry!(orthogonality::Orthogonality),
    entry!(class_euclid::ClassEuclid),
    entry!(class_angle::ClassAngle),
    entry!(twoing::Twoing),
    entry!(auc::Auc),
    entry!(on pairs pi::Pi),
    entry!(on pairs contextual_merit::ContextualMerit),
    entry!(on pairs relief::Relief),
    Entry { info: &minimal_tree_size::INFO, make: minimal_tree_size::make },
    entry!(on neighbours relieff::ReliefF, relieff::INFO),
    entry!(on neighbours surf::Surf, surf::INFO),
    entry!(on neighbours surf::SurfStar, surf::STAR),
    entry!(on neighbours multisurf::MultiSurf, multisurf::INFO),
    entry!(on neighbours multisurf::MultiSurfStar, multisurf::STAR),
    entry!(on neighbours k_nearest_merit::KNearestMerit, k_nearest_merit::INFO),
];

/// The entry with this name or alias; otherwise an error that lists the names and the nearest one.
pub fn find(name: &str) -> Result<&'static Entry> {
    if let Some(e) = CRITERIA.iter().find(|e| e.info.name == name || e.info.aliases.contains(&name))
    {
        return Ok(e);
    }
    let names: Vec<&str> = CRITERIA.iter().map(|e| e.info.name).collect();
    let nearest = names.iter().min_by_key(|n| edit_distance(n, name));
    let hint = match nearest {
        Some(n) if edit_distance(n, name) <= 3 => format!("did you mean '{n}'? "),
        _ => String::new(),
    };
    Err(Error::parameter(
        "criterion",
        format!("'{name}'"),
        format!("no such criterion; {hint}known: {}", names.join(", ")),
    ))
}

/// A criterion from its name and options.
pub fn make(name: &str, options: Map<String, Value>) -> Result<Box<dyn Criterion>> {
    let entry = find(name)?;
    (entry.make)(options).map_err(|e| e.of(entry.info.name))
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
