//! `.param`: values that `$NAME` and `:NAME` stand for in statements.

use tpq::Session;

use crate::parameter::Parameter;

/// Runs the command; returns the text to print.
///
/// # Errors
/// When the arguments are wrong.
pub fn run(session: &Session, argument: &str) -> anyhow::Result<String> {
    let (verb, rest) = first_word(argument);
    match verb {
        "" | "list" => Ok(list(session)),
        "set" => {
            let (name, value) = first_word(rest);
            anyhow::ensure!(!name.is_empty(), "write .param set NAME VALUE");
            Parameter::new(name, unquoted(value)).map_err(anyhow::Error::msg)?.set(session);
            Ok(String::new())
        }
        "unset" => {
            let name = rest.trim_start_matches(['$', ':']);
            anyhow::ensure!(session.remove_parameter(name), "no parameter is called `{name}`");
            Ok(String::new())
        }
        "clear" => {
            for (name, _) in session.parameters() {
                session.remove_parameter(&name);
            }
            Ok(String::new())
        }
        _ => anyhow::bail!("write .param set NAME VALUE, unset NAME, list or clear"),
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

/// The value without the double quotes around it, which keep blanks at its ends.
fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    inner.unwrap_or(value)
}

/// The parameters, each on a line.
fn list(session: &Session) -> String {
    let parameters = session.parameters();
    let wide = parameters.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, value): &(String, tpq::ParameterValue)| format!("{name:<wide$}  {value}\n");
    parameters.iter().map(line).collect()
}
