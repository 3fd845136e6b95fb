//! The registry: all criteria by name, each with a function that makes it from its options.
//!
//! Python classes, choices of the command and documentation pages are made from [`CRITERIA`]. An
//! unknown name is refused with a list of the names and the most similar one.

use super::{Criterion, Info};
use super::{
    absolute_error, accuracy, angle, auc, chi2, class_angle, class_euclid, contextual_merit, dkm,
    euclid, f_measure, f_measure_max, g_statistic, gain_ratio, gini, hellinger, info_gain, jaccard,
    k_nearest_merit, laplace, mantaras, mdl, minimal_tree_size, moments, multisurf, nmi,
    normal_gain, orthogonality, pi, poisson, quantile, relief, relieff, rrelieff, squared_error,
    standard_deviation, surf, symmetric_uncertainty, twoing, variation_of_information,
};
use crate::error::{Error, Result};
use crate::json::ValueReader;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Makes a criterion from its options, as a JSON object.
pub type Make = fn(Value) -> serde_json::Result<Box<dyn Criterion>>;

/// One line of the registry.
pub struct Entry {
    /// Facts.
    pub info: &'static Info,
    /// Make the criterion from its options, whose domains are not checked.
    make: Make,
}

/// The options of a criterion that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoOptions {}

/// A line of the registry: a criterion with options, `plain` without; `on moments` of a target.
macro_rules! entry {
    ($module:ident :: $type:ident $(, $info:ident)?) => {
        entry!(@ $module $($info)?, $module::$type, std::convert::identity)
    };
    (plain $module:ident :: $type:ident $(, $info:ident)?) => {
        entry!(@ $module $($info)?, NoOptions, |_| $module::$type)
    };
    (on moments $module:ident :: $type:ident) => {
        entry!(@ $module, $module::$type, moments::MomentCriterion)
    };
    (plain on moments $module:ident :: $type:ident) => {
        entry!(@ $module, NoOptions, |_| moments::MomentCriterion($module::$type))
    };
    (@ $module:ident, $options:ty, $make:expr) => {
        entry!(@ $module INFO, $options, $make)
    };
    (@ $module:ident $info:ident, $options:ty, $make:expr) => {
        Entry {
            info: &$module::$info,
            make: |options| Ok(Box::new($make(<$options>::deserialize(ValueReader(options))?))),
        }
    };
}

/// All criteria, in the order in which tables list them.
pub static CRITERIA: &[Entry] = &[
    entry!(plain info_gain::InfoGain),
    entry!(gain_ratio::GainRatio),
    entry!(plain normal_gain::NormalGain),
    entry!(plain mantaras::Mantaras),
    entry!(plain variation_of_information::VariationOfInformation),
    entry!(plain symmetric_uncertainty::SymmetricUncertainty),
    entry!(plain nmi::GeometricNmi, GEOMETRIC),
    entry!(plain nmi::MinNmi, MIN),
    entry!(plain nmi::MaxNmi, MAX),
    entry!(plain gini::Gini),
    entry!(plain chi2::Chi2),
    entry!(plain g_statistic::GStatistic),
    entry!(plain laplace::Laplace),
    entry!(accuracy::Accuracy),
    entry!(jaccard::Jaccard),
    entry!(f_measure::FMeasure),
    entry!(f_measure_max::FMeasureMax),
    entry!(plain mdl::DescriptionLength),
    entry!(plain dkm::Dkm),
    entry!(plain hellinger::Hellinger),
    entry!(plain euclid::Euclid),
    entry!(plain angle::Angle),
    entry!(plain orthogonality::Orthogonality),
    entry!(plain class_euclid::ClassEuclid),
    entry!(plain class_angle::ClassAngle),
    entry!(plain twoing::Twoing),
    entry!(plain auc::Auc),
    entry!(pi::Pi),
    entry!(contextual_merit::ContextualMerit),
    entry!(relief::Relief),
    entry!(minimal_tree_size::MinimalTreeSize),
    entry!(relieff::ReliefF),
    entry!(surf::Surf),
    entry!(surf::SurfStar, STAR),
    entry!(multisurf::MultiSurf),
    entry!(multisurf::MultiSurfStar, STAR),
    entry!(k_nearest_merit::KNearestMerit),
    entry!(plain on moments squared_error::SquaredError),
    entry!(plain absolute_error::AbsoluteError),
    entry!(quantile::Quantile),
    entry!(plain on moments poisson::Poisson),
    entry!(on moments standard_deviation::StandardDeviation),
    entry!(rrelieff::RReliefF),
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

/// A criterion from its name and options; unknown names and values outside their domain are
/// refused.
pub fn make(name: &str, options: Map<String, Value>) -> Result<Box<dyn Criterion>> {
    let (entry, shown) = (find(name)?, Value::Object(options.clone()).to_string());
    (entry.make)(Value::Object(options))
        .map_err(|error| Error::parameter("options", shown, error))
        .and_then(|made| made.check().and(made.evidence().check()).map(|()| made))
        .map_err(|error| error.with_owner(entry.info.name))
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
