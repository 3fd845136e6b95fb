//! SURF and SURF*: all rows nearer than the mean distance of all pairs (Greene, Penrod, Kiralis &
//! Moore 2009; Greene, Himmelstein, Kiralis & Moore 2010).
//!
//! The radius is one number for all rows, so rows in dense places have many neighbours and outliers
//! may have none. SURF* adds the rows farther than the mean and scores them the other way round,
//! which finds pure pairwise interactions and hides main effects: a feature that matters alone may
//! score below noise. O(t^2 n).

use super::neighbours::MULTICLASS;
use super::{Criterion, Evidence, EvidenceKind, Info, Properties};
use crate::stats::neighbours::{Multiclass, NeighbourMethod};
use serde::Deserialize;

/// SURF.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Surf {
    /// Weight of the classes of misses.
    pub multiclass: Multiclass,
}

/// SURF*.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfStar {
    /// Weight of the classes of misses.
    pub multiclass: Multiclass,
}

pub(super) static INFO: Info = Info {
    name: "surf",
    class_name: "Surf",
    summary: "ReliefF with all rows nearer than the mean distance of all pairs as neighbours.",
    formula: concat!(
        r"\frac1n \sum_i \bigl(\overline{\mathrm{diff}}(i, M_i) - \overline{\mathrm{diff}}(i, ",
        r"H_i)\bigr),\quad d_{ij} < \bar d",
    ),
    source: "greene2009",
    lowest: Some(-1.0),
    highest: Some(1.0),
    options: &[MULTICLASS],
    ..Info::non_table_defaults(EvidenceKind::Neighbours)
};

pub(super) static STAR: Info = Info {
    name: "surf_star",
    aliases: &[],
    class_name: "SurfStar",
    summary: "SURF minus the same sum over the rows farther than the mean distance.",
    formula: r"s_{d_{ij} < \bar d} - s_{d_{ij} > \bar d}",
    source: "greene2010",
    lowest: Some(-2.0),
    highest: Some(2.0),
    ..INFO
};

impl Criterion for Surf {}

impl Properties for Surf {
    fn info(&self) -> &'static Info {
        &INFO
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Neighbours((NeighbourMethod::Surf { star: false }, self.multiclass))
    }
}

impl Criterion for SurfStar {}

impl Properties for SurfStar {
    fn info(&self) -> &'static Info {
        &STAR
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Neighbours((NeighbourMethod::Surf { star: true }, self.multiclass))
    }
}
