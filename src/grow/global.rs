//! Global growth: the leaf, split and labels that bring the tree as a whole nearest to the classes.
//!
//! Spaeh & Kosub, *Global Evaluation for Decision Tree Learning* (2022), algorithm 3: every impure leaf, every valid
//! split and every admitted labelling of the new leaves is a candidate tree; the one whose clustering of all rows by
//! predicted label has the smallest distance to the classes is the next tree. The distance is the criterion's own,
//! read from the table "label x class" of all rows. Ties: smaller distance of the split on the leaf's own table,
//! then the leaf created first, the lower feature, the lower threshold, the lower labels. The root
//! starts with label 0; a pure leaf is never split, so with labels other than majorities a finished tree
//! may contradict its rows. `Glocal` (section 4) takes a global step while it lowers the global distance, otherwise the
//! step that best-first local growth would take.
//!
//! The candidates of a leaf are collected once ([`global_leaf`](super::global_leaf)) and rescored when the table has
//! changed ([`global_score`](super::global_score)); a step that leaves the table as it was rescores only the two new
//! leaves. O(candidates x classes^2) a step at worst: hundreds of thousands of rows are better grown locally. Nothing
//! depends on the number of threads: each leaf's best is found on its own, then compared.

use super::evaluate::{Look, Tools, shuffled};
use super::global_leaf::{Collector, Group, LocalBest, majority};
use super::global_score::{self, Best, Scratch, View};
use super::ground::{Buffers, Extent, Ground, Place};
use super::local::{Pending, Worker};
use super::{Decay, EmptyBranch, Evaluation, Labels, Setting, check};
use crate::criteria::{Context, Criterion};
use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::numeric::{Logs, Ties, mix};
use crate::parallel::{self, Control};
use crate::split::{Choice, NominalSplits};
use crate::stats::contingency::{Code, Tally};
use crate::stats::{FixedWeights, IntegerWeights, Sum, UnitWeights, Weighing};
use crate::tree::{NONE, Tree};

/// Candidates below which leaves are rescored by one thread.
const WORTH_THREADS: usize = 1 << 14;

/// Grow a tree; also the global distance that growth kept after each step.
pub fn grow(
    data: &Dataset,
    setting: &Setting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    check(&setting.limits)?;
    refuse_many_branches(data, setting)?;
    match weights {
        Weights::Unit if setting.criterion.joined() => {
            with_weights(data, setting, rows, RealCopies(None), control)
        }
        Weights::Integer(w) if setting.criterion.joined() => {
            with_weights(data, setting, rows, RealCopies(Some(w)), control)
        }
        Weights::Unit => with_weights(data, setting, rows, UnitWeights, control),
        Weights::Integer(w) => with_weights(data, setting, rows, IntegerWeights(w), control),
        Weights::Fixed { values, shift } => {
            let unit = f64::powi(2.0, -shift);
            with_weights(data, setting, rows, FixedWeights { values, unit }, control)
        }
    }
}

/// Copies of rows, summed as reals: what a user's criterion reads.
#[derive(Debug, Clone, Copy)]
struct RealCopies<'a>(Option<&'a [u32]>);

impl Weighing for RealCopies<'_> {
    type Sum = i64;
    const UNIT: bool = false;
    const COPIES: bool = true;
    fn of(&self, row: u32) -> i64 {
        self.0.map_or(1, |w| i64::from(w[row as usize]))
    }
    fn unit(&self) -> f64 {
        1.0
    }
}

/// Labels of two new leaves can be chosen; those of more would be exponentially many.
fn refuse_many_branches(data: &Dataset, setting: &Setting<'_>) -> Result<()> {
    if setting.labels == Labels::Majority {
        return Ok(());
    }
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        let (branches, missing) = match column {
            Column::Numeric(c) => (2, c.n_missing() > 0),
            Column::Nominal(c) if setting.nominal_splits == NominalSplits::Multiway => {
                (c.levels(), c.n_missing() > 0)
            }
            Column::Nominal(c) => (2, c.n_missing() > 0),
        };
        let branches = branches + usize::from(missing);
        if branches > 2 {
            let with = if missing { ", one of them for missing values" } else { "" };
            return Err(Error::Data(format!(
                "column '{}' splits into {branches} branches{with}, but labels='all' and 'distinct' choose the labels of \
                 two new leaves; use labels='majority', \
                 nominal_splits='subset', numeric codes (thresholds), or missing='mode'",
                feature.name
            )));
        }
    }
    Ok(())
}

