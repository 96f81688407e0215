//! Filters on the text of a column, which scans of a trace's tables apply to each string once, keep
//! the rows that they keep of a table of the user's own, where every row is looked at.

use tpq_testkit::{Packet, TraceBuilder, TrackDescriptor, TrackEvent};

use crate::imported::Imported;

/// Slices on two tracks, some with names that others have too, some without, over several chunks.
fn trace() -> Imported {
    const SLICES: u64 = 150_000;
    let names =
        ["Task", "task%", "a_task", "TÂSK", "other", "a name of more than twelve bytes", ""];
    let mut trace = TraceBuilder::new();
    for track in [1, 2] {
        let descriptor = TrackDescriptor::new(track).name("track");
        trace = trace.packet(Packet::new().sequence(1).track_descriptor(descriptor));
    }
    for number in 0..SLICES {
        // Some names occur in one chunk only.
        let own = format!("{} of the task {number}", number % 7);
        let name = match number % 11 {
            7 => own.as_str(),
            place => names[place as usize % names.len()],
        };
        let event = TrackEvent::instant(1 + number % 2);
        let event = if number % 13 == 0 { event } else { event.name(name) };
        trace = trace.packet(Packet::new().sequence(1).timestamp(number * 10).track_event(event));
    }
    Imported::trace(trace)
}

#[test]
fn scans_and_filters_keep_the_same_rows() {
    let trace = trace();
    let filters = [
        "name LIKE '%task%'",
        "name NOT LIKE '%task%'",
        "NOT (name LIKE '%task%')",
        "name LIKE 'task\\%' ESCAPE '\\'",
        "name GLOB '*task*'",
        "name = 'other'",
        "'other' <> name",
        "name > 'a' AND name <= 'other'",
        "name IN ('', 'Task', NULL)",
        "name NOT IN ('', 'Task')",
        "name IS NULL",
        "name IS NOT NULL AND name LIKE '%7%'",
        "name LIKE '%4' OR name IS NULL",
        "name LIKE 'nothing has this name%'",
        "name LIKE '%task%' AND dur = 0 AND track_id = 1",
        "name LIKE NULL",
        "length(name) = 4",
        "name LIKE '%task 14%' AND ts > 1000000",
    ];
    for filter in filters {
        for query in [
            "SELECT count(*), sum(id), min(id), max(ts) FROM {table} WHERE {filter}",
            "SELECT id, name FROM {table} WHERE {filter} LIMIT 7",
            "SELECT id, name FROM {table} WHERE {filter} ORDER BY ts DESC LIMIT 5",
            "SELECT id FROM {table} WHERE {filter} ORDER BY id LIMIT 3 OFFSET 20",
            "SELECT count(*) FROM (SELECT * FROM {table} LIMIT 1000) WHERE {filter}",
            "SELECT count(*) FROM {table} a JOIN {table} b ON b.id = a.id + 1 WHERE a.{filter}",
        ] {
            let of = |table: &str| {
                let sql = query.replace("a.{filter}", "{filter}").replace("{table}", table);
                // Of the two tables of a join, the first.
                let filter = if query.contains("JOIN") {
                    ["name", "dur", "track_id", "ts"].iter().fold(filter.to_owned(), |sql, name| {
                        sql.replace(name, &format!("a.{name}"))
                    })
                } else {
                    filter.to_owned()
                };
                trace.cells(&format!(
                    "CREATE OR REPLACE PERFETTO TABLE copy AS SELECT id, ts, dur, track_id, name \
                     FROM slice; {}",
                    sql.replace("{filter}", &filter)
                ))
            };
            assert_eq!(of("slice"), of("copy"), "{query} with {filter}");
        }
    }
}

#[test]
fn plans_say_where_text_is_filtered() {
    let trace = trace();
    let plan = |filter: &str| {
        let cells = trace.cells(&format!("EXPLAIN SELECT count(*) FROM slice WHERE {filter}"));
        cells.into_iter().flatten().collect::<Vec<_>>().join("\n")
    };
    let of_text = plan("name LIKE '%task%' AND dur > 0");
    assert!(of_text.contains("where name@0 ILIKE %task%"), "{of_text}");
    assert!(of_text.contains("FilterExec: dur@"), "{of_text}");
    assert!(plan("name GLOB '*task*'").contains("where "));
    assert!(!plan("length(name) = 4").contains("where "));
}
