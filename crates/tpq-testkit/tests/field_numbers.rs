//! The field numbers of the builders are the published ones.

use std::collections::HashMap;
use std::path::Path;

#[test]
fn field_numbers_agree_with_the_facts() {
    let facts =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/facts/proto_fields.tsv");
    let Ok(text) = std::fs::read_to_string(&facts) else {
        eprintln!("skipped: no list of facts at {}", facts.display());
        return;
    };
    let numbers: HashMap<(&str, &str), u32> = text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let message = cells.next()?;
            let number = cells.next()?.parse().ok()?;
            Some(((message, cells.next()?), number))
        })
        .collect();
    assert!(numbers.len() > 1_000, "only {} fields read", numbers.len());
    for (message, field, number) in tpq_testkit::field::ALL {
        let field = field.trim_start_matches("r#");
        assert_eq!(numbers.get(&(*message, field)), Some(number), "{message}.{field}");
    }
}
