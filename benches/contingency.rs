//! Counting the tables of many nominal features, and scoring blocks of tables with every criterion
//! of the registry.

mod made;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fasttree_core::criteria::{CRITERIA, Cells, Context, EvidenceKind, Tables, make};
use fasttree_core::numeric::{mix, uniform};
use fasttree_core::stats::RowCopies;
use fasttree_core::stats::contingency::{CodedRows, TableLayout, count};
use serde_json::Map;
use std::hint::black_box;
use std::time::Duration;

fn counting(c: &mut Criterion) {
    let (rows, features, values) = (100_000, 30, 5);
    let (columns, classes) = made::labels(rows, features, values);
    let codes: Vec<u8> =
        (0..rows * features).map(|at| columns[at % features][at / features]).collect();
    let numbers: Vec<u32> = (0..rows as u32).collect();
    let layout = TableLayout::new(&vec![values as u32; features], 2);
    let coded = CodedRows { codes: &codes, classes: &classes, rows: &numbers };
    let tally = count(coded, &layout, RowCopies(None));
    for (f, column) in columns.iter().enumerate() {
        let mut naive = vec![0_u32; values * 2];
        for (&v, &class) in column.iter().zip(&classes) {
            naive[v as usize * 2 + class as usize] += 1;
        }
        assert_eq!(tally.table(&layout, f), naive, "table of feature {f}");
    }
    let mut group = c.benchmark_group("contingency");
    group.throughput(Throughput::Elements((rows * features) as u64));
    group.bench_function("count 100k x 30, five values, two classes", |b| {
        b.iter(|| black_box(count(black_box(coded), &layout, RowCopies(None))));
    });
    group.finish();
}

fn scoring(c: &mut Criterion) {
    let mut group = c.benchmark_group("criteria");
    group
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .sample_size(20);
    for (branches, classes) in [(2, 2), (2, 10), (5, 2)] {
        let candidates = 256;
        let context = Context::new(classes, 10_000);
        // All candidates of a node share the class totals: the last branch takes what the others
        // leave.
        let totals = vec![1000_u32; classes];
        let mut cells = vec![0_u32; branches * classes * candidates];
        for j in 0..candidates {
            for class in 0..classes {
                let mut left = totals[class];
                for m in 0..branches {
                    let drawn = uniform(
                        mix((m * classes + class) as u64, j as u64),
                        u64::from(left) / 2 + 1,
                    ) as u32;
                    let here = if m + 1 == branches { left } else { drawn };
                    cells[(m * classes + class) * candidates + j] = here;
                    left -= here;
                }
            }
        }
        let declared = vec![branches as u32; candidates];
        let tables = Tables {
            cells: Cells::Rows(&cells),
            totals: Cells::Rows(&totals),
            branches,
            classes,
            stride: candidates,
            len: candidates,
            declared: &declared,
            context: &context,
        };
        let mut out = vec![0.0; candidates];
        group.throughput(Throughput::Elements(candidates as u64));
        for entry in CRITERIA.iter().filter(|e| e.info.evidence == EvidenceKind::Table) {
            let name = entry.info.name;
            let made = make(name, Map::new()).expect("criterion");
            made.score(&tables, &mut out).expect("scores");
            let mut one = [0.0];
            for (j, &score) in out.iter().enumerate() {
                made.score(&tables.window(j, 1), &mut one).expect("score");
                assert_eq!(
                    score.to_bits(),
                    one[0].to_bits(),
                    "{name}: candidate {j} alone and in its block"
                );
            }
            let shape = format!("{branches} branches x {classes} classes");
            group.bench_function(BenchmarkId::new(name, shape), |b| {
                b.iter(|| made.score(black_box(&tables), &mut out).expect("scores"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, counting, scoring);
criterion_main!(benches);
