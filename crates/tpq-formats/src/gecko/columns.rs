//! Tables of a profile, in either form.

use crate::document::Json;

/// The cells of some columns of a table, row by row. A column that the table does not have is NULL.
pub(super) fn rows<'a, const N: usize>(
    table: Json<'a>,
    names: [&str; N],
) -> Box<dyn Iterator<Item = [Json<'a>; N]> + 'a> {
    let (mut schema, mut data) = (None, None);
    let mut columns: [Option<Json<'a>>; N] = [None; N];
    for (key, value) in table.members() {
        // The first of several members of a key counts.
        match key.as_ref() {
            "schema" => schema = schema.or(Some(value)),
            "data" => data = data.or(Some(value)),
            _ => {}
        }
        for (column, _) in columns.iter_mut().zip(names).filter(|(_, name)| key == *name) {
            *column = column.or(Some(value));
        }
    }
    let or_null = |value: Option<Json<'a>>| value.unwrap_or(Json::of_part(NULL));
    match schema.filter(|schema| !schema.is_null()) {
        Some(schema) => Box::new(by_row(or_null(data), schema.pick(names).map(Json::index))),
        None => Box::new(by_column(columns.map(or_null))),
    }
}

const NULL: &[u8] = b"null";

/// Rows of a table that is an array of them.
fn by_row<const N: usize>(
    data: Json<'_>,
    columns: [Option<usize>; N],
) -> impl Iterator<Item = [Json<'_>; N]> {
    data.elements().map(move |row| {
        let mut cells = [Json::of_part(NULL); N];
        for (index, value) in row.elements().enumerate() {
            for (cell, column) in cells.iter_mut().zip(columns) {
                if column == Some(index) {
                    *cell = value;
                }
            }
        }
        cells
    })
}

/// Rows of a table that is an object of columns: as many as its longest column has.
fn by_column<'a, const N: usize>(columns: [Json<'a>; N]) -> impl Iterator<Item = [Json<'a>; N]> {
    let mut columns = columns.map(Json::elements);
    std::iter::from_fn(move || {
        let mut cells = [Json::of_part(NULL); N];
        let mut is_over = true;
        for (cell, column) in cells.iter_mut().zip(&mut columns) {
            if let Some(value) = column.next() {
                *cell = value;
                is_over = false;
            }
        }
        (!is_over).then_some(cells)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> Vec<[Option<i64>; 2]> {
        let table = Json::of_part(table.as_bytes());
        rows(table, ["prefix", "frame"]).map(|row| row.map(Json::int)).collect()
    }

    #[test]
    fn both_forms_of_a_table() {
        let by_row = r#"{"schema": {"frame": 1, "prefix": 0}, "data": [[null, 7], [0, 8], [1]]}"#;
        let rows = [[None, Some(7)], [Some(0), Some(8)], [Some(1), None]];
        assert_eq!(read(by_row), rows);
        assert_eq!(read(r#"{"length": 3, "frame": [7, 8], "prefix": [null, 0, 1]}"#), rows);
        assert_eq!(
            read(r#"{"data": 1, "schema": null, "frame": [9], "frame": [8]}"#),
            [[None, Some(9)]]
        );
        assert_eq!(read("{}"), [[None; 2]; 0]);
        assert_eq!(read("[]"), [[None; 2]; 0]);
    }
}
