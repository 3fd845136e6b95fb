//! The pass of one row over one tree, for a few quadrature points at once.
//!
//! A leaf with value u, reached by the shares z_f of the tests of each feature f on its path and by
//! the answers o_f of the row (1, 0, or a share if the value is missing and takes all branches),
//! plays the game v(S) = u prod(f in S) o_f prod(f not in S) z_f. Because |S|! (m - |S| - 1)! / m!
//! is the integral of t^|S| (1 - t)^(m - |S| - 1) over (0, 1), its Shapley values are
//!
//! ```text
//! phi_f = u (o_f - z_f) integral of prod(g != f) (t o_g + (1 - t) z_g) dt,
//! ```
//!
//! a polynomial of degree m - 1 in t, which a rule with ceil(m / 2) points integrates exactly. All
//! terms of the sum have one sign, so nothing cancels. On the way down, a level of the walk has the
//! product over the features above it at each point; on the way up, it sums value * product over
//! its leaves. A branch adds (o - z) / (t o + (1 - t) z) times that sum to the values of its
//! feature, and subtracts what an earlier test of the same feature adds for the same leaves (the
//! scheme of Yu et al., "Linear TreeShap", 2022). O(nodes * points * classes), no recursion.

/// A node of the tree in pre-order, with the branch that leads to it.
#[derive(Debug, Clone, Copy)]
pub struct PathStep {
    /// Number of tests above the node.
    pub depth: u32,
    /// Feature that the parent tests.
    pub feature: u32,
    /// Depth of the nearest node above whose branch tests the same feature, 0 for none.
    pub same: u32,
    /// One past the last node of the subtree.
    pub end: u32,
    /// Number of the leaf, `u32::MAX` for an inner node.
    pub leaf: u32,
    /// Share of the branch in the weight of the parent.
    pub share: f64,
    /// z of the feature: the product of the shares of this branch and of the branches above it on
    /// the same feature. TreeSHAP uses the same name.
    pub zero_fraction: f64,
}

/// At most `L` quadrature points t with their weights; unused lanes have weight 0.
#[derive(Debug, Clone)]
pub struct Points<const L: usize> {
    weights: [f64; L],
    /// t, the factor of an answer o.
    t: [f64; L],
    /// 1 - t, the factor of a share z.
    rest: [f64; L],
    /// 1 / (1 - t).
    inverse_rest: [f64; L],
}

impl<const L: usize> Points<L> {
    /// The points of at most `L` pairs (point, weight). A shorter rule leaves lanes of weight 0,
    /// which add nothing. `rule` must not be longer than `L`, as further pairs would be ignored.
    pub fn new(rule: &[(f64, f64)]) -> Self {
        // an unused lane has some point, and no weight
        let pair = |lane: usize| rule.get(lane).copied().unwrap_or((0.5, 0.0));
        let t: [f64; L] = std::array::from_fn(|lane| pair(lane).0);
        let rest = t.map(|t| 1.0 - t);
        let weights = std::array::from_fn(|lane| pair(lane).1);
        Self { weights, t, rest, inverse_rest: rest.map(|rest| 1.0 / rest) }
    }
}

/// The state of the walk at one depth: the latest branch that was entered there.
#[derive(Debug, Clone, Copy)]
struct WalkLevel<const L: usize> {
    /// Weight of each point x product of the factors of all features above.
    product: [f64; L],
    /// 1 / factor of the branch's feature.
    inverse: [f64; L],
    /// (o - z) / factor of the branch's feature.
    gain: [f64; L],
    /// The value that a leaf below adds to the branch's feature, as a multiple of its product.
    coefficient: [f64; L],
    /// Answer o of the row: the product over the branches of the feature down to here. TreeSHAP
    /// uses the same name.
    one_fraction: f64,
    /// Feature of the branch.
    feature: usize,
    /// The node to which the branch leads.
    node: u32,
    /// The child that the row goes to; the node itself if it takes all branches.
    next: u32,
}

/// Memory of a walk, used again for the next row.
#[derive(Debug)]
pub struct KernelWorkspace<const L: usize> {
    /// The state of the walk at each depth.
    levels: Vec<WalkLevel<L>>,
    /// Sums of value * product over the leaves below a level: `sums[depth * outputs + output]`.
    sums: Vec<[f64; L]>,
}

impl<const L: usize> KernelWorkspace<L> {
    /// Memory for trees of at most this depth, with this number of values per leaf. It has a level
    /// for the root and one per test of the longest path, and is used again for every row.
    pub fn new(depth: usize, outputs: usize) -> Self {
        let level = WalkLevel {
            product: [0.0; L],
            inverse: [0.0; L],
            gain: [0.0; L],
            coefficient: [0.0; L],
            one_fraction: 1.0,
            feature: 0,
            node: 0,
            next: 0,
        };
        Self { levels: vec![level; depth + 1], sums: vec![[0.0; L]; (depth + 1) * outputs] }
    }
}

