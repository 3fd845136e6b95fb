//! Blocks of any size give the same columns, and errors name their places.

use super::{
    Arff, CellKind, CellValues, Delimited, Dialect, ReadColumn, ReadError, ReadLimits, Result,
    WantedColumn,
};
use proptest::prelude::*;

const CSV: Dialect = Dialect { separator: b',', quotes: true, skip: 0 };

fn missing() -> Vec<Vec<u8>> {
    [&b""[..], b"?", b"NA"].map(<[u8]>::to_vec).to_vec()
}

fn delimited(
    text: &[u8],
    size: usize,
    dialect: Dialect,
    limits: ReadLimits,
) -> Result<Vec<ReadColumn>> {
    let mut reader = Delimited::new(dialect, limits);
    text.chunks(size.max(1)).try_for_each(|block| reader.feed(block))?;
    reader.end()?;
    let width = reader.width();
    let names = (0..width).map(|j| format!("c{j}").into_bytes()).collect();
    let found = |place| WantedColumn { place, kind: CellKind::Found, may_be_labels: false };
    reader.start(0, None, names, (0..width).map(found).collect(), missing())?;
    Ok(reader.finish()?.columns)
}

fn arff(
    text: &[u8],
    size: usize,
    limits: ReadLimits,
) -> Result<(Vec<ReadColumn>, Vec<(u64, f64)>)> {
    let mut reader = Arff::new(limits);
    let mut started = false;
    for block in text.chunks(size.max(1)) {
        reader.feed(block)?;
        if reader.header_is_complete() && !started {
            reader.start(&(0..reader.attributes().len()).collect::<Vec<_>>())?;
            started = true;
        }
    }
    reader.end()?;
    if !started {
        reader.start(&(0..reader.attributes().len()).collect::<Vec<_>>())?;
    }
    reader.finish()
}

fn cells(columns: &[ReadColumn]) -> Vec<Vec<Option<String>>> {
    let text = |column: &ReadColumn| match &column.values {
        CellValues::Numbers(v) => v.iter().map(|x| (!x.is_nan()).then(|| x.to_string())).collect(),
        CellValues::Codes(codes, labels) => codes
            .iter()
            .map(|&c| usize::try_from(c).ok().map(|c| String::from_utf8_lossy(&labels[c]).into()))
            .collect(),
    };
    columns.iter().map(text).collect()
}

