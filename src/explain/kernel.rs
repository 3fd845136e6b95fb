//! The pass of one row over one tree, for some points of the quadrature.
//!
//! A leaf with value u, reached by the shares z_f of the tests of each feature f on its path and
//! by the row's own answers o_f (1, 0, or a share where the value is missing and takes all
//! branches), plays the game v(S) = u prod(f in S) o_f prod(f not in S) z_f. With
//! |S|! (m - |S| - 1)! / m! = the integral of t^|S| (1 - t)^(m - |S| - 1) over (0, 1) its Shapley
//! values are
//!
//! ```text
//! phi_f = u (o_f - z_f) integral of prod(g != f) (t o_g + (1 - t) z_g) dt,
//! ```
//!
//! a polynomial of degree m - 1 in t that a rule of ceil(m / 2) points integrates exactly. All
//! terms of the sum have one sign, so nothing cancels. Going down, a level keeps the product over
//! the features above it, at each point; going up, it sums value x product over its leaves. A
//! branch adds (o - z) / (t o + (1 - t) z) times that sum to the values of its feature, and takes
//! back what an earlier test of the same feature adds for the same leaves (the arrangement of Yu et
//! al., "Linear TreeShap", 2022). O(nodes x points x classes), no recursion.

/// A point of the path or a branch of the tree, in pre-order.
#[derive(Debug, Clone, Copy)]
pub struct PathStep {
    /// Number of tests above the node.
    pub depth: u32,
    /// Feature that the parent tests.
    pub feature: u32,
    /// Depth of the nearest node above that the same feature leads to, 0 for none.
    pub same: u32,
    /// One past the last node of the subtree.
    pub end: u32,
    /// Number of the leaf, `u32::MAX` for an inner node.
    pub leaf: u32,
    /// Share of the branch in its parent's weight.
    pub share: f64,
    /// Product of the shares of this branch and of those above it on the same feature.
    pub zero: f64,
}

/// Points of the quadrature, as many as fit the lanes; those that are not used weigh nothing.
#[derive(Debug, Clone)]
pub struct Points<const L: usize> {
    weights: [f64; L],
    early: [f64; L],
    late: [f64; L],
    /// 1 / late.
    over_late: [f64; L],
}

impl<const L: usize> Points<L> {
    /// At most L points and weights.
    pub fn new(rule: &[(f64, f64)]) -> Self {
        let at = |k: usize| rule.get(k).copied().unwrap_or((0.5, 0.0));
        Self {
            weights: std::array::from_fn(|k| at(k).1),
            early: std::array::from_fn(|k| at(k).0),
            late: std::array::from_fn(|k| 1.0 - at(k).0),
            over_late: std::array::from_fn(|k| 1.0 / (1.0 - at(k).0)),
        }
    }
}

/// What a level of the walk keeps.
#[derive(Debug, Clone, Copy)]
struct WalkLevel<const L: usize> {
    /// Weight of each point x product of the factors of all features above.
    product: [f64; L],
    /// 1 / factor of the branch's feature.
    inverse: [f64; L],
    /// (o - z) / factor of the branch's feature.
    gain: [f64; L],
    /// What a leaf below adds to the branch's feature, as a multiple of its product.
    coefficient: [f64; L],
    one: f64,
    feature: usize,
    node: u32,
    /// Where the row goes from here; the node itself when it takes all branches.
    next: u32,
}

/// Levels and sums of a walk, kept between rows.
#[derive(Debug)]
pub struct KernelWorkspace<const L: usize> {
    levels: Vec<WalkLevel<L>>,
    /// Sums over the leaves below a level: `sums[depth * outputs + output]`.
    sums: Vec<[f64; L]>,
}

impl<const L: usize> KernelWorkspace<L> {
    /// For trees of at most this depth, and a number of outputs.
    pub fn new(depth: usize, outputs: usize) -> Self {
        let level = WalkLevel {
            product: [0.0; L],
            inverse: [0.0; L],
            gain: [0.0; L],
            coefficient: [0.0; L],
            one: 1.0,
            feature: 0,
            node: 0,
            next: 0,
        };
        Self { levels: vec![level; depth + 1], sums: vec![[0.0; L]; (depth + 1) * outputs] }
    }
}

/// The tree that a row passes: steps, and `outputs` values per leaf.
#[derive(Debug, Clone, Copy)]
pub struct Leaves<'a> {
    /// Nodes in pre-order.
    pub steps: &'a [PathStep],
    /// Values of the leaves.
    pub values: &'a [f64],
    /// Values of a leaf.
    pub outputs: usize,
}