fn with_weights<W: Weighing>(
    data: &Dataset,
    setting: &Setting<'_>,
    rows: &RowSet,
    weights: W,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    let ground = Ground::new(data, setting, rows, weights);
    if Ground::<W>::narrow(data) {
        with_codes::<u8, W>(&ground, rows, control)
    } else {
        with_codes::<u32, W>(&ground, rows, control)
    }
}

fn with_codes<C: Code, W: Weighing>(
    ground: &Ground<'_, W>,
    rows: &RowSet,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    let mut buffers = Buffers::<C>::new(ground, rows, control)?;
    let field = buffers.field();
    let sums = ground.sums(rows.rows().iter().copied());
    let drafts = super::draft::Drafts::new(&sums, rows.len() as u32, mix(ground.setting.seed, 0), 0);
    let labelled = ground.setting.criterion.labelled();
    let criterion = labelled.as_deref().unwrap_or(ground.setting.criterion);
    let k = sums.len();
    let mut table = vec![W::Sum::default(); k * k];
    table[..k].copy_from_slice(&sums);
    let unit = ground.weights.unit();
    let mut growth = Growth {
        worker: Worker::new(ground, field, drafts),
        tools: Tools::default(),
        criterion,
        totals: sums.iter().map(|s| s.cell(unit)).collect(),
        rows_of: vec![0],
        table,
        version: 0,
        current: 0.0,
        leaves: Vec::new(),
    };
    growth.worker.drafts.labels = vec![majority(growth.totals.iter().copied()).map_or(0, i32::from)];
    let whole = Extent { start: 0, len: rows.len(), buffer: 0 };
    let kept = growth.run(whole, control)?;
    Ok((growth.worker.drafts.finish(unit, ground.setting.empty_branch), kept))
}

/// A leaf that may be split.
struct Leaf<C> {
    node: u32,
    extent: Extent,
    counts: Vec<C>,
    groups: Vec<Group<C>>,
    candidates: usize,
    local: Option<LocalBest>,
    /// The best candidate, and for which table it was found.
    best: Option<Best>,
    seen: Option<u64>,
}

/// A step to be made.
struct Step {
    leaf: usize,
    feature: u32,
    at: u32,
    /// Labels of the branches; nothing: majorities.
    labels: Option<Vec<u16>>,
}

type Cell<W> = <<W as Weighing>::Sum as Sum>::Cell;

struct Growth<'n, 'f, C, W: Weighing> {
    worker: Worker<'n, 'f, C, W>,
    tools: Tools<W::Sum>,
    criterion: &'n dyn Criterion,
    totals: Vec<Cell<W>>,
    /// Row of the table in which a node's rows are counted.
    rows_of: Vec<u16>,
    /// `[label * classes + class]` of all rows.
    table: Vec<W::Sum>,
    version: u64,
    current: f64,
    /// In the order of their birth.
    leaves: Vec<Leaf<Cell<W>>>,
}

impl<C: Code, W: Weighing> Growth<'_, '_, C, W> {
    fn run(&mut self, whole: Extent, control: &Control) -> Result<Vec<f64>> {
        let setting = self.worker.ground.setting;
        let limit = setting.limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let (mut leaves, mut kept) = (1, Vec::new());
        self.measure()?;
        if !self.worker.is_finished(0) {
            self.open(0, whole, control)?;
        }
        while leaves < limit {
            control.check()?;
            // Each branch beyond the first is one more leaf.
            let branches = (limit - leaves).saturating_add(1);
            self.refresh(branches, control)?;
            let Some(step) = self.choose(branches) else { break };
            let before = self.worker.drafts.nodes.len();
            self.make(step, kept.len() as u32, control)?;
            leaves += self.worker.drafts.nodes.len() - before - 1;
            kept.push(self.current);
        }
        Ok(kept)
    }

