//! Levels, threads and tiles change nothing. The tests of the Python package compare the scores
//! with the scores of nominal columns.

use super::super::distances::RowDistances;
use super::*;
use crate::data::genotypes::MISSING_CODE;
use crate::data::genotypes::PackedGenotypes;
use crate::stats::pairs::tests::CounterRng;

/// Two-bit codes of samples (some unused) by variant, the samples in use, and their classes.
struct Case {
    codes: Vec<Vec<u8>>,
    bytes: Vec<u8>,
    samples: Vec<u32>,
    classes: Vec<u16>,
    n_classes: usize,
}

impl Case {
    fn new(seed: u64, samples: usize, variants: usize, missing: usize) -> Self {
        let mut draw = CounterRng::new(seed, 0);
        let n_classes = 2 + seed as usize % 2;
        let mut codes: Vec<Vec<u8>> = Vec::new();
        for v in 0..variants {
            let often = 1 + draw.below(5);
            let code = |draw: &mut CounterRng| match draw.below(100) {
                x if x < missing => MISSING_CODE,
                x if v % 17 == 3 && x >= missing => 3,
                _ => [0, 2, 3, 3, 3, 3][draw.below(often + 1)],
            };
            codes.push((0..samples).map(|_| code(&mut draw)).collect());
        }
        let mut bytes = Vec::new();
        for of_variant in &codes {
            let pack = |four: &[u8]| four.iter().enumerate().fold(0, |b, (i, c)| b | c << (2 * i));
            bytes.extend(of_variant.chunks(4).map(pack));
        }
        let used: Vec<u32> = (0..samples as u32).filter(|s| s % 7 != 5).collect();
        let classes = used.iter().map(|_| draw.below(n_classes) as u16).collect();
        Self { codes, bytes, samples: used, classes, n_classes }
    }

    fn rows(&self) -> GenotypeRows<'_> {
        let samples = self.codes[0].len();
        let packed = PackedGenotypes::new(&self.bytes, samples, self.codes.len()).unwrap();
        GenotypeRows {
            packed,
            samples: &self.samples,
            classes: &self.classes,
            n_classes: self.n_classes,
        }
    }
}

#[test]
fn levels_and_threads_change_no_bit() {
    for missing in [0, 10] {
        let case = Case::new(12, 150, 1300, missing);
        let method = NeighbourMethod::MultiSurf { star: true };
        let scores = |level, threads| {
            let control = Control::new(threads);
            genotype_scores(&control, level, &case.rows(), method, Multiclass::Prior).unwrap()
        };
        let bits = |scores: Vec<f64>| scores.iter().map(|s| s.to_bits()).collect::<Vec<u64>>();
        let first = bits(scores(Level::Plain, 1));
        for level in Level::available() {
            assert_eq!(bits(scores(level, 3)), first, "{level:?}");
        }
    }
}

#[test]
fn tiles_of_rows_have_the_distances_of_all_at_once() {
    for missing in [0, 10] {
        let case = Case::new(8, 300, 800, missing);
        let rows = case.rows();
        let order = Order::from_classes(rows.classes, rows.n_classes);
        let control = Control::new(2);
        let study = Study::new(&control, Level::active(), &rows, &order, false).unwrap();
        let t = rows.samples.len();
        let all = DistanceTile::new(&control, &study.samples, &study.gaps, 0..t).unwrap();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for part in [0..3, 3..200, 200..t] {
            let tile =
                DistanceTile::new(&control, &study.samples, &study.gaps, part.clone()).unwrap();
            for (i, row) in part.enumerate() {
                if missing == 0 {
                    let (mut c, mut d) = (Vec::new(), Vec::new());
                    all.copy_whole(row, &mut c);
                    tile.copy_whole(i, &mut d);
                    assert_eq!(c, d);
                } else {
                    all.copy_real(row, &mut a);
                    tile.copy_real(i, &mut b);
                    assert_eq!(a, b);
                }
            }
        }
    }
}

#[test]
fn few_samples_and_wrong_ones() {
    let case = Case::new(2, 9, 30, 0);
    let one = GenotypeRows { samples: &[3], classes: &[0], ..case.rows() };
    let scores = |rows: &GenotypeRows<'_>| {
        let method = NeighbourMethod::MultiSurf { star: false };
        genotype_scores(&Control::new(1), Level::active(), rows, method, Multiclass::Prior)
    };
    assert!(scores(&one).unwrap().iter().all(|s| s.is_nan()));
    for (samples, classes) in
        [(&[0u32, 0][..], &[0u16, 1][..]), (&[0, 9], &[0, 1]), (&[0, 1], &[0, 7]), (&[0], &[0, 1])]
    {
        assert!(scores(&GenotypeRows { samples, classes, ..case.rows() }).is_err());
    }
}
