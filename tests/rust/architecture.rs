//! The order of the rooms: who may use whom, where Python and unsafe code live, and that every file
//! says what it is.
//!
//! Read from the sources as text: `crate::<room>` outside comments and outside `#[cfg(test)]` is a
//! use of that room.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An importer uses strictly lower ranks, or its own room. Tens are the stages; two rooms stand
/// between: `data` is encoded and sorted by the threads of `parallel`, `inspect` asks the plan of
/// `fit`, `memory` knows the errors and is known to `numeric` and `parallel`, `json` looks for its
/// cancel.
const RANKS: [(&str, u32); 29] = [
    ("error", 0),
    ("reached", 0),
    ("simd", 0),
    ("memory", 5),
    ("options", 5),
    ("numeric", 7),
    ("parallel", 10),
    ("read", 10),
    ("json", 12),
    ("data", 15),
    ("tree", 20),
    ("stats", 20),
    ("bins", 25),
    ("model", 30),
    ("discretize", 30),
    ("bayes", 30),
    ("networks", 35),
    ("predict", 40),
    ("store", 40),
    ("criteria", 40),
    ("exact", 50),
    ("explain", 50),
    ("split", 50),
    ("grow", 60),
    ("prune", 60),
    ("fit", 70),
    ("inspect", 75),
    ("resample", 80),
    ("bindings", 90),
];

/// The roots of the crates: lists of their rooms.
const ROOTS: [&str; 5] = ["lib", "learners", "trees", "counts", "base"];

/// What a saved model needs, and all that these rooms may use.
const MODEL_WING: [&str; 5] = ["tree", "model", "predict", "explain", "store"];
const GROUND: [&str; 7] = ["error", "numeric", "simd", "memory", "parallel", "json", "data"];

mod rings;

struct Source {
    path: PathBuf,
    room: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(&root).unwrap();
                let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
                let room = first.trim_end_matches(".rs").to_string();
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(Source { path, room, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 40);
    found
}

/// Lines without comments and without items that are compiled for tests only, wherever these stand;
/// an item ends where rustfmt closes it, in the column where it began.
fn lines_of_code(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((i, line)) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if !is_for_tests(line) {
            found.push((i + 1, line.split("//").next().unwrap_or("")));
            continue;
        }
        let mut item = lines.find(|(_, line)| !line.trim_start().starts_with("#["));
        while let Some((_, line)) = item {
            let at = line.len() - line.trim_start().len();
            let end = line.trim_end().ends_with([';', '}']);
            if at <= indent && end {
                break;
            }
            item = lines.next();
        }
    }
    found
}

fn is_for_tests(line: &str) -> bool {
    line.trim().starts_with("#[cfg(test)]") || line.trim().starts_with("#[cfg(all(test")
}

/// Whether a file is a module that its parent compiles for tests only.
fn is_test_file(path: &Path) -> bool {
    let (Some(name), Some(folder)) = (path.file_stem().and_then(|n| n.to_str()), path.parent())
    else {
        return false;
    };
    let parents = [folder.join("mod.rs"), folder.with_extension("rs"), folder.join("lib.rs")];
    parents.iter().filter_map(|p| std::fs::read_to_string(p).ok()).any(|text| {
        let lines: Vec<&str> = text.lines().collect();
        let declared = format!("mod {name};");
        lines.windows(2).any(|two| is_for_tests(two[0]) && two[1].trim() == declared)
    })
}

/// The code of a file.
fn code(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let lines = if is_test_file(&source.path) { Vec::new() } else { lines_of_code(&source.text) };
    lines.into_iter()
}

