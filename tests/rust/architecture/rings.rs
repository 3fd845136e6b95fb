//! No ring of files: a reader can take the files of a room one after the other.
//!
//! A file uses another when its code names an item that the other defines, by an import or by a
//! path. A name that a `mod.rs` only hands on is followed to the file that defines it, so a room's
//! front neither makes a ring nor hides one. What the compiler knows and the text does not say
//! (methods, items that a macro makes) is not seen.

use super::{ROOTS, Source, code, sources};
use std::collections::{BTreeMap, BTreeSet};

type Path<'a> = Vec<&'a str>;

/// A name of a file and the path that it stands for.
struct Import<'a> {
    path: Path<'a>,
    handed_on: bool,
}

/// One file as its paths.
#[derive(Default)]
struct File<'a> {
    imports: BTreeMap<&'a str, Import<'a>>,
    globs: Vec<Path<'a>>,
    paths: BTreeSet<Path<'a>>,
    /// Words outside `use` statements.
    words: BTreeSet<&'a str>,
}

/// Words, `::` and single characters.
fn tokens(line: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), line.trim_start());
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match first {
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            // a brace as a character opens no block
            '\'' if rest.starts_with("'{'") || rest.starts_with("'}'") => 3,
            c => c.len_utf8(),
        };
        found.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    found
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether `use` begins an import; it may be a word of a message, or bound a type.
fn is_import(tokens: &[&str]) -> bool {
    let mut inside = tokens[1..].iter();
    let other = inside.find(|t| !is_word(t) && !["::", "{", "}", ",", "*", "$"].contains(t));
    other == Some(&";")
}