/// The tree of a pass, in the form that the kernel reads.
#[derive(Debug, Clone, Copy)]
pub struct PathTree<'a> {
    /// Nodes in pre-order.
    pub steps: &'a [PathStep],
    /// Values of the leaves, `outputs` per leaf.
    pub values: &'a [f64],
    /// Number of values per leaf.
    pub outputs: usize,
}

/// Add the part of these points to the values of a row, `out[feature * stride + output]`. `child`
/// returns the child of an inner node that the row goes to, or the node itself if it takes all
/// branches.
pub fn add_row<const L: usize>(
    tree: PathTree<'_>,
    points: &Points<L>,
    workspace: &mut KernelWorkspace<L>,
    child: impl Fn(u32) -> u32,
    (out, stride): (&mut [f64], usize),
) {
    let PathTree { steps, values, outputs } = tree;
    if steps.len() < 2 {
        return;
    }
    let KernelWorkspace { levels, sums } = workspace;
    levels[0].product = points.weights;
    levels[0].next = child(0);
    levels[0].node = 0;
    sums[..outputs].fill([0.0; L]);
    // `open` is the depth of the deepest level whose leaves are still being summed
    let (mut i, mut open) = (1, 0);
    while i < steps.len() {
        // leave the subtrees that end before this node
        let step = &steps[i];
        let depth = step.depth as usize;
        while open >= depth {
            leave_level(levels, sums, open, outputs, (out, stride));
            open -= 1;
        }
        let Some(mut level) = enter_branch(step, i as u32, points, levels) else {
            i = step.end as usize; // skip the subtree
            continue;
        };
        if step.leaf == u32::MAX {
            level.next = child(i as u32);
            levels[depth] = level;
            sums[depth * outputs..(depth + 1) * outputs].fill([0.0; L]);
            open = depth;
        } else {
            // a leaf: add to its feature and to the sums of the parent
            let product = &level.product;
            let integral = dot(&level.coefficient, product);
            let above = &mut sums[(depth - 1) * outputs..depth * outputs];
            let of_leaf = &values[step.leaf as usize * outputs..][..outputs];
            let of_feature = &mut out[level.feature * stride..][..outputs];
            for ((&value, total), above) in of_leaf.iter().zip(of_feature).zip(above) {
                if value != 0.0 {
                    *total += integral * value;
                    for k in 0..L {
                        above[k] += value * product[k];
                    }
                }
            }
        }
        i += 1;
    }
    while open > 0 {
        leave_level(levels, sums, open, outputs, (out, stride));
        open -= 1;
    }
}

/// The level after entering the branch of a step to its node; `levels` are the levels above it.
/// `None` if no leaf below has weight for any set of features.
#[inline(always)]
fn enter_branch<const L: usize>(
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
    // the answer and the share over all branches of the feature so far
    let before = (step.same > 0).then(|| &levels[step.same as usize]);
    let one = taken * before.map_or(1.0, |before| before.one_fraction);
    let zero = step.zero_fraction;
    if one == 0.0 && zero == 0.0 {
        return None;
    }
    let Points { t, rest, inverse_rest, .. } = points;
    // the factor t o + (1 - t) z of the feature at each point
    let mut level =
        WalkLevel { one_fraction: one, feature: step.feature as usize, node, ..*parent };
    if one == 0.0 {
        let inverse_zero = 1.0 / zero;
        for k in 0..L {
            level.inverse[k] = inverse_rest[k] * inverse_zero;
            level.gain[k] = -inverse_rest[k];
            level.product[k] *= rest[k] * zero;
        }
    } else {
        for k in 0..L {
            let factor = t[k] * one + rest[k] * zero;
            level.inverse[k] = 1.0 / factor;
            level.gain[k] = (one - zero) * level.inverse[k];
            level.product[k] *= factor;
        }
    }
    // an earlier branch of the feature is replaced by this one
    level.coefficient = level.gain;
    if let Some(before) = before {
        for k in 0..L {
            level.product[k] *= before.inverse[k];
            level.coefficient[k] -= before.gain[k];
        }
    }
    Some(level)
}

/// Leave the level of a depth, whose leaves are all summed: add to the values of its feature, and
/// to the sums of the level above.
#[inline(always)]
fn leave_level<const L: usize>(
    levels: &[WalkLevel<L>],
    sums: &mut [[f64; L]],
    depth: usize,
    outputs: usize,
    (out, stride): (&mut [f64], usize),
) {
    let level = &levels[depth];
    let (above, here) = sums[(depth - 1) * outputs..].split_at_mut(outputs);
    let of_feature = &mut out[level.feature * stride..][..outputs];
    for ((total, above), here) in of_feature.iter_mut().zip(above).zip(&here[..outputs]) {
        *total += dot(&level.coefficient, here);
        for k in 0..L {
            above[k] += here[k];
        }
    }
}

/// Dot product, added pairwise; the number of lanes is a power of two.
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