fn fault(result: Result<Vec<ReadColumn>>) -> (String, Option<u64>) {
    match result {
        Err(ReadError::Fault(f)) => (f.problem, f.line),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cells_are_divided_as_rfc_4180_says() {
    let text = b"a, \"b, \"\"c\"\"\"\r\n\r\n ? ,\"two\nlines\"\nx,\"\"\r";
    for size in 1..=text.len() {
        let found = cells(&delimited(text, size, CSV, ReadLimits::default()).unwrap());
        let some = |t: &str| Some(t.to_string());
        assert_eq!(found[0], [some("a"), None, some("x")]);
        assert_eq!(found[1], [some("b, \"c\""), some("two\nlines"), None]);
    }
    let blanks = Dialect { separator: b' ', ..CSV };
    let found =
        cells(&delimited(b"  1\t 2  \n\n3   'x' ", 3, blanks, ReadLimits::default()).unwrap());
    assert_eq!(found, [["1", "3"], ["2", "'x'"]].map(|c| c.map(|t| Some(t.to_string()))));
}

#[test]
fn faults_of_csv_say_where() {
    let at = |text: &[u8]| {
        let limits = ReadLimits { field: 20, columns: 3, levels: 2, line: 100 };
        (1..=text.len()).map(|n| fault(delimited(text, n, CSV, limits))).collect::<Vec<_>>()
    };
    let cases: [(&[u8], &str, u64); 8] = [
        (b"a,b\nc,\"open\nd,e", "never closed", 2),
        (b"a,b\n\"x\"y,b", "text behind its closing quote", 2),
        (b"a,b\n\nc", "has 1 cells but there are 2 columns", 3),
        (b"a,b\nc,123456789012345678901", "more than 20 bytes", 2),
        (b"a,b,c,d,e", "more than 3 cells", 1),
        (b"a\nb\nc", "more than 2 distinct", 3),
        (b"a\nb\0c", "NUL bytes (cell 1", 2),
        (b"a,b\n1,\0", "NUL bytes (cell 2", 2),
    ];
    for (text, words, line) in cases {
        for (problem, found) in at(text) {
            assert!(problem.contains(words) && found == Some(line), "{problem} at {found:?}");
        }
    }
}

#[test]
fn arff_is_read_as_weka_reads_it() {
    let text =
        b"% c\n@RELATION 'a b'\r\n@attribute x integer [0,10]\n@attribute 'y z' {a, 'b c'\n \
                 , \"?\"} % c\n@attribute s string\n@data\n1, a, 'it\\'s'\n?, '?', ?  % c\n\
                 2 'b c' s, {2.5}\n{0 7, 1 'b c'}\n{}, {.5}\n";
    for size in 1..=text.len() {
        let (columns, weights) = arff(text, size, ReadLimits::default()).unwrap();
        let some = |t: &str| Some(t.to_string());
        let found = cells(&columns);
        assert_eq!(found[0], [some("1"), None, some("2"), some("7"), some("0")]);
        assert_eq!(found[1], [some("a"), some("?"), some("b c"), some("b c"), some("a")]);
        assert_eq!(found[2], [some("it's"), None, some("s"), None, None]);
        assert_eq!(weights, [(2, 2.5), (4, 0.5)]);
    }
}

#[test]
fn faults_of_arff_say_where() {
    let head = "@relation r\n@attribute x numeric\n@attribute y {a, b}\n@data\n";
    let limits = ReadLimits { field: 20, columns: 2, levels: 2, line: 100 };
    for (text, words, line) in [
        ("@relation r\n@attribute y {a,\n@data\n", "opened here and not closed", 2),
        ("@relation r\n@attribute y {a,\n b", "opened here and not closed", 2),
        ("@relation r\n@attribute y {a, 'b}\n", "opened", 2),
        ("@relation r\n@attribute y {a,,b}\n", "nothing between two commas", 2),
        ("@relation r\n@attribute y {a,b,c}\n", "more than 2;", 2),
        ("@relation r\n@attribute y {a,a}\n", "declared twice", 2),
        ("@relation r\nx\n", "is this an ARFF file", 2),
        ("HEAD1,a\n2,'b\n", "opened", 6),
        ("HEAD1,a\n2,c\n", "not among the declared", 6),
        ("HEAD1,a\nz,a\n", "is not a number", 6),
        ("HEAD1e999,a\n", "infinity", 5),
        ("HEAD1,a\n-9007199254740993,a\n", "whole number that float64", 6),
        ("HEAD1\n", "the row has 1 values", 5),
        ("HEAD1,a,b\n", "the row has 3 values", 5),
        ("HEAD1,\n", "empty", 5),
        ("HEAD{0 1,0 2}\n", "twice", 5),
        ("HEAD{5 1}\n", "indices run from 0 to 1", 5),
        ("HEAD{0}\n", "index value", 5),
        ("HEAD{0 1\n", "not closed by }", 5),
        ("HEAD1,a,{x}\n", "not a weight", 5),
        ("HEAD1,'a' b\n", "beside a quoted value", 5),
        ("HEAD1,a\n2\0,a\n", "NUL", 6),
        ("HEAD123456789012345678901,a\n", "more than 20 bytes", 5),
    ] {
        let text = text.replace("HEAD", head).into_bytes();
        for size in 1..=text.len() {
            let (problem, found) = fault(arff(&text, size, limits).map(|found| found.0));
            assert!(problem.contains(words) && found == Some(line), "{problem} at {found:?}");
        }
    }
}

proptest! {
    #[test]
    fn bytes_of_any_kind_in_blocks_of_any_size_read_alike(
        text in proptest::collection::vec(
            prop_oneof![
                Just(b','), Just(b'"'), Just(b'\''), Just(b'\n'), Just(b'\r'), Just(b' '),
                Just(b'{'), Just(b'}'), Just(b'%'), Just(b'\\'), Just(b'1'), Just(b'a'),
                Just(b'?'), Just(b'@'), any::<u8>(),
            ],
            0..60,
        ),
        size in 1_usize..20,
    ) {
        let limits = ReadLimits { field: 12, columns: 5, levels: 4, line: 40 };
        let header = b"@relation r\n@attribute x numeric\n@attribute y {a, '1 a'}\n@data\n";
        let (whole, parts) = (text.len().max(1), size);
        for dialect in [CSV, Dialect { separator: b' ', ..CSV }, Dialect { quotes: false, ..CSV }] {
            let one = delimited(&text, whole, dialect, limits);
            let many = delimited(&text, parts, dialect, limits);
            // A fault behind a NUL in one block is one before it in two.
            if !text.contains(&0) {
                prop_assert_eq!(format!("{one:?}"), format!("{many:?}"));
            }
        }
        let file = [&header[..], &text].concat();
        let one = arff(&file, file.len(), ReadLimits { line: 100, ..limits });
        let many = arff(&file, parts, ReadLimits { line: 100, ..limits });
        if !text.contains(&0) {
            prop_assert_eq!(format!("{one:?}"), format!("{many:?}"));
        }
    }
}
