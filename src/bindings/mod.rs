//! The Python module `fasttree._core`: each function converts its arguments, releases the
//! interpreter, calls the core, and converts the result.
//!
//! Arrays are borrowed before the interpreter is released ([`convert`]). [`job`] runs the core with
//! signals, progress and limits. The core does not use Python, except through a user's criterion
//! ([`custom`]), whose job stays on the calling thread. `_core.pyi` is written from the signatures
//! and texts of the functions.

mod aligned;
mod arrays;
mod bayes;
mod cells;
mod code_facts;
mod codes;
mod convert;
mod custom;
mod custom_pairs;
mod dataset;
mod estimates;
mod exact;
mod forest;
mod genotypes;
mod hints;
mod job;
mod model;
mod neighbours;
mod networks;
mod pair_setting;
mod pairs;
mod plan;
mod read;
mod spread;
mod trees;

use pyo3::prelude::*;

/// The allocator keeps a reserve, so that running out of memory is an exception and not an abort.
#[global_allocator]
static ALLOCATOR: crate::memory::Allocator = crate::memory::Allocator;

pyo3::create_exception!(
    fasttree._core,
    InternalError,
    pyo3::exceptions::PyRuntimeError,
    "A defect of fasttree itself; please report it with the message and the data's shape."
);

/// The counting core of fasttree.
#[pymodule]
mod _core {
    /// Version of the core.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::InternalError;
    #[pymodule_export]
    use super::bayes::{PyBayesModel, bayes_fit};
    #[pymodule_export]
    use super::codes::{
        bag_times, check_codes, edge_cuts, edge_summary, encode_rows, exact_sum, level_counts,
        number_range, rounded_sum, row_hashes, value_counts, value_cuts,
    };
    #[pymodule_export]
    use super::dataset::{PyDataset, bin_cuts, registry, score_tables, simd_level, ways_taken};
    #[pymodule_export]
    use super::estimates::{agreement_counts, pair_block_scores};
    #[pymodule_export]
    use super::exact::{minimal_tree, near_optimal, optimal_tree};
    #[pymodule_export]
    use super::forest::{PyForest, bag_counts, forest_fit, forest_joined, out_of_bag_importances};
    #[pymodule_export]
    use super::genotypes::{genotype_scores, genotype_tests};
    #[pymodule_export]
    use super::job::{allocated, exercise, scale_reserve};
    #[pymodule_export]
    use super::model::{PyModel, tree_fit};
    #[pymodule_export]
    use super::neighbours::{rounded_scores, stream_scores};
    #[pymodule_export]
    use super::networks::{
        network_counts, network_exact, network_exact_memory, network_search, network_tables_cost,
    };
    #[pymodule_export]
    use super::pairs::{PyPairCounts, fixed_matrices, pair_counts, pair_counts_across};
    #[pymodule_export]
    use super::read::{FileFault, PyArffReader, PyDelimitedReader};
    #[pymodule_export]
    use super::spread::{
        PySpreadGrowth, add_counts, count_groups, divide_groups, drawn_rows, forest_of_trees,
        forest_seeds, grow_groups, record_sizes, rows_of_groups,
    };
    #[pymodule_export]
    use super::trees::PyTrees;
}
