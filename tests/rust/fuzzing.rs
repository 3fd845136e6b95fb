//! The fuzz targets on stable Rust: bytes at random and valid files with damage.
//!
//! `FASTTREE_FUZZ_SECONDS` is divided among the targets (a second each, unless told); the inputs
//! follow from `FASTTREE_FUZZ_SEED` (0, unless told).

#[path = "../../fuzz/targets/mod.rs"]
mod targets;

use super::growth::{draw, fit, nominal, numeric};
use super::written::{forest_to_bytes, to_bytes};
use fasttree_core::bayes::{self, BayesConfig, Learner, Smoothing};
use fasttree_core::data::{Dataset, Weights};
use fasttree_core::model::Forest;
use fasttree_core::parallel::Control;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// Inputs that were findings once, by target: a replacement of missing values that is no value, and
/// byte-order marks that come in pieces.
const FOUND: [(&str, &[u8]); 3] = [
    (
        "model_files",
        b"\x04{\"readings\":[{\"kind\":\"nominal\",\"levels\":1,\"fill\":4294967295}],\
          \"class_counts\":[1.0,1.0],\"kind\":{\"aode\":{\"smoothing\":{\"method\":\"laplace\",\
          \"alpha\":0.5},\"limit\":1.0,\"singles\":[[1.0,1.0,0.0,0.0]],\"pairs\":[]}}}",
    ),
    ("arff", b"\0\x0e\xef\xbb\xbf"),
    ("csv", b"A\xce\xef\xbb\xbf"),
];

/// Number of targets.
const TARGETS: f64 = 4.0;

/// What is put in the place of a number or a word.
const WORDS: [&str; 16] = [
    "-1",
    "0",
    "1",
    "2",
    "-2",
    "1e308",
    "-1e-320",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "null",
    "[]",
    "{}",
    "\"\"",
    "1.5",
    "[0,[1,2,3]]",
];

fn datasets() -> [Dataset<'static>; 2] {
    let classes = [0, 1, 1, 0, 2, 0, 1, 0];
    let codes = [vec![0, 0, 1, 1, 2, 2, -1, 0], vec![1, 0, 1, 0, 1, 0, 1, 1]];
    let numbers = [vec![0.5, 1.5, 2.5, f64::NAN, 4.0, 1.0, 2.0, 3.0]];
    [nominal(&codes, 3, &classes, 3), numeric(&numbers, &classes, 3)]
}

/// Valid files, each behind the byte that says how it is read.
fn corpus() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut add = |file: Vec<u8>, whole: u8| {
        let document: serde_json::Value = serde_json::from_slice(&file).unwrap();
        out.push([vec![whole + 1], document["model"].to_string().into_bytes()].concat());
        out.push([vec![whole], file].concat());
    };
    for data in &datasets() {
        for words in ["{}", r#"{"missing": "fractional"}"#, r#"{"nominal_splits": "subset"}"#] {
            let Ok(model) = fit(data, words, &Control::new(1)) else { continue };
            add(to_bytes(&model).unwrap(), 0);
            let trees = vec![model.clone(), model];
            let totals = vec![4.0, 3.0, 1.0];
            let forest = Forest { trees, seeds: vec![1, 2], totals, parameters: "{}".into() };
            add(forest_to_bytes(&forest).unwrap(), 2);
        }
    }
    let data = &datasets()[0];
    for learner in [
        Learner::Naive { var_smoothing: 1e-9 },
        Learner::Tan { wrapper: false, root: None, fill: false },
        Learner::Aode { limit: 1.0 },
    ] {
        let smoothing = Smoothing::Laplace { alpha: 0.5 };
        let config =
            BayesConfig { learner, smoothing, cuts: vec![None; 2], priors: None, weka: vec![] };
        let model = bayes::fit(data, &Weights::Unit, &config, &Control::new(1)).unwrap();
        out.push([vec![4], model.to_json(&Control::new(1)).unwrap()].concat());
    }
    out
}

/// Damage: bytes, pieces, and whole tokens of JSON.
fn damaged(file: &[u8], seed: &mut u64) -> Vec<u8> {
    let mut out = file.to_vec();
    for _ in 0..1 + draw(seed) % 3 {
        if out.len() < 2 {
            break;
        }
        let at = 1 + draw(seed) as usize % (out.len() - 1);
        match draw(seed) % 6 {
            0 => out[at] ^= 1 << (draw(seed) % 8),
            1 => out.truncate(at),
            2 => {
                let end = (at + 1 + draw(seed) as usize % 9).min(out.len());
                out.drain(at..end);
            }
            3 => {
                let end = (at + 1 + draw(seed) as usize % 30).min(out.len());
                let piece = out[at..end].to_vec();
                let to = 1 + draw(seed) as usize % (out.len() - 1);
                out.splice(to..to, piece);
            }
            _ => {
                let token = |b: u8| b.is_ascii_alphanumeric() || b"+-.\"".contains(&b);
                let start = (at..out.len()).find(|&i| token(out[i])).unwrap_or(at);
                let end = (start..out.len()).find(|&i| !token(out[i])).unwrap_or(out.len());
                let word = WORDS[draw(seed) as usize % WORDS.len()];
                out.splice(start..end, word.bytes());
            }
        }
    }
    out
}

