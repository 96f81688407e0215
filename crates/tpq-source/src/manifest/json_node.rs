//! Access to a JSON document by nodes that know their path.

use serde_json::Value;

use super::{ClockName, ManifestProblem as Problem};

/// A value, and its path in messages.
pub(super) struct JsonNode<'a> {
    pub(super) value: &'a Value,
    pub(super) path: String,
}

impl<'a> JsonNode<'a> {
    /// A field of this object, if it has it.
    pub(super) fn field(&self, key: &str) -> Result<Option<Self>, Problem> {
        let Value::Object(fields) = self.value else { return Err(self.must_be("an object")) };
        Ok(fields.get(key).map(|value| Self { value, path: self.path_to(key) }))
    }

    /// A field that this object must have.
    pub(super) fn required(&self, key: &str) -> Result<Self, Problem> {
        self.field(key)?.ok_or_else(|| Problem::Required(self.path_to(key)))
    }

    /// A field of this object that holds text.
    pub(super) fn text_field(&self, key: &str) -> Result<Option<String>, Problem> {
        self.field(key)?.map(|node| node.text()).transpose()
    }

    /// A field of this object that names a clock.
    pub(super) fn clock_field(&self, key: &str) -> Result<Option<ClockName>, Problem> {
        self.field(key)?.map(|node| node.clock()).transpose()
    }

    /// The items of this array.
    pub(super) fn items(&self) -> Result<impl Iterator<Item = Self>, Problem> {
        let Value::Array(items) = self.value else { return Err(self.must_be("an array")) };
        let item = |(index, value)| Self { value, path: format!("{}[{index}]", self.path) };
        Ok(items.iter().enumerate().map(item))
    }

    /// This value as text.
    pub(super) fn text(&self) -> Result<String, Problem> {
        let text = self.value.as_str().ok_or_else(|| self.must_be("a string"))?;
        Ok(text.to_owned())
    }

    /// The clock that this value names.
    pub(super) fn clock(&self) -> Result<ClockName, Problem> {
        let name = self.text()?;
        ClockName::named(&name)
            .ok_or_else(|| Problem::UnknownClock { field: self.path.clone(), name })
    }

    fn path_to(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    fn must_be(&self, expected: &'static str) -> Problem {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        Problem::Type { field: self.path.clone(), expected, found }
    }
}
