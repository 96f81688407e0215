//! Text in columns: what the commands that describe a trace have in common.

use datafusion::arrow::array::Array;
use datafusion::arrow::util::display::array_value_to_string;
use tpq::Trace;

use crate::terminal::{Look, Style};

/// A cell of a row.
pub struct Cell {
    text: String,
    to_the_right: bool,
    look: Look,
}

impl Cell {
    /// Text, which begins at the left.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), to_the_right: false, look: Look::Plain }
    }

    /// A number, which ends at the right.
    pub fn number(text: impl Into<String>) -> Self {
        Self { to_the_right: true, ..Self::text(text) }
    }

    /// Whichever it begins like.
    pub fn of(text: impl Into<String>) -> Self {
        let cell = Self::text(text);
        let to_the_right = cell.text.starts_with(|c: char| c.is_ascii_digit());
        Self { to_the_right, ..cell }
    }

    /// The cell in another look.
    pub fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// A heading, after an empty line.
pub fn heading(title: &str, style: Style, out: &mut String) {
    out.push_str(&format!("\n{}\n", style.bold(title)));
}

/// Rows with their cells in columns. The last column is as wide as it is.
pub fn columns(rows: &[Vec<Cell>], style: Style, out: &mut String) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max();
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
        for (column, cell) in row[..filled].iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.width());
            let text = style.look(cell.look, &cell.text);
            out.push_str("  ");
            match cell.to_the_right {
                true => out.extend([pad, text]),
                false if column + 1 == filled => out.push_str(&text),
                false => out.extend([text, pad]),
            }
        }
        out.push('\n');
    }
}

/// A heading and the rows of a query in columns; says whether there were any.
pub async fn section(
    trace: &Trace,
    title: &str,
    sql: &str,
    style: Style,
    out: &mut String,
) -> anyhow::Result<bool> {
    let cells = |row: Vec<String>| row.into_iter().map(Cell::of).collect();
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

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and what it counts, which is called otherwise when there is one.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A size in bytes.
pub fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}

/// A length of time in the largest unit that it fills, to three digits after the point.
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
            vec![Cell::text("a"), Cell::of("1,024"), Cell::text("more to say")],
            vec![Cell::text("longer"), Cell::of("7")],
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