impl<'a> File<'a> {
    fn read(tokens: &[&'a str]) -> Self {
        let mut file = Self::default();
        // depths of braces at which modules inside the file end
        let (mut depth, mut inside) = (0, Vec::new());
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at] {
                "use" if is_import(&tokens[at..]) => {
                    let handed_on = at > 0 && ["pub", ")"].contains(&tokens[at - 1]);
                    let end = at + tokens[at..].iter().position(|&t| t == ";").unwrap();
                    file.import(&tokens[at + 1..end], Vec::new(), inside.len(), handed_on);
                    at = end;
                }
                "mod" if tokens.get(at + 2) == Some(&"{") => inside.push(depth),
                "mod" if tokens.get(at + 1) == Some(&"$") => inside.push(depth),
                "mod" if tokens.get(at + 2) == Some(&";") => at += 2,
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inside.pop_if(|&mut end| end == depth);
                }
                word if is_word(word) => {
                    let mut path = vec![word];
                    while tokens.get(at + 1) == Some(&"::")
                        && tokens.get(at + 2).is_some_and(|t| is_word(t))
                    {
                        path.push(tokens[at + 2]);
                        at += 2;
                    }
                    file.words.insert(word);
                    if path.len() > 1 {
                        file.paths.insert(outside(path, inside.len()));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        file
    }

    /// Read a tree of imports that begins with `path`.
    fn import(&mut self, tree: &[&'a str], mut path: Path<'a>, inside: usize, handed_on: bool) {
        let mut at = 0;
        while at < tree.len() && tree[at] != "as" {
            match tree[at] {
                "{" => {
                    let (mut depth, mut start) = (0, at + 1);
                    for i in at..tree.len() {
                        match tree[i] {
                            "{" => depth += 1,
                            "}" => depth -= 1,
                            _ => {}
                        }
                        let ends = (tree[i] == "," && depth == 1) || depth == 0;
                        if ends && start < i {
                            self.import(&tree[start..i], path.clone(), inside, handed_on);
                        }
                        if ends {
                            start = i + 1;
                        }
                    }
                    return;
                }
                "*" => return self.globs.push(outside(path, inside)),
                // of `$crate`
                "::" | "$" => {}
                word => path.push(word),
            }
            at += 1;
        }
        if path.last() == Some(&"self") {
            path.pop();
        }
        let name = if at < tree.len() { tree[at + 1] } else { path[path.len() - 1] };
        let import = Import { path: outside(path, inside), handed_on };
        // `_` names a trait for its methods alone: keep every one
        if name == "_" {
            self.paths.insert(import.path);
        } else {
            self.imports.insert(name, import);
        }
    }
}

/// A path as the file says it that holds the module, `inside` modules deep.
fn outside(mut path: Path<'_>, inside: usize) -> Path<'_> {
    for _ in 0..inside {
        if path.first() == Some(&"super") {
            path[0] = "self";
            if path.get(1) == Some(&"super") {
                path.remove(0);
            }
        }
    }
    path
}

/// Files by the name of their module, as `stats::pairs`.
type Crate<'a> = BTreeMap<String, File<'a>>;

fn module_of(source: &Source) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let name = source.path.strip_prefix(&root).unwrap().with_extension("");
    let parts: Vec<&str> = name.iter().map(|p| p.to_str().unwrap()).collect();
    parts.join("::").trim_end_matches("mod").trim_end_matches("::").to_string()
}

fn child(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_string() } else { format!("{module}::{name}") }
}

/// The module that defines the item of a path which stands in `module`; `None` for a path that
/// leaves the crate or ends on a module.
fn definer(all: &Crate<'_>, module: &str, path: &[&str], depth: usize) -> Option<String> {
    let mut here = module.to_string();
    for (at, &word) in path.iter().enumerate() {
        let deeper = child(&here, word);
        match word {
            "crate" => here = String::new(),
            "self" => {}
            "super" => here = here.rsplit_once("::").map_or("", |(parent, _)| parent).to_string(),
            _ if all.contains_key(&deeper) => here = deeper,
            _ => {
                let file = &all[&here];
                let known = file.imports.get(word).filter(|i| i.path != [word] && depth < 9);
                if let Some(import) = known {
                    let whole: Vec<&str> =
                        import.path.iter().chain(&path[at + 1..]).copied().collect();
                    return definer(all, &here, &whole, depth + 1);
                }
                let qualified = at > 0;
                return (qualified && here != module).then_some(here);
            }
        }
    }
    None
}

/// The modules whose items each module names.
fn uses(all: &Crate<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for (module, file) in all {
        let imported =
            file.imports.iter().filter(|(name, i)| !i.handed_on || file.words.contains(*name));
        let imported = imported.map(|(_, i)| &i.path);
        let mut others: BTreeSet<String> =
            imported.chain(&file.paths).filter_map(|path| definer(all, module, path, 0)).collect();
        for glob in &file.globs {
            let item: Vec<&str> = glob.iter().copied().chain(["*"]).collect();
            others.extend(definer(all, module, &item, 0));
        }
        others.remove(module);
        found.insert(module.clone(), others);
    }
    found
}

/// Groups of modules that reach one another.
fn rings(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reach = |from: &String| {
        let (mut seen, mut stack) = (BTreeSet::new(), vec![from]);
        while let Some(module) = stack.pop() {
            for other in &uses[module] {
                if seen.insert(other.clone()) {
                    stack.push(other);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = uses.keys().map(|m| (m, reach(m))).collect();
    let mut found: Vec<BTreeSet<String>> = reached
        .iter()
        .filter(|(module, seen)| seen.contains(**module))
        .map(|(module, seen)| {
            seen.iter().filter(|o| reached[o].contains(*module)).cloned().collect()
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

fn read<'a>(files: &[(String, Vec<&'a str>)]) -> Crate<'a> {
    files.iter().map(|(module, tokens)| (module.clone(), File::read(tokens))).collect()
}

#[test]
fn no_ring_of_files() {
    let sources: Vec<Source> =
        sources().into_iter().filter(|s| !ROOTS.contains(&s.room.as_str())).collect();
    let mut files: Vec<(String, Vec<&str>)> = sources
        .iter()
        .map(|s| (module_of(s), code(s).flat_map(|(_, line)| tokens(line)).collect()))
        .collect();
    files.push((String::new(), Vec::new()));
    let uses = uses(&read(&files));
    assert!(uses.values().map(BTreeSet::len).sum::<usize>() > 1000);
    let rings = rings(&uses);
    let mut lines = Vec::new();
    for ring in &rings {
        lines.push(format!("a ring of {} files:", ring.len()));
        for module in ring {
            let others: Vec<&str> = uses[module].intersection(ring).map(String::as_str).collect();
            lines.push(format!("{module} -> {}", others.join(", ")));
        }
    }
    assert!(rings.is_empty(), "{}", lines.join("\n"));
}
