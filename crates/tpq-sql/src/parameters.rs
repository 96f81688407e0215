//! Parameters of a session: values that `$name` and `:name` stand for in statements.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};

use crate::session::Session;

/// The value of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum ParameterValue {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// A text.
    Text(String),
}

impl ParameterValue {
    /// The value that a text most likely means: NULL, an integer, a real, or the text itself.
    pub fn from_text(text: &str) -> Self {
        if text.eq_ignore_ascii_case("null") {
            return Self::Null;
        }
        // `inf` and `nan` are texts, and so is `+5`.
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
            && text.contains(|c: char| c.is_ascii_digit());
        if !is_number {
            return Self::Text(text.to_owned());
        }
        if let Ok(integer) = text.parse() {
            return Self::Integer(integer);
        }
        match text.parse::<f64>() {
            Ok(real) if real.is_finite() => Self::Real(real),
            _ => Self::Text(text.to_owned()),
        }
    }
}

/// Formats the value as a literal of SQL.
impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value:?}"),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
        }
    }
}

/// The parameters of a session, by names in lower case.
#[derive(Default)]
pub(crate) struct Parameters(RwLock<BTreeMap<String, ParameterValue>>);

impl From<BTreeMap<String, ParameterValue>> for Parameters {
    fn from(values: BTreeMap<String, ParameterValue>) -> Self {
        Self(RwLock::new(values))
    }
}

impl Parameters {
    /// A copy of all parameters.
    pub(crate) fn all(&self) -> BTreeMap<String, ParameterValue> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, ParameterValue>) -> T) -> T {
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Session {
    /// Sets a parameter: `$name` and `:name` stand for the value in statements that are run later.
    /// The value is never read as SQL. Upper and lower case of the name are the same.
    pub fn set_parameter(&self, name: &str, value: ParameterValue) {
        self.parameter_values().change(|all| all.insert(name.to_lowercase(), value));
    }

    /// Removes a parameter; returns whether it was set.
    pub fn remove_parameter(&self, name: &str) -> bool {
        self.parameter_values().change(|all| all.remove(&name.to_lowercase())).is_some()
    }

    /// The names and values of all parameters, in alphabetical order.
    pub fn parameters(&self) -> Vec<(String, ParameterValue)> {
        self.parameter_values().all().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_of_the_type_that_it_looks_like() {
        let text = |text: &str| ParameterValue::Text(text.to_owned());
        for (given, value) in [
            ("null", ParameterValue::Null),
            ("-7", ParameterValue::Integer(-7)),
            ("-9223372036854775808", ParameterValue::Integer(i64::MIN)),
            ("9223372036854775808", ParameterValue::Real(9_223_372_036_854_775_808.0)),
            ("1e3", ParameterValue::Real(1000.0)),
            (".5", ParameterValue::Real(0.5)),
            ("1e999", text("1e999")),
            ("inf", text("inf")),
            ("-inf", text("-inf")),
            ("NaN", text("NaN")),
            ("+5", text("+5")),
            ("5 ", text("5 ")),
            ("-", text("-")),
            ("", text("")),
            ("it's", text("it's")),
        ] {
            assert_eq!(ParameterValue::from_text(given), value, "{given}");
        }
        assert_eq!(text("it's").to_string(), "'it''s'");
        assert_eq!(ParameterValue::Real(2.0).to_string(), "2.0");
    }
}
