//! Counts of the code paths ("ways") of growth, by which tests prove that their cases reach each
//! path.
//!
//! Several paths lead to the same result, by the form of a node's rows, of its candidates and of
//! scoring. Each calls [`count`] once per node, feature or block, never per row, and [`counts`] has
//! the numbers since the process began. Builds without debug assertions (the release build) have no
//! counters, and [`count`] is empty there. The counts serve neither to choose a path nor to measure
//! one.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

/// Declares [`Way`] from lists of variant, name in [`counts`], and description.
macro_rules! ways {
    ($($way:ident $name:literal $text:literal),* $(,)?) => {
        /// A code path of growth.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Way {
            $(#[doc = $text] $way,)*
        }

        #[cfg(debug_assertions)]
        const WAYS: [(Way, &str); [$($name),*].len()] = [$((Way::$way, $name)),*];
    };
}

ways! {
    // Rows of a node.
    Ranges "rows/ranges" "A node on ranges of sorted orders.",
    SortedInNode "rows/sorted in the node" "A feature that a node of ranges has drawn.",
    BitPlanes "rows/bit planes" "A node on bit planes of nominal features.",
    Fractions "rows/fractions" "A node to which rows belong with a fraction of their weight.",
    Tasks "rows/tasks" "A tree whose subtrees are grown as tasks of their own.",
    WideNode "rows/wide node" "A node whose features are divided among threads.",
    BestFirst "rows/best first" "Leaves that are split in the order of their improvement.",
    // Thresholds of sorted rows.
    WalkCounted "walk/counted" "Thresholds of unit rows of few classes, counted by class.",
    WalkWeighed "walk/weighed" "Thresholds of rows with fixed-point weights.",
    WalkBoxes "walk/boxes" "Boxes of places that a bound excludes.",
    WalkAny "walk/any classes" "Thresholds whose tables are written one after the other.",
    Running "walk/running" "Thresholds scored from running sums over the classes.",
    ShortSums "bytes/sums" "Byte orders of at most 64 rows, sums over the classes.",
    WalkNumbers "walk/numbers" "Thresholds of rows or copies, by the means of a numeric target.",
    WalkNumbersWeighed "walk/numbers, weights" "`WalkNumbers` of rows with other weights.",
    GroupsNumbers "groups/numbers" "Cuts between bins, by the means of a numeric target.",
    ShortNumbers "bytes/numbers" "Byte orders of at most 64 rows, by means.",
    ShortNumbersTogether "bytes/numbers, winner" "`ShortNumbers` of all features side by side.",
    Drawn "candidates/drawn" "The one threshold, or division of levels, that the splitter drew.",
    C45Blocks "c45/blocks" "C4.5's thresholds in blocks.",
    C45Runs "c45/runs" "C4.5's thresholds run by run.",
    // Levels of nominal features.
    Multiway "levels/multiway" "A branch for each level.",
    SubsetMasks "levels/masks" "All divisions of the levels in two.",
    SubsetOrder "levels/one by one" "One level against the others, or cuts of an order of levels.",
    MergedLevels "levels/merged" "A branch for each group of merged levels.",
    // Use of a block of tables.
    Screened "block/screened" "Quick scores with a bound on their error, then exact ones.",
    Scored "block/scored" "The formula for every table.",
    Gathered "block/gathered" "Tables that a user's function gets in one call.",
    // Codes.
    GroupsCounted "codes/groups of counters" "Occupied codes of a feature, read from counters.",
    GroupsSorted "codes/groups of sorted keys" "Occupied codes of a feature of a small node.",
    CountersBlock "codes/counters, block" "All cuts of a counted node in one block.",
    CountersWords "codes/counters, words" "All cuts of a counted node of two classes, as words.",
    MasksBlock "codes/masks, block" "All cuts of at most 64 rows in one block.",
    ClassSums "block/class sums" "A block of cuts scored by sums over the classes.",
    CountersKept "codes/counters kept" "The parent's counters less those of the other children.",
    // Growth by the table of the whole tree.
    GlobalRows "global/rows of labels" "Distances as sums over labels.",
    GlobalTables "global/tables" "Distances of a table for each candidate.",
    // Encodings of the training rows.
    FitNumbers "fit/numbers" "A tree on codes of the numbers of an array.",
    FitTable "fit/codes of a table" "A tree, or a tree of a forest, on codes of a data set.",
    FitRounded "fit/rounded numbers" "Numbers rounded to their bins.",
}

#[cfg(debug_assertions)]
static COUNTS: [AtomicU64; WAYS.len()] = [const { AtomicU64::new(0) }; WAYS.len()];

/// Count a use of a path, by one relaxed atomic addition. Call it once per node, feature or block,
/// before the work that the path stands for; in release builds it compiles to nothing.
#[inline(always)]
pub fn count(way: Way) {
    #[cfg(debug_assertions)]
    COUNTS[way as usize].fetch_add(1, Ordering::Relaxed);
    #[cfg(not(debug_assertions))]
    let _ = way;
}

/// The number of uses of each path since the process began, by its name. The vector is empty in
/// builds that do not count, which is how tests know that they cannot check the paths.
pub fn counts() -> Vec<(&'static str, u64)> {
    #[cfg(debug_assertions)]
    return WAYS
        .iter()
        .map(|&(way, name)| (name, COUNTS[way as usize].load(Ordering::Relaxed)))
        .collect();
    #[cfg(not(debug_assertions))]
    return Vec::new();
}
