//! Blocks of any size give the same columns and errors; the tests of the Python package say which.

use super::{Arff, CellKind, Delimited, Dialect, ReadColumn, ReadLimits, Result, WantedColumn};
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
    reader.end_of_input()?;
    let width = reader.sample(1).first().map_or(0, |(_, cells)| cells.len());
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
    reader.end_of_input()?;
    if !started {
        reader.start(&(0..reader.attributes().len()).collect::<Vec<_>>())?;
    }
    reader.finish()
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
            // The error of a NUL byte replaces a fault earlier in its block, but not one in an
            // earlier block.
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
