//! The registry: all criteria by name, each with a function that makes it from its options.
//!
//! Python classes, choices of the command and documentation pages are made from [`CRITERIA`]. An
//! unknown name is refused with a list of the names and the most similar one.

use super::formula::{from_options, wrapped};
use super::{Criterion, Info};
use super::{
    absolute_error, accuracy, angle, auc, chi2, class_angle, class_euclid, contextual_merit, dkm,
    euclid, f_measure, f_measure_max, g_statistic, gain_ratio, gini, hellinger, info_gain, jaccard,
    k_nearest_merit, laplace, mantaras, mdl, minimal_tree_size, moments, multisurf, neighbours,
    nmi, normal_gain, order, orthogonality, pairs, pi, poisson, quantile, relief, relieff,
    rrelieff, squared_error, standard_deviation, surf, symmetric_uncertainty, twoing,
    variation_of_information,
};
use crate::error::{Error, Result};
use serde_json::{Map, Value};

/// Makes a criterion from its options.
pub type Make = fn(Map<String, Value>) -> Result<Box<dyn Criterion>>;

/// One line of the registry.
pub struct Entry {
    /// Facts.
    pub info: &'static Info,
    /// Make the criterion from its options.
    pub make: Make,
}

macro_rules! entry {
    ($module:ident :: $type:ident) => {
        entry!($module::$type, $module::INFO)
    };
    ($module:ident :: $type:ident, $info:expr) => {
        Entry { info: &$info, make: from_options::<$module::$type> }
    };
    (on pairs $module:ident :: $type:ident) => {
        entry!($module::$type, $module::INFO, pairs::OnPairs, pairs::PairCriterion)
    };
    (on moments $module:ident :: $type:ident) => {
        entry!($module::$type, $module::INFO, moments::OnMoments, moments::MomentCriterion)
    };
    (on order $module:ident :: $type:ident) => {
        entry!($module::$type, $module::INFO, order::OnOrder, order::OrderCriterion)
    };
    (on neighbours $module:ident :: $type:ident, $info:expr) => {
        entry!($module::$type, $info, neighbours::OnNeighbours, neighbours::NeighbourCriterion)
    };
    ($module:ident :: $type:ident, $info:expr, $trait:path, $wrap:path) => {
        Entry {
            info: &$info,
            make: |options| wrapped(options, <$module::$type as $trait>::check, $wrap),
        }
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
    entry!(on moments squared_error::SquaredError),
    entry!(on order absolute_error::AbsoluteError),
    entry!(on order quantile::Quantile),
    entry!(on moments poisson::Poisson),
    entry!(on moments standard_deviation::StandardDeviation),
    entry!(on neighbours rrelieff::RReliefF, rrelieff::INFO),
];

/// The entry with this name or alias; otherwise an error that lists the names and the most similar
/// one.
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

/// Levenshtein distance, row by row.
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
