//! The query about a node that criteria on the order of a numeric target answer
//! ([`CandidateQuery`]), and the memory with which they score one node after the other.

use crate::criteria::QuantileLoss;
use crate::error::Error;
use crate::split::order::ListBuffers;

/// Which candidates of a node are scored, and by which loss.
#[derive(Clone, Copy)]
pub(in crate::grow) struct CandidateQuery {
    pub loss: QuantileLoss,
    /// Visit all thresholds; otherwise only the thresholds that are no worse than the ones before.
    pub all: bool,
}

/// The error of a target of classes.
pub(in crate::grow) fn without_numbers() -> Error {
    Error::Unsupported {
        what: "a criterion on the order of a numeric target, with a target of classes".into(),
        supported: "criteria on classes; or FastTreeRegressor (task: regression)".into(),
    }
}

/// Memory of one worker, used for one node after the other.
#[derive(Debug, Default)]
pub(in crate::grow) struct OrderWorkspace {
    /// The rows of the node, ascending, hence by ascending target.
    pub rows: Vec<u32>,
    /// Memory for all rows of a node.
    pub of_node: ListMemory,
    /// Memory for the rows of a node that have a value of a feature.
    pub of_known: ListMemory,
    /// Losses of the rows left of each place, and right of it.
    pub left: Vec<f64>,
    pub right: Vec<f64>,
}

/// Memory for the order of some rows.
#[derive(Debug, Default)]
pub(in crate::grow) struct ListMemory {
    /// The rows, by ascending target.
    pub list: ListBuffers,
    /// The place of each internal row among the rows of the list; without a meaning for other rows.
    pub place: Vec<u32>,
}
