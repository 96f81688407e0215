//! Settings of a connection: what `SHOW` and `SET` know. None of them changes a result.

use std::collections::BTreeMap;

/// The version of PostgreSQL that clients are to expect, and its text.
const VERSION: &str = concat!("16.6 (tpq ", env!("CARGO_PKG_VERSION"), ")");
pub(super) const VERSION_TEXT: &str =
    concat!("PostgreSQL 16.6, tpq ", env!("CARGO_PKG_VERSION"), ", which reads traces");

/// The most settings that a client may add, and the longest value.
const MAX_SETTINGS: usize = 1_000;
const MAX_VALUE: usize = 10_000;

/// Settings with their values at first. A client receives those of the first part when it connects.
const REPORTED: [(&str, &str); 13] = [
    ("server_version", VERSION),
    ("server_encoding", "UTF8"),
    ("client_encoding", "UTF8"),
    ("application_name", ""),
    ("default_transaction_read_only", "on"),
    ("in_hot_standby", "off"),
    ("is_superuser", "off"),
    ("session_authorization", ""),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("integer_datetimes", "on"),
    ("standard_conforming_strings", "on"),
];
const OTHERS: [(&str, &str); 25] = [
    ("server_version_num", "160006"),
    ("search_path", "\"$user\", public"),
    ("transaction_isolation", "repeatable read"),
    ("default_transaction_isolation", "repeatable read"),
    ("transaction_read_only", "on"),
    ("transaction_deferrable", "off"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("client_min_messages", "notice"),
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("row_security", "on"),
    ("escape_string_warning", "on"),
    ("lc_collate", "C"),
    ("lc_ctype", "C"),
    ("lc_messages", "C"),
    ("lc_monetary", "C"),
    ("lc_numeric", "C"),
    ("lc_time", "C"),
    ("max_identifier_length", "63"),
    ("max_index_keys", "32"),
    ("block_size", "8192"),
    ("role", "none"),
    ("ssl", "off"),
];

/// The value at first of a setting, if there is one of that name.
pub(super) fn default_of(name: &str) -> Option<&'static str> {
    let mut all = REPORTED.iter().chain(&OTHERS);
    all.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}

/// Why a setting cannot have a value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum SettingError {
    #[error("the client encoding is UTF8, and no other")]
    Encoding,
    #[error("the setting `{0}` cannot be changed")]
    Fixed(String),
    #[error("too many settings, or too long a value")]
    TooMuch,
}

/// The settings of a connection that differ from those at first, by names in lower case.
#[derive(Default, Debug)]
pub(super) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// The value of a setting; `None` where there is none of that name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let changed = self.0.get(&name.to_lowercase()).map(String::as_str);
        changed.or_else(|| default_of(name))
    }

    /// Changes a setting. One that is not known is kept, as clients set many.
    ///
    /// # Errors
    /// When it cannot have this value.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let name = name.to_lowercase();
        match name.as_str() {
            "client_encoding" => return is_utf8(value).ok_or(SettingError::Encoding),
            "transaction_read_only" | "default_transaction_read_only" if is_off(value) => {
                return Err(SettingError::Fixed(name));
            }
            "server_version"
            | "server_version_num"
            | "server_encoding"
            | "integer_datetimes"
            | "is_superuser"
            | "standard_conforming_strings"
            | "bytea_output"
                if self.get(&name).is_some_and(|now| now != value) =>
            {
                return Err(SettingError::Fixed(name));
            }
            _ => {}
        }
        if self.0.len() >= MAX_SETTINGS || name.len() + value.len() > MAX_VALUE {
            return Err(SettingError::TooMuch);
        }
        self.0.insert(name, value.to_owned());
        Ok(())
    }

    /// Gives a setting its value at first.
    pub(super) fn reset(&mut self, name: &str) {
        self.0.remove(&name.to_lowercase());
    }

    /// Gives all settings their values at first.
    pub(super) fn reset_all(&mut self) {
        self.0.clear();
    }

    /// The settings that a client receives when it connects.
    pub(super) fn reported(&self) -> impl Iterator<Item = (&'static str, &str)> {
        REPORTED.iter().map(|(name, _)| (*name, self.get(name).unwrap_or_default()))
    }

    /// The name of a setting, if clients receive its changes.
    pub(super) fn reports(name: &str) -> Option<&'static str> {
        let reported = REPORTED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        reported.map(|(name, _)| *name)
    }

    /// All settings that are known, in alphabetical order.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        let known = REPORTED.iter().chain(&OTHERS).map(|(name, _)| (*name).to_owned());
        let mut names: Vec<String> = known.collect();
        let is_new = |name: &&String| default_of(name).is_none();
        names.extend(self.0.keys().filter(is_new).cloned());
        names.sort_by_key(|name| name.to_lowercase());
        let value = |name: String| {
            let value = self.get(&name).unwrap_or_default().to_owned();
            (name, value)
        };
        names.into_iter().map(value).collect()
    }
}

fn is_utf8(encoding: &str) -> Option<()> {
    let letters: String = encoding.chars().filter(char::is_ascii_alphanumeric).collect();
    matches!(letters.to_ascii_lowercase().as_str(), "utf8" | "unicode" | "sqlascii" | "default")
        .then_some(())
}

fn is_off(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "off" | "false" | "no" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_change_and_return() {
        let mut settings = Settings::default();
        assert_eq!(settings.get("datestyle"), Some("ISO, MDY"));
        assert_eq!(settings.get("nothing"), None);
        assert_eq!(settings.set("Application_Name", "psql"), Ok(()));
        assert_eq!(settings.set("jit", "off"), Ok(()));
        assert_eq!(settings.get("application_name"), Some("psql"));
        assert!(
            settings.reported().any(|(name, value)| (name, value) == ("application_name", "psql"))
        );
        assert!(settings.all().contains(&("jit".to_owned(), "off".to_owned())));
        settings.reset("application_name");
        assert_eq!(settings.get("application_name"), Some(""));
        settings.reset_all();
        assert_eq!(settings.get("jit"), None);
    }

    #[test]
    fn what_is_fixed_stays() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("client_encoding", "utf-8"), Ok(()));
        assert_eq!(settings.set("client_encoding", "LATIN1"), Err(SettingError::Encoding));
        assert_eq!(settings.set("default_transaction_read_only", "on"), Ok(()));
        let fixed = |name: &str| Err(SettingError::Fixed(name.to_owned()));
        assert_eq!(settings.set("transaction_read_only", "off"), fixed("transaction_read_only"));
        assert_eq!(settings.set("server_version", "9.0"), fixed("server_version"));
        assert_eq!(settings.set("a", &"x".repeat(MAX_VALUE)), Err(SettingError::TooMuch));
    }
}
