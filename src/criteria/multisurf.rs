//! MultiSURF and MultiSURF*: neighbours within a radius that each row has for itself (Urbanowicz,
//! Olson, Schmitt, Meeker & Moore 2018; Granizo-Mackenzie & Moore 2013).
//!
//! A row's radius is the mean of its distances to the others less half their standard deviation;
//! MultiSURF* also takes the rows beyond the mean and half a deviation, and counts agreements there
//! instead of differences. There is no parameter to choose. About a third of all rows are
//! neighbours, so interactions of more than two or three features are detected less well than by
//! ReliefF with a small k. MultiSURF* hides main effects as SURF* does (see `surf`). O(t^2 n).

use super::neighbours::MULTICLASS;
use super::{Criterion, Evidence, EvidenceKind, Info, Properties};
use crate::stats::neighbours::{Multiclass, NeighbourMethod};
use serde::Deserialize;

/// MultiSURF.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MultiSurf {
    /// Weight of the classes of misses.
    pub multiclass: Multiclass,
}

/// MultiSURF*.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MultiSurfStar {
    /// Weight of the classes of misses.
    pub multiclass: Multiclass,
}

pub(super) static INFO: Info = Info {
    name: "multisurf",
    class_name: "MultiSurf",
    summary: "ReliefF with all rows nearer than a row's mean distance minus half a standard \
        deviation as neighbours.",
    formula: concat!(
        r"\frac1n \sum_i \bigl(\overline{\mathrm{diff}}(i, M_i) - \overline{\mathrm{diff}}(i, ",
        r"H_i)\bigr),\quad d_{ij} < \bar d_i - \tfrac12 \sigma_i",
    ),
    source: "urbanowicz2018",
    lowest: Some(-1.0),
    highest: Some(1.0),
    options: &[MULTICLASS],
    ..Info::non_table_defaults(EvidenceKind::Neighbours)
};

pub(super) static STAR: Info = Info {
    name: "multisurf_star",
    aliases: &[],
    class_name: "MultiSurfStar",
    summary: "MultiSURF, and agreements with the rows farther than the mean distance plus half a \
        standard deviation.",
    formula: concat!(
        r"s_{d_{ij} < \bar d_i - \sigma_i/2} + \frac1n \sum_i \bigl(\overline{1 - ",
        r"\mathrm{diff}}(i, M'_i) - \overline{1 - \mathrm{diff}}(i, H'_i)\bigr),\quad d_{ij} > ",
        r"\bar d_i + \tfrac12 \sigma_i",
    ),
    source: "granizomackenzie2013",
    lowest: Some(-2.0),
    highest: Some(2.0),
    ..INFO
};

impl Criterion for MultiSurf {}

impl Properties for MultiSurf {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Neighbours((NeighbourMethod::MultiSurf { star: false }, self.multiclass))
    }
}

impl Criterion for MultiSurfStar {}

impl Properties for MultiSurfStar {
    fn info(&self) -> &'static Info {
        &STAR
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Neighbours((NeighbourMethod::MultiSurf { star: true }, self.multiclass))
    }
}