/// Add the values of a row, `out[feature * stride + output]`; `child` tells where the row goes from
/// an inner node (the node itself: down all branches).
pub fn add_row<const L: usize>(
    tree: Leaves<'_>,
    points: &Points<L>,
    workspace: &mut KernelWorkspace<L>,
    child: impl Fn(u32) -> u32,
    (out, stride): (&mut [f64], usize),
) {
    let Leaves { steps, values, outputs } = tree;
    if steps.len() < 2 {
        return;
    }
    let KernelWorkspace { levels, sums } = workspace;
    levels[0].product = points.weights;
    levels[0].next = child(0);
    levels[0].node = 0;
    sums[..outputs].fill([0.0; L]);
    let (mut i, mut open) = (1, 0);
    while i < steps.len() {
        let step = &steps[i];
        let depth = step.depth as usize;
        while open >= depth {
            close(levels, sums, open, outputs, (out, stride));
            open -= 1;
        }
        let Some(mut level) = entered(step, i as u32, points, levels) else {
            i = step.end as usize;
            continue;
        };
        if step.leaf == u32::MAX {
            level.next = child(i as u32);
            levels[depth] = level;
            sums[depth * outputs..(depth + 1) * outputs].fill([0.0; L]);
            open = depth;
        } else {
            let product = &level.product;
            let all = dot(&level.coefficient, product);
            let above = &mut sums[(depth - 1) * outputs..depth * outputs];
            let own = &values[step.leaf as usize * outputs..][..outputs];
            let to = &mut out[level.feature * stride..][..outputs];
            for ((&value, to), above) in own.iter().zip(to).zip(above) {
                if value != 0.0 {
                    *to += all * value;
                    for k in 0..L {
                        above[k] += value * product[k];
                    }
                }
            }
        }
        i += 1;
    }
    while open > 0 {
        close(levels, sums, open, outputs, (out, stride));
        open -= 1;
    }
}

/// The level of a branch; nothing where no leaf below counts for any set of features.
#[inline(always)]
fn entered<const L: usize>(
    step: &PathStep,
    node: u32,
    points: &Points<L>,
    levels: &[WalkLevel<L>],
) -> Option<WalkLevel<L>> {
    let parent = &levels[step.depth as usize - 1];
    let taken = if parent.next == node {
        1.0
    } else if parent.next == parent.node {
        step.share
    } else {
        0.0
    };
    let before = (step.same > 0).then(|| &levels[step.same as usize]);
    let (one, zero) = (taken * before.map_or(1.0, |b| b.one), step.zero);
    if one == 0.0 && zero == 0.0 {
        return None;
    }
    let Points { early, late, over_late, .. } = points;
    let mut level = WalkLevel { one, feature: step.feature as usize, node, ..*parent };
    if one == 0.0 {
        let over = 1.0 / zero;
        for k in 0..L {
            level.inverse[k] = over_late[k] * over;
            level.gain[k] = -over_late[k];
            level.product[k] *= late[k] * zero;
        }
    } else {
        for k in 0..L {
            let factor = early[k] * one + late[k] * zero;
            level.inverse[k] = 1.0 / factor;
            level.gain[k] = (one - zero) * level.inverse[k];
            level.product[k] *= factor;
        }
    }
    level.coefficient = level.gain;
    if let Some(before) = before {
        for k in 0..L {
            level.product[k] *= before.inverse[k];
            level.coefficient[k] -= before.gain[k];
        }
    }
    Some(level)
}

/// All leaves below a level are summed: what they add to its feature, and to the sums above.
#[inline(always)]
fn close<const L: usize>(
    levels: &[WalkLevel<L>],
    sums: &mut [[f64; L]],
    depth: usize,
    outputs: usize,
    (out, stride): (&mut [f64], usize),
) {
    let level = &levels[depth];
    let (above, own) = sums[(depth - 1) * outputs..].split_at_mut(outputs);
    let to = &mut out[level.feature * stride..][..outputs];
    for ((to, above), own) in to.iter_mut().zip(above).zip(&own[..outputs]) {
        *to += dot(&level.coefficient, own);
        for k in 0..L {
            above[k] += own[k];
        }
    }
}

/// The sum of products, added in halves; the number of lanes is a power of two.
#[inline(always)]
fn dot<const L: usize>(a: &[f64; L], b: &[f64; L]) -> f64 {
    let mut products = [0.0; L];
    for k in 0..L {
        products[k] = a[k] * b[k];
    }
    let mut half = L / 2;
    while half > 0 {
        for k in 0..half {
            products[k] += products[k + half];
        }
        half /= 2;
    }
    products[0]
}