    fn unit(&self) -> f64 {
        self.worker.ground.weights.unit()
    }

    /// Compute the distance of the present table.
    fn measure(&mut self) -> Result<()> {
        let unit = self.unit();
        let cells: Vec<Cell<W>> = self.table.iter().map(|s| s.cell(unit)).collect();
        let context = &self.worker.ground.setting.context;
        let mut out = [0.0];
        global_score::distances(self.criterion, context, &self.totals, &cells, 1, &mut out)?;
        self.current = out[0] + 0.0;
        Ok(())
    }

    fn look<'l>(worker: &'l Worker<'_, '_, C, W>, node: u32, extent: Extent) -> Look<'l, 'l, C, W> {
        Look {
            ground: worker.ground,
            field: &worker.field,
            extent,
            totals: worker.drafts.sums(node as usize),
            key: worker.drafts.nodes[node as usize].key,
            every: true,
        }
    }

    /// Collect the candidates of a leaf; one without any is forgotten.
    fn open(&mut self, node: u32, extent: Extent, control: &Control) -> Result<()> {
        let (ground, unit) = (self.worker.ground, self.unit());
        let setting = ground.setting;
        let look = Self::look(&self.worker, node, extent);
        let counts: Vec<Cell<W>> = look.totals.iter().map(|s| s.cell(unit)).collect();
        let rank = |feature: u32, at: u32| {
            let place = u64::from(feature) << 32;
            match setting.ties {
                Ties::First => place | u64::from(at),
                Ties::Row => place | u64::from(look.first_row(feature, at)),
                Ties::Random => mix(mix(setting.seed, look.key), place | u64::from(at)),
            }
        };
        let glocal = setting.evaluation == Evaluation::Glocal;
        let how = [setting.labels == Labels::Majority, glocal];
        let fallback = majority(counts.iter().copied()).unwrap_or(0);
        let mut found = Collector::new(setting.criterion, &rank, how, fallback, counts.len());
        let tally = look.tally(&mut self.tools);
        let p = ground.data.columns().len();
        match setting.max_features {
            Some(m) if m < p => {
                // As scikit-learn: look further until one feature has a valid split.
                let drawn = shuffled(p, mix(setting.seed, look.key));
                let (mut from, mut to) = (0, m.max(1));
                while found.groups.is_empty() && from < p {
                    let wanted = |f: u32| drawn[from..to].contains(&f) && look.is_large_enough(f);
                    look.offer_all(&tally, wanted, &mut self.tools, &mut found, control)?;
                    (from, to) = (to, (to + 1).min(p));
                }
            }
            _ => look.offer_all(&tally, |f| look.is_large_enough(f), &mut self.tools, &mut found, control)?,
        }
        let (groups, mut local) = found.finish();
        if let Some(b) = local {
            let before = || look.table_distance(look.totals, 1);
            if !setting.limits.accept(b.score, b.distance, before)? {
                local = None;
            }
        }
        self.tools.recycle(tally);
        let candidates = groups.iter().map(Group::len).sum();
        if candidates > 0 {
            self.leaves.push(Leaf {
                node,
                extent,
                counts,
                groups,
                candidates,
                local,
                best: None,
                seen: None,
            });
        }
        Ok(())
    }

    /// Find the best candidate of each leaf again where the table has changed or the best has too many branches.
    fn refresh(&mut self, branches: usize, control: &Control) -> Result<()> {
        let setting = self.worker.ground.setting;
        let (unit, k) = (self.unit(), self.totals.len());
        let (table, totals, rows_of) = (&self.table, &self.totals, &self.rows_of);
        let (criterion, version, current) = (self.criterion, self.version, self.current);
        let stale = |leaf: &Leaf<Cell<W>>| {
            leaf.seen != Some(version) || leaf.best.as_ref().is_some_and(|b| b.labels.len() > branches)
        };
        let sums = &self.worker.drafts;
        let work: usize = self.leaves.iter().filter(|l| stale(l)).map(|l| l.candidates).sum();
        let rescore = |leaf: &mut Leaf<Cell<W>>, scratch: &mut Scratch<Cell<W>>| {
            let label = rows_of[leaf.node as usize];
            let mut others = table.clone();
            let row = &mut others[label as usize * k..(label as usize + 1) * k];
            row.iter_mut().zip(sums.sums(leaf.node as usize)).for_each(|(cell, &s)| *cell = cell.minus(s));
            let others: Vec<Cell<W>> = others.iter().map(|s| s.cell(unit)).collect();
            let view = View {
                criterion,
                context: &setting.context,
                ties: setting.ties,
                choice: setting.labels,
                totals,
                others: &others,
                leaf: &leaf.counts,
                label,
                current,
                branches,
            };
            leaf.best = view.best(&leaf.groups, scratch, control)?;
            leaf.seen = Some(version);
            Ok(())
        };
        if control.threads() > 1 && work > WORTH_THREADS && !criterion.joined() {
            parallel::for_each_mut(control, &mut self.leaves, |_, leaf| {
                if stale(leaf) { rescore(leaf, &mut Scratch::default()) } else { Ok(()) }
            })
        } else {
            let mut scratch = Scratch::default();
            self.leaves.iter_mut().filter(|l| stale(l)).try_for_each(|leaf| rescore(leaf, &mut scratch))
        }
    }

    /// The next step, or nothing when growth ends.
    fn choose(&self, branches: usize) -> Option<Step> {
        let setting = self.worker.ground.setting;
        let place = |leaf: &Leaf<Cell<W>>| (setting.ties != Ties::Random).then_some(leaf.node);
        let best = self
            .leaves
            .iter()
            .enumerate()
            .filter_map(|(i, leaf)| leaf.best.as_ref().map(|best| (i, leaf, best)))
            .min_by(|a, b| a.2.order(place(a.1), b.2, place(b.1)));
        let (i, _, best) = best?;
        let better = match (setting.evaluation, setting.limits.no_distance_decay) {
            (Evaluation::Glocal, _) | (_, Decay::Strict) => best.global < self.current,
            (_, Decay::Stop) => best.global <= self.current,
            (_, Decay::Ignore) => true,
        };
        if better {
            let (feature, at) = (best.feature, best.at);
            return Some(Step { leaf: i, feature, at, labels: Some(best.labels.clone()) });
        }
        if setting.evaluation != Evaluation::Glocal {
            return None;
        }
        let locals =
            self.leaves.iter().enumerate().filter_map(|(i, leaf)| leaf.local.map(|b| (i, leaf.node, b)));
        let local = locals
            .filter(|l| l.2.branches <= branches)
            .min_by(|a, b| a.2.distance.total_cmp(&b.2.distance).then(a.1.cmp(&b.1)));
        local.map(|(leaf, _, b)| Step { leaf, feature: b.feature, at: b.at, labels: None })
    }

    /// Make a step: the leaf's children are born and labelled, the table follows.
    fn make(&mut self, step: Step, number: u32, control: &Control) -> Result<()> {
        let leaf = self.leaves.remove(step.leaf);
        let (node, k) = (leaf.node as usize, self.totals.len());
        let look = Self::look(&self.worker, leaf.node, leaf.extent);
        let tally = match look.ground.place(step.feature) {
            Place::Numeric(_) => Tally::default(),
            Place::Nominal(_) => look.tally(&mut self.tools),
        };
        let (sums, _) = look.branches(step.feature, step.at, &tally);
        let mut score = [0.0];
        look.one_table(&sums, sums.len() / k, |t| look.ground.setting.criterion.score(t, &mut score))?;
        let choice = Choice { feature: step.feature, at: step.at, score: score[0] };
        let chosen = look.chosen(choice, &tally)?;
        self.tools.recycle(tally);

        let before = self.table.clone();
        let old = self.rows_of[node] as usize;
        for (cell, &s) in self.table[old * k..].iter_mut().zip(self.worker.drafts.sums(node)) {
            *cell = cell.minus(s);
        }
        let unit = self.unit();
        let parent = majority(leaf.counts.iter().copied()).unwrap_or(0);
        for (b, (branch, &size)) in chosen.sums.chunks_exact(k).zip(&chosen.sizes).enumerate() {
            let label = match &step.labels {
                Some(labels) => labels[b],
                None => majority(branch.iter().map(|s| s.cell(unit))).unwrap_or(parent),
            };
            for (cell, &s) in self.table[label as usize * k..].iter_mut().zip(branch) {
                *cell = cell.plus(s);
            }
            self.rows_of.push(label);
            let nothing = size == 0 && self.worker.ground.setting.empty_branch == EmptyBranch::Unclassified;
            self.worker.drafts.labels.push(if nothing { -1 } else { i32::from(label) });
        }
        if self.table != before {
            self.version += 1;
            self.measure()?;
        }
        let pending = Pending { node: leaf.node, extent: leaf.extent, tally: None, pairs: None };
        for child in self.worker.split(pending, &chosen, number) {
            if let Some(tally) = child.tally {
                self.tools.recycle(tally);
            }
            self.open(child.node, child.extent, control)?;
        }
        Ok(())
    }
}

