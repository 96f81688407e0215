//! Parameters of statements, as arguments and commands give them.

use std::str::FromStr;

use tpq::{ParameterValue, Session};

/// A parameter from the text `NAME=VALUE`.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: String,
    pub value: ParameterValue,
}

impl Parameter {
    /// Checks a name, and gives a value its type.
    ///
    /// # Errors
    /// When no statement can have a parameter of this name.
    pub fn new(name: &str, value: &str) -> Result<Self, String> {
        // The sign belongs to the statement, but is easily written here as well.
        let name = name.trim().trim_start_matches(['$', ':']);
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return Err(format!("`{name}` is not a name of letters, digits and _"));
        }
        Ok(Self { name: name.to_owned(), value: ParameterValue::from_text(value) })
    }

    /// Sets the parameter for later statements of a session.
    pub fn set(&self, session: &Session) {
        session.set_parameter(&self.name, self.value.clone());
    }
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) =
            text.split_once('=').ok_or("a parameter is written NAME=VALUE, such as limit=10")?;
        Self::new(name, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_has_a_name_and_a_value() {
        let parameter = |text: &str| text.parse::<Parameter>().map(|it| (it.name, it.value));
        assert_eq!(parameter("n=5"), Ok(("n".into(), ParameterValue::Integer(5))));
        assert_eq!(parameter("$n=a=b"), Ok(("n".into(), ParameterValue::Text("a=b".into()))));
        assert_eq!(parameter("n="), Ok(("n".into(), ParameterValue::Text(String::new()))));
        assert!(parameter("n").is_err());
        assert!(parameter("=5").is_err());
        assert!(parameter("a b=5").is_err());
    }
}