/// Give a target inputs until the time is over; the number of inputs.
fn drive(name: &str, target: fn(&[u8]), input: impl Fn(&mut u64) -> Vec<u8>) -> u64 {
    let told = |name: &str, or: f64| std::env::var(name).map_or(or, |s| s.parse().unwrap());
    let seconds = told("FASTTREE_FUZZ_SECONDS", TARGETS) / TARGETS;
    let first = told("FASTTREE_FUZZ_SEED", 0.0) as u64 * 1_000_000_007 + 1;
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    FOUND.iter().filter(|(of, _)| *of == name).for_each(|(_, bytes)| target(bytes));
    let mut executed = 0;
    while executed < 100 || Instant::now() < end {
        let bytes = input(&mut (first + executed));
        let given = bytes.clone();
        if let Err(panic) = catch_unwind(|| target(&given)) {
            eprintln!("{name}, input {executed}: {bytes:?}\n{}", String::from_utf8_lossy(&bytes));
            std::panic::resume_unwind(panic);
        }
        executed += 1;
    }
    println!("{name}: {executed} inputs without a finding");
    executed
}

#[test]
fn model_files_are_refused_or_usable() {
    let corpus = corpus();
    assert!(corpus.len() > 15 && corpus.iter().any(|file| file[0] == 4));
    corpus.iter().for_each(|file| targets::model_files::check(file));
    drive("model_files", targets::model_files::check, |seed| {
        let file = &corpus[draw(seed) as usize % corpus.len()];
        damaged(file, seed)
    });
}

#[test]
fn trees_are_those_of_the_naive_twin() {
    drive("growth", targets::growth::check, |seed| {
        let length = 8 + draw(seed) % 200;
        (0..length).map(|_| draw(seed) as u8).collect()
    });
}

/// What damage puts into text.
const PIECES: [&str; 24] = [
    "'",
    "\"",
    "\\",
    "{",
    "}",
    ",",
    ";",
    "\t",
    " ",
    "\n",
    "\r\n",
    "\r",
    "%",
    "?",
    "NA",
    "1e999",
    "-0.5",
    "@data\n",
    "@attribute z {a,b}\n",
    "@attribute s string\n",
    "{0 1}",
    "\u{feff}",
    "\0",
    "\u{e9}",
];

/// Damage to text behind two bytes that say how it is read.
fn damaged_text(files: &[&str], seed: &mut u64) -> Vec<u8> {
    let mut text = files[draw(seed) as usize % files.len()].as_bytes().to_vec();
    for _ in 0..draw(seed) % 5 {
        let at = draw(seed) as usize % (text.len() + 1);
        let end = (at + draw(seed) as usize % 12).min(text.len());
        match draw(seed) % 5 {
            0 => text.truncate(at),
            1 => drop(text.drain(at..end)),
            2 => {
                let piece = text[at..end].to_vec();
                let to = draw(seed) as usize % (text.len() + 1);
                text.splice(to..to, piece.repeat(1 + draw(seed) as usize % 3));
            }
            3 if at < end => text[at] = draw(seed) as u8,
            _ => {
                let piece = PIECES[draw(seed) as usize % PIECES.len()].bytes();
                text.splice(at..at, piece);
            }
        }
    }
    [vec![draw(seed) as u8, draw(seed) as u8], text].concat()
}

#[test]
fn arff_files_are_refused_or_read() {
    let files = [
        "% c\n@RELATION 'a b'\r\n@attribute x integer [0,10]\n\
         @attribute 'y z' {a, 'b c'\n , \"?\"} % c\n\
         @attribute s string\n@data\n1, a, 'it\\'s'\n?, '?', ?  % c\n\
         2 'b c' s, {2.5}\n{0 7, 1 'b c'}\n{}, {.5}\n",
        "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n1,a\n2.5,b\n?,a\n",
        "@relation r\n@attribute d date 'yyyy'\n@attribute y real\n@data\n",
        "",
    ];
    drive("arff", targets::files::arff, |seed| damaged_text(&files, seed));
}

#[test]
fn csv_files_are_refused_or_read() {
    let files = [
        "a, \"b, \"\"c\"\"\"\r\n\r\n ? ,\"two\nlines\"\nx,\"\"\r",
        "x,y,z\n1,a,2.5\n2,b,NA\n,a,1e3\n",
        "  1\t 2  \n\n3   'x' ",
        "x;y\n1,5;a\n",
        "",
    ];
    drive("csv", targets::files::csv, |seed| damaged_text(&files, seed));
}