/// Whether the children of every node add up to it: then no table of labels exceeds the root. (Not so in a model file that
/// somebody wrote by hand; its tables are added up as real numbers.)
fn keeps_every_row(tree: &Tree) -> bool {
    (0..tree.nodes.len()).all(|node| {
        let children = tree.children(node);
        children.is_empty()
            || (0..tree.classes).all(|c| {
                let sum: f64 = children.iter().map(|&child| tree.counts(child as usize)[c]).sum();
                sum == tree.counts(node)[c]
            })
    })
}

/// Distance of the whole tree to the classes after each of its steps, computed from the nodes alone.
///
/// The table "label x class" starts with all rows in the row of label 0. Any tree will do, grown locally or globally;
/// a criterion that reads labels otherwise ([`Criterion::labelled`]) does so here. O(steps x classes^2).
pub fn distances(tree: &Tree, criterion: &dyn Criterion) -> Result<Vec<f64>> {
    const BLOCK: usize = 256;
    let labelled = criterion.labelled();
    let joined = criterion.joined();
    let criterion = labelled.as_deref().unwrap_or(criterion);
    let k = tree.classes;
    let totals = tree.counts(0).to_vec();
    let sum: f64 = totals.iter().sum();
    let whole = !joined
        && sum < f64::from(u32::MAX)
        && tree.counts.iter().all(|c| c.fract() == 0.0)
        && keeps_every_row(tree);
    let context = Context {
        logs: Logs::up_to(sum as u64),
        classes: k,
        occurring: totals.iter().map(|&t| t > 0.0).collect(),
    };
    let mut table = vec![0.0; k * k];
    table[..k].copy_from_slice(&totals);
    let row = |node: u32| if node == 0 { 0 } else { tree.nodes[node as usize].label };
    let add = |table: &mut [f64], node: u32, sign: f64| {
        if let Ok(label) = usize::try_from(row(node)) {
            let cells = table[label * k..(label + 1) * k].iter_mut();
            cells.zip(tree.counts(node as usize)).for_each(|(cell, &c)| *cell += sign * c);
        }
    };
    let steps = tree.steps();
    let mut out = Vec::with_capacity(steps.len());
    for block in steps.chunks(BLOCK) {
        let n = block.len();
        let mut cells = vec![0.0; k * k * n];
        for (j, &node) in block.iter().enumerate() {
            debug_assert_ne!(tree.nodes[node as usize].step, NONE);
            add(&mut table, node, -1.0);
            tree.children(node as usize).iter().for_each(|&child| add(&mut table, child, 1.0));
            for (i, &cell) in table.iter().enumerate() {
                cells[i * n + j] = cell;
            }
        }
        let mut found = vec![0.0; n];
        if whole {
            let rows = |x: &[f64]| x.iter().map(|&c| c as u32).collect::<Vec<u32>>();
            global_score::distances(criterion, &context, &rows(&totals), &rows(&cells), n, &mut found)?;
        } else {
            global_score::distances::<f64>(criterion, &context, &totals, &cells, n, &mut found)?;
        }
        out.extend(found.iter().map(|d| d + 0.0));
    }
    Ok(out)
}
