//! Data files: any bytes are refused with a place or become columns, and the blocks in which they
//! come change nothing.
//!
//! The first two bytes say how the others are read: in blocks of what size, within what limits, and
//! by what dialect.

use super::Source;
use fasttree_core::read::{
    Arff, CellKind, CellValues, Delimited, Dialect, ReadColumn, ReadError, ReadLimits, Result,
    WantedColumn,
};

/// Weights of rows that have one, beside the columns.
type Found = (Vec<ReadColumn>, Vec<(u64, f64)>);

/// Limits that small inputs reach, or those of every day.
fn limits(source: &mut Source<'_>) -> ReadLimits {
    let small = ReadLimits { field: 24, columns: 6, levels: 5, line: 120 };
    source.one(&[
        small,
        ReadLimits { field: 1 << 20, line: 1 << 20, ..small },
        ReadLimits::default(),
    ])
}

/// Refused with a place, or columns of one length whose codes have labels.
fn looked_at(found: &Result<Found>, text: &[u8]) {
    match found {
        Err(ReadError::Memory) => panic!("no memory for {} bytes", text.len()),
        Err(ReadError::Fault(fault)) => {
            assert!(!fault.problem.is_empty(), "{fault:?}");
            let lines = text.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() as u64 + 1;
            assert!(fault.line.is_none_or(|line| (1..=lines).contains(&line)), "{fault:?}");
            assert!(fault.value.as_ref().is_none_or(|value| value.len() <= 400), "{fault:?}");
        }
        Ok((columns, weights)) => {
            let rows = |column: &ReadColumn| match &column.values {
                CellValues::Numbers(numbers) => {
                    assert!(numbers.iter().all(|x| !x.is_infinite()), "{column:?}");
                    numbers.len()
                }
                CellValues::Codes(codes, labels) => {
                    let most = labels.len() as i32;
                    assert!(codes.iter().all(|c| (-1..most).contains(c)), "{column:?}");
                    codes.len()
                }
            };
            let lengths: Vec<usize> = columns.iter().map(rows).collect();
            assert!(lengths.windows(2).all(|w| w[0] == w[1]), "{lengths:?}");
            assert!(weights.iter().all(|(_, w)| w.is_finite()), "{weights:?}");
        }
    }
}

/// The same in one block and in many; a fault behind a NUL in one block is one before it in two.
fn compared(text: &[u8], size: usize, read: impl Fn(usize) -> Result<Found>) {
    let whole = read(text.len().max(1));
    looked_at(&whole, text);
    let parts = read(size);
    looked_at(&parts, text);
    if !text.contains(&0) {
        assert_eq!(format!("{whole:?}"), format!("{parts:?}"));
    }
}

fn arff_of(text: &[u8], size: usize, limits: ReadLimits) -> Result<Found> {
    let mut reader = Arff::new(limits);
    let mut started = false;
    for block in text.chunks(size) {
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

/// Read the bytes as an ARFF file.
pub fn arff(bytes: &[u8]) {
    let (how, text) = bytes.split_at(bytes.len().min(2));
    let mut source = Source::new(how);
    let (size, limits) = (1 + source.below(64), limits(&mut source));
    compared(text, size, |size| arff_of(text, size, limits));
}

fn csv_of(
    text: &[u8],
    size: usize,
    dialect: Dialect,
    limits: ReadLimits,
    header: bool,
) -> Result<Found> {
    let mut reader = Delimited::new(dialect, limits);
    text.chunks(size).try_for_each(|block| reader.feed(block))?;
    reader.end_of_input()?;
    let width = reader.sample(1).first().map_or(0, |(_, cells)| cells.len());
    let names = (0..width).map(|j| format!("c{j}").into_bytes()).collect();
    let wanted = |place, kind, may_be_labels| WantedColumn { place, kind, may_be_labels };
    let kind = |j| match j % 4 {
        0 => wanted(j, CellKind::Found, false),
        1 => wanted(j, CellKind::Numbers, false),
        2 => wanted(j, CellKind::Numbers, true),
        _ => wanted(j, CellKind::Declared(vec![b"a".to_vec(), b"b".to_vec()]), false),
    };
    let kinds = (0..width)
        .map(|j| if header { kind(j) } else { wanted(j, CellKind::Found, false) })
        .collect();
    reader.start(
        usize::from(header),
        header.then_some(0),
        names,
        kinds,
        vec![Vec::new(), b"?".to_vec(), b"NA".to_vec()],
    )?;
    Ok((reader.finish()?.columns, Vec::new()))
}

/// Read the bytes as CSV or one of its kin.
pub fn csv(bytes: &[u8]) {
    let (how, text) = bytes.split_at(bytes.len().min(2));
    let mut source = Source::new(how);
    let (size, header) = (1 + source.below(64), how.first().is_some_and(|b| b & 64 != 0));
    let dialect = Dialect {
        separator: [b',', b';', b'\t', b' '][how.get(1).map_or(0, |b| usize::from(b >> 2 & 3))],
        quotes: how.get(1).is_none_or(|b| b & 16 == 0),
        skip: u64::from(how.get(1).is_some_and(|b| b & 32 != 0)),
    };
    let limits = limits(&mut source);
    compared(text, size, |size| csv_of(text, size, dialect, limits, header));
}
