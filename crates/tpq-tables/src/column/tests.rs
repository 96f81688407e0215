//! Columns while they are being built.

use super::*;
use crate::ChunkRange;
use crate::Spill;
use crate::finished::StoredChunk;

#[test]
fn cells_survive_chunk_borders_and_changes() {
    let mut column = ColumnBuilder::<Option<i64>>::default();
    let rows = CHUNK_ROWS as u32 + 70;
    for row in 0..rows {
        column.push((row % 3 != 0).then_some(i64::from(row)));
    }
    column.set(3, Some(-5));
    column.set(rows - 1, None);
    assert_eq!(column.get(0), None);
    assert_eq!(column.get(3), Some(-5));
    assert_eq!(column.get(CHUNK_ROWS as u32 + 1), Some(CHUNK_ROWS as i64 + 1));
    assert_eq!(column.get(rows - 1), None);
}

/// Rows at once make the same column as one by one, wherever chunks and words end.
#[test]
fn rows_can_be_pushed_at_once() {
    let rows: Vec<Option<u32>> = (0..3 * CHUNK_ROWS as u32)
        .map(|row| (row > 300 && row % 5 != 0 && row / 1000 % 3 != 1).then_some(row))
        .collect();
    let (mut singly, mut at_once) = (ColumnBuilder::default(), ColumnBuilder::default());
    let (mut names, mut names_at_once) = (ColumnBuilder::default(), ColumnBuilder::default());
    let name = |row: &Option<u32>| StringId(row.unwrap_or_default());
    for (step, rows) in rows.chunks(777).enumerate() {
        rows.iter().for_each(|&row| singly.push(row));
        rows.iter().for_each(|row| names.push(name(row)));
        let (first, rest) = rows.split_at(step % 70);
        for part in [first, rest] {
            at_once.extend(part, |&row| row);
            names_at_once.extend(part, name);
        }
    }
    assert!(singly.iter().eq(rows.iter().copied()));
    assert!(at_once.iter().eq(rows.iter().copied()));
    assert!(names_at_once.iter().eq(names.iter()));
    let ranges = |column: ColumnBuilder<Option<u32>>| -> Vec<ChunkRange> {
        column.finish().chunks().iter().map(|chunk| chunk.range).collect()
    };
    assert_eq!(ranges(at_once), ranges(singly));
}

/// Packed or not, NULL stays NULL, and what has no number any more becomes it.
#[test]
fn numbers_can_be_replaced() {
    let rows = 3 * CHUNK_ROWS as u32 + 5;
    let mut sets = ColumnBuilder::<Option<u32>>::default();
    let mut names = ColumnBuilder::<StringId>::default();
    for row in 0..rows {
        sets.push((row % 5 != 0).then_some(row));
        names.push(StringId(if row % 7 == 0 { StringId::FOREIGN | row } else { 9 }));
    }
    sets.renumber(&|set| if set % 3 == 0 { 0 } else { set + 70_000 });
    names.renumber_wide(&|name| match name & StringId::FOREIGN {
        0 => name,
        _ => (name & !StringId::FOREIGN) + 10,
    });
    for row in [1, 3, 5, 7, 14, rows - 6, rows - 2, rows - 1] {
        let set = (row % 5 != 0 && row % 3 != 0).then_some(row + 70_000);
        assert_eq!(sets.get(row), set, "{row}");
        assert_eq!(names.get(row).0, if row % 7 == 0 { row + 10 } else { 9 }, "{row}");
    }
    let nulls = (0..rows).filter(|row| row % 5 == 0 || row % 3 == 0).count();
    let nulls_of = |chunk: &StoredChunk| chunk.range.nulls;
    assert_eq!(sets.finish().chunks().iter().map(nulls_of).sum::<usize>(), nulls);
}

/// Chunks that are NULL take no memory until one of their rows is set.
#[test]
fn rows_of_nothing_can_be_changed() {
    let mut column = ColumnBuilder::<Option<u32>>::default();
    let mut names = ColumnBuilder::<StringId>::default();
    let rows = 3 * CHUNK_ROWS as u32 + 5;
    for _ in 0..rows {
        column.push(None);
        names.push(StringId::NULL);
    }
    for row in [7, 3 * CHUNK_ROWS as u32 + 1] {
        column.set(row, Some(row));
        names.set(row, StringId(row));
        assert_eq!((column.get(row), column.get(row + 1)), (Some(row), None));
        assert_eq!((names.get(row), names.get(row + 1)), (StringId(row), StringId::NULL));
        assert!(names.iter().eq((0..rows).map(|row| names.get(row))));
    }
    column.push(Some(1));
    names.push(StringId(1));
    assert_eq!((column.get(rows), column.get(rows - 1)), (Some(1), None));
    assert_eq!((names.get(rows), names.get(rows - 1)), (StringId(1), StringId::NULL));
}

/// Whatever was there before.
#[test]
fn packed_rows_can_become_nothing() {
    let mut column = ColumnBuilder::<Option<i64>>::default();
    let rows = 3 * CHUNK_ROWS as u32;
    (0..rows).for_each(|row| column.push(Some(i64::from(row) + 1_000_000)));
    (0..CHUNK_ROWS as u32).for_each(|row| column.set(row, None));
    column.set(CHUNK_ROWS as u32, None);
    assert_eq!([column.get(7), column.get(CHUNK_ROWS as u32)], [None, None]);
    let finished = column.finish();
    let ranges: Vec<_> = (0..3).map(|chunk| finished.range(chunk)).collect();
    let least = 1_000_000 + CHUNK_ROWS as i64;
    assert_eq!(ranges[0], ChunkRange { bounds: None, nulls: CHUNK_ROWS });
    assert_eq!(ranges[1].bounds, Some((least + 1, least + CHUNK_ROWS as i64 - 1)));
    assert_eq!((ranges[1].nulls, ranges[2].nulls), (1, 0));
}

