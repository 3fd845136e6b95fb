//! The standard normal distribution to double precision: [`distribution`], by the complementary
//! error function of `libm`, and [`quantile`].
//!
//! Quantile: Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
//! Statistics 37 (1988), routine PPND16: three rational functions, each for a range of
//! probabilities, with a relative error of about 1e-16.

use std::f64::consts::FRAC_1_SQRT_2;

/// Probability that a standard normal number is at most `z`. Small probabilities keep their
/// relative precision; below about z = -38 they are 0.
pub fn distribution(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// A ratio of two polynomials; coefficients from the constant term on.
struct RationalFunction {
    numerator: [f64; 8],
    denominator: [f64; 8],
}

impl RationalFunction {
    fn at(&self, x: f64) -> f64 {
        let horner =
            |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, &c| sum * x + c);
        horner(&self.numerator) / horner(&self.denominator)
    }
}

/// For `|p - 0.5| <= 0.425`.
const CENTRE: RationalFunction = RationalFunction {
    numerator: [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    denominator: [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
};

/// Between the centre and the tails.
const INTERMEDIATE: RationalFunction = RationalFunction {
    numerator: [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        0.000_774_545_014_278_341_4,
    ],
    denominator: [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        0.000_547_593_808_499_534_5,
        1.050_750_071_644_416_9e-9,
    ],
};

/// For probabilities below `exp(-25)` on either side.
const TAIL: RationalFunction = RationalFunction {
    numerator: [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288e-7,
    ],
    denominator: [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        0.000_786_869_131_145_613_2,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
};

/// The `z` that a standard normal variable stays below with probability `p`, for `0 < p < 1`. The
/// caller must exclude 0 and 1: their quantiles are infinite, and the formulas do not give them.
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * CENTRE.at(0.180_625 - q * q);
    }
    // By symmetry the smaller tail decides.
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let z = if r <= 5.0 { INTERMEDIATE.at(r - 1.6) } else { TAIL.at(r - 5.0) };
    z.copysign(q)
}

#[cfg(test)]
mod tests {
    use super::{distribution, quantile};

    #[test]
    fn tabulated_values() {
        // Abramowitz & Stegun (1964), tables 26.1 and 26.2
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (3.5, 0.999_767_370_920_964),
            (-1.0, 0.158_655_253_931_457),
            (-5.0, 2.866_515_719e-7),
            (-10.0, 7.619_853_024e-24),
        ] {
            assert!((distribution(z) - p).abs() <= 1e-9 * p, "{z}: {} {p}", distribution(z));
        }
        assert_eq!(distribution(-60.0), 0.0);
        assert_eq!(distribution(60.0), 1.0);
    }

    #[test]
    fn rises_and_is_symmetric() {
        let mut last = 0.0;
        for i in -4000..=4000 {
            let z = f64::from(i) / 500.0;
            let p = distribution(z);
            assert!(p >= last, "{z}");
            assert!((p + distribution(-z) - 1.0).abs() < 1e-15, "{z}");
            last = p;
        }
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let known = [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196_081_7),
            (0.9, 1.281_551_565_544_600_8),
            (0.975, 1.959_963_984_540_053_6),
            (0.999, 3.090_232_306_167_813),
            (1e-12, -7.034_483_825_301_132),
        ];
        for (p, z) in known {
            assert!((quantile(p) - z).abs() < 1e-12 * (1.0 + z.abs()), "{p}: {}", quantile(p));
        }
    }
}