#[test]
fn tests_in_the_middle_of_a_file_hide_nothing_behind_them() {
    let text = "use a;\n#[cfg(test)]\nmod tests;\nuse b; // c\nimpl X {\n    #[cfg(test)]\n    \
                #[must_use]\n    pub fn t(\n        x: u8,\n    ) -> u8 {\n        if x { 1 }\n    \
                }\n    fn d() {}\n}\n\
                #[cfg(test)]\nmod more {\n    use e;\n}\nuse f;";
    let seen: Vec<&str> = lines_of_code(text).into_iter().map(|(_, line)| line.trim()).collect();
    assert_eq!(seen, ["use a;", "use b;", "impl X {", "fn d() {}", "}", "use f;"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/simd");
    assert!(is_test_file(&root.join("twins.rs")) && !is_test_file(&root.join("mod.rs")));
}

fn uses(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in code(source) {
        for part in text.split("crate::").skip(1) {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            let names: Vec<&str> = if part.starts_with('{') {
                part.trim_matches(['{', '}', ';'])
                    .split(',')
                    .map(|n| n.trim().split(':').next().unwrap_or(""))
                    .collect()
            } else {
                vec![&part[..end]]
            };
            found
                .extend(names.into_iter().filter(|n| !n.is_empty()).map(|n| (line, n.to_string())));
        }
    }
    found
}

#[test]
fn rooms_use_lower_ranks_only() {
    let ranks: BTreeMap<_, _> = RANKS.into_iter().collect();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for source in sources().iter().filter(|s| !ROOTS.contains(&s.room.as_str())) {
        let Some(&own) = ranks.get(source.room.as_str()) else {
            wrong.push(format!("{}: room {} has no rank", source.path.display(), source.room));
            continue;
        };
        for (line, other) in uses(source) {
            seen += 1;
            match ranks.get(other.as_str()) {
                _ if other == source.room => {}
                Some(&rank) if rank < own => {}
                Some(&rank) => wrong.push(format!(
                    "{}:{line}: {} (rank {own}) uses {other} (rank {rank})",
                    source.path.display(),
                    source.room
                )),
                None => {
                    wrong.push(format!("{}:{line}: {other} has no rank", source.path.display()))
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} uses were read");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_model_wing_never_uses_the_learning_wing() {
    for source in sources().iter().filter(|s| MODEL_WING.contains(&s.room.as_str())) {
        for (line, other) in uses(source) {
            let known = MODEL_WING.contains(&other.as_str()) || GROUND.contains(&other.as_str());
            assert!(known, "{}:{line} uses {other}", source.path.display());
        }
    }
}

#[test]
fn pruning_never_uses_growth_and_growth_knows_no_criterion_by_name() {
    for source in sources() {
        if source.room == "prune" {
            assert!(
                uses(&source).iter().all(|(_, other)| other != "grow"),
                "{}",
                source.path.display()
            );
        }
        if source.room == "grow" || source.room == "split" {
            for (line, text) in code(&source) {
                let named = ["gini", "jaccard", "f_measure", "mantaras", "chi2", "hellinger"];
                let text = text.to_lowercase();
                assert!(
                    !named.iter().any(|n| text.contains(n)),
                    "{}:{line}: {text}",
                    source.path.display()
                );
            }
        }
    }
}

#[test]
fn python_lives_in_the_bindings() {
    for source in sources().iter().filter(|s| s.room != "bindings") {
        for (line, text) in code(source) {
            for word in ["pyo3", "pythonize", "numpy::", "Python<", "PyErr"] {
                assert!(!text.contains(word), "{}:{line}: {text}", source.path.display());
            }
        }
    }
}

#[test]
fn unsafe_code_lives_in_simd_and_the_allocator_and_says_why_it_is_safe() {
    let mut blocks = 0;
    for source in sources() {
        let lines: Vec<&str> = source.text.lines().collect();
        for (line, text) in code(&source) {
            let opens = text.contains("unsafe {")
                || text.contains("unsafe impl")
                || text.contains("unsafe fn");
            if !opens {
                continue;
            }
            let allocator = source.path.ends_with("src/memory/allocator.rs");
            assert!(source.room == "simd" || allocator, "{}:{line}: {text}", source.path.display());
            if text.contains("unsafe {") {
                blocks += 1;
                let above = &lines[line.saturating_sub(8)..line];
                assert!(
                    above.iter().any(|l| l.contains("SAFETY")),
                    "{}:{line} has no SAFETY line",
                    source.path.display()
                );
            }
        }
    }
    assert!(blocks > 0);
}

#[test]
fn every_file_says_what_it_is() {
    for source in sources() {
        let first = source.text.lines().next().unwrap_or("");
        assert!(
            first.starts_with("//! ") && first.len() > 15,
            "{}: {first}",
            source.path.display()
        );
    }
}
