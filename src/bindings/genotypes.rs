//! `_core.genotype_scores`, `_core.genotype_tests`: scores of genotypes by nearest neighbours, read
//! in place from a packed file (two bits per genotype; [`crate::data::genotypes`]).
//!
//! O(samples^2 x variants) bit operations.

use super::aligned::{Aligned1, Aligned2};
use super::job::{Work, exception, run};
use super::plan::{Options, builtin_criterion};
use crate::criteria::Evidence;
use crate::data::genotypes::PackedGenotypes;
use crate::error::Error;
use crate::simd::Level;
use crate::stats::neighbours::genotypes::{self, GenotypeRows, memory};
use crate::stats::neighbours::{Multiclass, NeighbourMethod};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The samples of a study, their classes and genotypes, and the criterion's search for neighbours.
struct PackedStudy<'a> {
    packed: PackedGenotypes<'a>,
    samples: Vec<u32>,
    classes: Vec<u16>,
    n_classes: usize,
    search: (NeighbourMethod, Multiclass),
}

impl<'a> PackedStudy<'a> {
    fn new(
        packed: &'a Aligned2<'_, u8>,
        n_samples: usize,
        samples: &Aligned1<'_, u32>,
        classes: &Aligned1<'_, u16>,
        n_classes: usize,
        (criterion, options): (&str, Options),
    ) -> PyResult<Self> {
        let variants = packed.as_array().dim().0;
        let bytes =
            packed.as_slice().map_err(|_| PyValueError::new_err("packed must be C-contiguous"))?;
        let packed = PackedGenotypes::new(bytes, n_samples, variants).map_err(exception)?;
        let search = neighbour_search(criterion, options)?;
        let samples = samples.as_array().to_vec();
        let classes = classes.as_array().to_vec();
        Ok(Self { packed, samples, classes, n_classes, search })
    }

    fn rows(&self) -> GenotypeRows<'_> {
        GenotypeRows {
            packed: self.packed,
            samples: &self.samples,
            classes: &self.classes,
            n_classes: self.n_classes,
        }
    }

    fn work(&self) -> Work {
        let n_samples = self.samples.len();
        let pairs = n_samples.saturating_mul(n_samples);
        let (peak, largest) = memory(n_samples, self.packed.variants());
        Work::from(pairs.saturating_mul(self.packed.variants()) / 64).with_memory(peak, largest)
    }
}

/// How a criterion chooses neighbours, and how it treats several classes.
fn neighbour_search(criterion: &str, options: Options) -> PyResult<(NeighbourMethod, Multiclass)> {
    let criterion = builtin_criterion(criterion, options)?;
    match criterion.evidence() {
        Evidence::Neighbours(search) => Ok(search),
        _ => Err(exception(Error::Unsupported {
            what: format!("criterion='{}' on two-bit genotypes", criterion.info().name),
            supported: "criteria on neighbours".into(),
        })),
    }
}

/// One score per variant by a criterion on neighbours, NaN for a variant that is constant in the
/// samples. `packed` is the content of a .bed file behind its header, with a row of bytes per
/// variant and four samples in each byte; `samples` are positions among the `n_samples` of the
/// file.
#[pyfunction]
#[pyo3(signature = (
    packed, n_samples, samples, classes, n_classes, criterion, options, n_jobs = None, progress
    = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
pub fn genotype_scores<'py>(
    py: Python<'py>,
    packed: Aligned2<'_, u8>,
    n_samples: usize,
    samples: Aligned1<'_, u32>,
    classes: Aligned1<'_, u16>,
    n_classes: usize,
    criterion: &str,
    options: Options,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let of = (criterion, options);
    let study = PackedStudy::new(&packed, n_samples, &samples, &classes, n_classes, of)?;
    let (method, multiclass) = study.search;
    let scores = run(py, n_jobs, study.work(), progress.as_ref(), |control| {
        genotypes::genotype_scores(control, Level::active(), &study.rows(), method, multiclass)
    })?;
    Ok(scores.into_pyarray(py))
}

/// Scores with permutation tests; `permuted` are permuted classes, shape (permutations, samples).
///
/// Returns the scores; the numbers of near hits and near misses; for each variant the numbers of
/// these pairs that differ in it (hits, misses); and for each variant the number of permutations in
/// which it reaches its score, the number in which some variant does, and the largest score of each
/// permutation.
#[pyfunction]
#[pyo3(signature = (
    packed, n_samples, samples, classes, n_classes, criterion, options, permuted, n_jobs =
    None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of one call")]
#[allow(clippy::type_complexity, reason = "arrays of one call")]
pub fn genotype_tests<'py>(
    py: Python<'py>,
    packed: Aligned2<'_, u8>,
    n_samples: usize,
    samples: Aligned1<'_, u32>,
    classes: Aligned1<'_, u16>,
    n_classes: usize,
    criterion: &str,
    options: Options,
    permuted: Aligned2<'_, u16>,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(
    Bound<'py, PyArray1<f64>>,
    (u64, u64),
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>),
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>),
)> {
    let of = (criterion, options);
    let study = PackedStudy::new(&packed, n_samples, &samples, &classes, n_classes, of)?;
    let permuted =
        permuted.as_slice().map_err(|_| PyValueError::new_err("permuted must be C-contiguous"))?;
    let found = run(py, n_jobs, study.work(), progress.as_ref(), |control| {
        genotypes::genotype_tests(control, Level::active(), &study.rows(), study.search, permuted)
    })?;
    let [hits, misses] = found.differing.counts;
    let [near_hits, near_misses] = found.differing.pairs;
    Ok((
        found.scores.into_pyarray(py),
        (near_hits, near_misses),
        (hits.into_pyarray(py), misses.into_pyarray(py)),
        (
            found.reached.into_pyarray(py),
            found.exceeded.into_pyarray(py),
            found.largest.into_pyarray(py),
        ),
    ))
}
