//! Names of functions as their source has them.

use std::fmt::{self, Write};

use cpp_demangle::DemangleOptions;

/// The maximum length in bytes. A part of a mangled name can refer to all text before it, so that
/// short names can become very long.
const LONGEST_NAME: usize = 64 << 10;

/// The name of a function in its source, or the symbol itself if it is not mangled.
pub(super) fn readable(symbol: &str) -> String {
    let mut name = LimitedText::default();
    let is_mangled = if let Ok(rust) = rustc_demangle::try_demangle(symbol) {
        write!(name, "{rust:#}").is_ok()
    } else if symbol.starts_with("_Z")
        && let Ok(cpp) = cpp_demangle::Symbol::new(symbol.as_bytes())
    {
        cpp.structured_demangle(&mut name, &DemangleOptions::default()).is_ok()
    } else {
        false
    };
    if is_mangled { name.0 } else { symbol.to_owned() }
}

/// A text of at most `LONGEST_NAME` bytes; writing more is an error.
#[derive(Default)]
struct LimitedText(String);

impl Write for LimitedText {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LONGEST_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_languages() {
        for (symbol, name) in [
            ("_Z3fooi", "foo(int)"),
            ("_ZN3tpq4main17h0123456789abcdefE", "tpq::main"),
            ("main", "main"),
            ("_Zwrong", "_Zwrong"),
        ] {
            assert_eq!(readable(symbol), name);
        }
    }
}
