//! Text in columns, for the commands that describe a trace.

use datafusion::arrow::array::Array;
use datafusion::arrow::util::display::array_value_to_string;
use tpq::Trace;
pub use tpq_health::grouped;

use crate::terminal::{Emphasis, Style};

/// A cell of a row.
pub struct Cell {
    text: String,
    right_aligned: bool,
    emphasis: Emphasis,
}

impl Cell {
    /// Left-aligned text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), right_aligned: false, emphasis: Emphasis::Plain }
    }

    /// A right-aligned number.
    pub fn number(text: impl Into<String>) -> Self {
        Self { right_aligned: true, ..Self::text(text) }
    }

    /// Aligned by its first character: right if it is a digit, otherwise left.
    pub fn auto(text: impl Into<String>) -> Self {
        let cell = Self::text(text);
        let right_aligned = cell.text.starts_with(|c: char| c.is_ascii_digit());
        Self { right_aligned, ..cell }
    }

    /// The cell with another emphasis.
    pub fn emphasis(self, emphasis: Emphasis) -> Self {
        Self { emphasis, ..self }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// Appends a heading after an empty line.
pub fn heading(title: &str, style: Style, out: &mut String) {
    out.push_str(&format!("\n{}\n", style.bold(title)));
}

/// Appends rows with aligned columns. The last column is not padded.
pub fn columns(rows: &[Vec<Cell>], style: Style, out: &mut String) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max();
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
        for (column, cell) in row[..filled].iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.width());
            let text = style.emphasize(cell.emphasis, &cell.text);
            out.push_str("  ");
            match cell.right_aligned {
                true => out.extend([pad, text]),
                false if column + 1 == filled => out.push_str(&text),
                false => out.extend([text, pad]),
            }
        }
        out.push('\n');
    }
}

/// Appends a heading and the rows of a query in columns. Returns whether there were any rows.
pub async fn section(
    trace: &Trace,
    title: &str,
    sql: &str,
    style: Style,
    out: &mut String,
) -> anyhow::Result<bool> {
    let cells = |row: Vec<String>| row.into_iter().map(Cell::auto).collect();
    let rows: Vec<Vec<Cell>> = rows(trace, sql).await?.into_iter().map(cells).collect();
    if !rows.is_empty() {
        heading(title, style, out);
        columns(&rows, style, out);
    }
    Ok(!rows.is_empty())
}

/// The rows of a query as text; NULL is empty.
pub async fn rows(trace: &Trace, sql: &str) -> anyhow::Result<Vec<Vec<String>>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for batch in trace.sql(sql).await? {
        for row in 0..batch.num_rows() {
            let cell = |column: &std::sync::Arc<dyn Array>| match column.is_null(row) {
                true => Ok(String::new()),
                false => array_value_to_string(column, row),
            };
            rows.push(batch.columns().iter().map(cell).collect::<Result<_, _>>()?);
        }
    }
    Ok(rows)
}

/// A number and the counted noun, in the singular or plural.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// A size in bytes.
pub fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}

/// A duration in the largest unit that it fills, with three decimal places.
pub fn duration(ns: u64) -> String {
    let in_units = |unit: u64, name: &str| format!("{:.3} {name}", ns as f64 / unit as f64);
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => in_units(1_000, "µs"),
        1_000_000..1_000_000_000 => in_units(1_000_000, "ms"),
        _ => {
            let ms = ns / 1_000_000;
            format!("{}.{:03} s", grouped(ms / 1_000), ms % 1_000)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_line_up() {
        let rows = [
            vec![Cell::text("name"), Cell::text("times"), Cell::text("what")],
            vec![Cell::text("a"), Cell::auto("1,024"), Cell::text("more to say")],
            vec![Cell::text("longer"), Cell::auto("7")],
            vec![Cell::text("µ"), Cell::number("-3"), Cell::text("")],
        ];
        let mut out = String::new();
        columns(&rows, Style::plain(), &mut out);
        let expected = [
            "  name    times  what",
            "  a       1,024  more to say",
            "  longer      7",
            "  µ          -3",
            "",
        ];
        assert_eq!(out, expected.join("\n"));
    }

    #[test]
    fn durations_have_a_unit_that_fits() {
        let all = [0, 999, 1_500, 2_670_174, 1_000_000_000, 1_800_000_499_999];
        let expected = ["0 ns", "999 ns", "1.500 µs", "2.670 ms", "1.000 s", "1,800.000 s"];
        assert_eq!(all.map(duration), expected);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "row", "rows"), "1 row");
        assert_eq!(counted(0, "row", "rows"), "0 rows");
    }
}
