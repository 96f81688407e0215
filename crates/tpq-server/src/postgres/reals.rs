//! Reals as PostgreSQL writes them in text: `600` and not `600.0`, `1e+15`, `Infinity`.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::arrow::error::ArrowError;

/// A column of reals as text.
///
/// # Errors
/// When it is a column of another type, which is a bug.
pub(super) fn reals_as_text(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let texts: StringArray = match column.data_type() {
        DataType::Float64 => {
            let reals = column.as_primitive::<Float64Type>().iter();
            reals.map(|real| real.map(|real| written(real, format!("{real:e}"), 15))).collect()
        }
        _ => {
            let reals = cast(column, &DataType::Float32)?;
            let reals = reals.as_primitive::<Float32Type>().iter();
            let text = |real: f32| written(real.into(), format!("{real:e}"), 6);
            reals.map(|real| real.map(text)).collect()
        }
    };
    Ok(std::sync::Arc::new(texts))
}

/// A real with the fewest digits that name it, which `scientific` has. From 1e-4 up to 10 to the
/// power of `most` there is no exponent.
fn written(real: f64, scientific: String, most: i32) -> String {
    if real.is_nan() {
        return "NaN".into();
    }
    if real.is_infinite() {
        return if real > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let parts = scientific.split_once('e');
    let Some((mantissa, Ok(exponent))) = parts.map(|(it, exponent)| (it, exponent.parse::<i32>()))
    else {
        return scientific;
    };
    if !(-4..most).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let Ok(whole) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.get(whole + 1..).filter(|fraction| !fraction.is_empty()) {
        Some(fraction) => format!("{sign}{}.{fraction}", &digits[..=whole]),
        None => format!("{sign}{digits}{}", "0".repeat((whole + 1).saturating_sub(digits.len()))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float32Array, Float64Array};

    use super::*;

    #[test]
    fn reals_are_written_as_postgresql_does() {
        let written = |column: ArrayRef| {
            let texts = reals_as_text(&column).expect("text");
            let texts = texts.as_string::<i32>().iter();
            texts.map(|text| text.unwrap_or("NULL").to_owned()).collect::<Vec<_>>()
        };
        let reals =
            vec![600.0, 0.5, -1.25, 0.0, -0.0, 123_456.789, 1e14, 1e15, -1.5e20, 0.0001, 1e-5];
        let texts = [
            "600",
            "0.5",
            "-1.25",
            "0",
            "-0",
            "123456.789",
            "100000000000000",
            "1e+15",
            "-1.5e+20",
            "0.0001",
            "1e-05",
        ];
        assert_eq!(written(Arc::new(Float64Array::from(reals))), texts);
        let others = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1.0 / 3.0];
        let texts = ["NaN", "Infinity", "-Infinity", "1e+300", "0.3333333333333333"];
        assert_eq!(written(Arc::new(Float64Array::from(others.to_vec()))), texts);
        assert_eq!(written(Arc::new(Float64Array::from(vec![None]))), ["NULL"]);
        let single = vec![0.1_f32, 100_000.0, 1_000_000.0];
        assert_eq!(written(Arc::new(Float32Array::from(single))), ["0.1", "100000", "1e+06"]);
    }
}