/// Spilled or not, and packed by whichever thread, a column is the same.
#[test]
fn chunks_in_a_file_can_be_changed() {
    let rows = 5 * CHUNK_ROWS as u32;
    let column = |packer: Option<Arc<Packer>>| {
        let mut column = ColumnBuilder::<Option<i64>>::default();
        packer.into_iter().for_each(|packer| column.pack_by(&packer));
        let value = |row: u32| (!row.is_multiple_of(7)).then(|| i64::from(row % 200) - 5);
        (0..rows).for_each(|row| column.push(value(row)));
        for (row, value) in [(1, Some(40)), (2, None), (7, Some(3)), (70_001, Some(1 << 40))] {
            column.set(row, value);
            assert_eq!((column.get(row), column.get(row + 1)), (value, column.get(row + 1)));
        }
        assert!(column.iter().eq((0..rows).map(|row| column.get(row))));
        let read: Vec<_> = (0..rows).step_by(13).map(|row| column.get(row)).collect();
        (read, column.finish())
    };
    let spill = || Arc::new(Spill::new(tempfile::tempfile().expect("a file"), 0));
    let spills = [spill(), spill()];
    let packers = [
        Packer::new(Some(Arc::clone(&spills[0]))),
        Packer::on_thread(Some(Arc::clone(&spills[1]))).expect("a thread"),
        Packer::on_thread(None).expect("a thread"),
    ];
    let (same, plain) = column(None);
    for packer in packers {
        let (read, finished) = column(Some(Arc::new(packer)));
        assert_eq!(read, same);
        for (one, other) in finished.chunks().iter().zip(plain.chunks()) {
            assert_eq!((one.range, one.sorted), (other.range, other.sorted));
            assert_eq!(one.valid, other.valid);
            for rows in [0..100, 300..CHUNK_ROWS] {
                let wide = |chunk: &StoredChunk| chunk.values.wide(rows.clone()).expect("is there");
                assert_eq!(wide(one), wide(other));
            }
        }
    }
    for spill in spills {
        assert!(spill.written() >= 4 * CHUNK_ROWS as u64 && spill.failure().is_none());
    }
}

/// A late value can belong to a chunk that is packed already, wide or not.
#[test]
fn packed_rows_can_be_changed() {
    let mut column = ColumnBuilder::<Option<i64>>::default();
    let rows = 4 * CHUNK_ROWS as u32;
    for row in 0..rows {
        column.push((row % 2 == 0).then_some(-1));
    }
    for (row, value) in [(0, Some(100)), (1, Some(i64::MAX)), (2, None), (3, Some(7))] {
        column.set(row, value);
    }
    let values = [0, 1, 2, 3, 4, 5].map(|row| column.get(row));
    assert_eq!(values, [Some(100), Some(i64::MAX), None, Some(7), Some(-1), None]);
}

/// Chunks that are packed on another thread can be changed, and are numbered anew on two.
#[test]
fn chunks_packed_elsewhere_are_like_others() {
    let rows = 9 * CHUNK_ROWS as u32 + 9;
    let build = |packer: Packer| {
        let packer = Arc::new(packer);
        let mut times = ColumnBuilder::<Option<i64>>::default();
        let mut sets = ColumnBuilder::<Option<u32>>::default();
        let mut names = ColumnBuilder::<StringId>::default();
        times.pack_by(&packer);
        sets.pack_by(&packer);
        names.pack_by(&packer);
        for row in 0..rows {
            times.push((row % 9 != 1).then_some(i64::from(row) << (row / CHUNK_ROWS as u32 * 5)));
            sets.push((row % 3 != 0).then_some(row + 1));
            names.push(StringId(if row % 5 == 0 { StringId::FOREIGN | row } else { row % 300 }));
        }
        for row in [5, 40, CHUNK_ROWS as u32 + 40, 2 * CHUNK_ROWS as u32] {
            times.set(row, Some(77));
            times.set(row + 1, None);
        }
        sets.renumber(&|set| if set % 7 == 0 { 0 } else { set / 2 + 1 });
        names.renumber_wide(&|name| name & 0xff);
        let cells = (times.iter().collect(), sets.iter().collect(), names.iter().collect());
        let stored = [times.finish(), sets.finish(), names.finish()];
        let read = |chunk: &StoredChunk| {
            let wide = chunk.values.wide(0..9).expect("is in memory").map(|wide| wide.to_vec());
            (wide, chunk.values.bytes(), chunk.range)
        };
        let read = stored.map(|column| column.chunks().iter().map(read).collect::<Vec<_>>());
        (cells, read)
    };
    let (cells, read): ((Vec<_>, Vec<_>, Vec<_>), _) = build(Packer::default());
    let (elsewhere, read_elsewhere) = build(Packer::on_thread(None).expect("has a thread"));
    assert!(cells == elsewhere);
    assert_eq!(read, read_elsewhere);
}
