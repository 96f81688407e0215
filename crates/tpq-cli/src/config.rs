//! The user's settings: `tpq/config.toml` in the folder for configuration files.
//!
//! A command-line option overrides an environment variable, and that overrides a setting. The
//! exception is `PAGER`: all programs use it, so the setting overrides it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tpq_output::Format;

use crate::args::{parse_memory_limit, parse_size, parse_threads};
use crate::row_limit::RowLimit;
use crate::shell::Pager;

/// Every key, for error messages.
const KEYS: &str = "memory_limit, threads, cache_dir, cache_size, pager, timer, mode and limit";

/// The settings; `None` for each one that is not set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Like `--memory-limit`, in bytes.
    pub memory_limit: Option<u64>,
    /// Like `--threads`.
    pub threads: Option<usize>,
    /// Like `TPQ_CACHE_DIR`.
    pub cache_dir: Option<PathBuf>,
    /// Like `TPQ_CACHE_SIZE`, in bytes; 0 disables the cache.
    pub cache_size: Option<u64>,
    /// Like `.pager`.
    pub pager: Option<Pager>,
    /// Like `.timer`.
    pub timer: Option<bool>,
    /// Like `.mode`: the format of results on a terminal.
    pub mode: Option<Format>,
    /// Like `.limit`.
    pub limit: Option<RowLimit>,
}

/// An invalid setting.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("line {line}: {what}")]
pub struct ConfigError {
    line: usize,
    what: String,
}

impl Config {
    /// Reads the user's settings; the defaults if there is no file.
    ///
    /// # Errors
    /// When the file cannot be read or is invalid.
    pub fn load() -> anyhow::Result<Self> {
        let Some(path) = path().filter(|path| path.exists()) else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    /// Parses the text of a settings file.
    fn parse(text: &str) -> Result<Self, ConfigError> {
        let line_at = |byte: usize| text[..byte.min(text.len())].matches('\n').count() + 1;
        let table = toml::de::DeTable::parse(text).map_err(|error| ConfigError {
            line: line_at(error.span().map_or(0, |span| span.start)),
            what: error.message().to_owned(),
        })?;
        let mut config = Self::default();
        for (key, value) in table.get_ref() {
            let value = value.get_ref();
            let set = config.set(key.get_ref(), value);
            set.map_err(|what| ConfigError { line: line_at(key.span().start), what })?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, value: &toml::de::DeValue<'_>) -> Result<(), String> {
        match key {
            "memory_limit" => self.memory_limit = Some(size(key, value, parse_memory_limit)?),
            "threads" => {
                let threads = parse_threads(&integer(key, value)?.to_string());
                self.threads = Some(threads.map_err(|what| format!("threads: {what}"))?);
            }
            "cache_dir" => {
                let folder = PathBuf::from(text(key, value)?);
                let home = || Some(dirs::home_dir()?.join(folder.strip_prefix("~").ok()?));
                self.cache_dir = Some(home().unwrap_or(folder));
            }
            "cache_size" => {
                self.cache_size = Some(match value.as_str().map(str::trim) {
                    Some("0") => 0,
                    _ if integer(key, value) == Ok(0) => 0,
                    _ => size(key, value, parse_size)?,
                });
            }
            "pager" => {
                self.pager = Some(match parse_switch(value) {
                    Some(true) => Pager::On,
                    Some(false) => Pager::Off,
                    None => Pager::of(text(key, value)?),
                });
            }
            "timer" => {
                self.timer = Some(parse_switch(value).ok_or("timer: write true or false")?);
            }
            "mode" => {
                let format: Format = text(key, value)?.parse()?;
                if format.is_binary() {
                    return Err(format!("mode: {format} is not text, and cannot be printed"));
                }
                self.mode = Some(format);
            }
            "limit" => {
                let limit = match integer(key, value) {
                    Ok(rows) => rows.to_string(),
                    Err(_) => text(key, value)?.to_owned(),
                };
                self.limit = Some(limit.parse().map_err(|what| format!("limit: {what}"))?);
            }
            _ => return Err(format!("no setting is called `{key}`; there are {KEYS}")),
        }
        Ok(())
    }
}

fn text<'a>(key: &str, value: &'a toml::de::DeValue<'_>) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("{key}: expected text in quotes"))
}

fn integer(key: &str, value: &toml::de::DeValue<'_>) -> Result<i64, String> {
    let number = value.as_integer().and_then(|number| {
        let digits = number.as_str().replace('_', "");
        i64::from_str_radix(&digits, number.radix()).ok()
    });
    number.ok_or_else(|| format!("{key}: expected a whole number"))
}

/// A number of bytes, or a text such as `"4G"`.
fn size(
    key: &str,
    value: &toml::de::DeValue<'_>,
    parse: fn(&str) -> Result<u64, String>,
) -> Result<u64, String> {
    let written = match integer(key, value) {
        Ok(bytes) => bytes.to_string(),
        Err(_) => match value.as_str() {
            Some(text) => text.to_owned(),
            None => return Err(format!("{key}: expected a size, such as \"4G\"")),
        },
    };
    parse(&written).map_err(|what| format!("{key}: {what}"))
}

fn parse_switch(value: &toml::de::DeValue<'_>) -> Option<bool> {
    match value.as_str() {
        Some("on") => Some(true),
        Some("off") => Some(false),
        _ => value.as_bool(),
    }
}

/// The path of the settings: in `XDG_CONFIG_HOME`, otherwise in `~/.config`; on Windows in the
/// folder for roaming data.
fn path() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = named.filter(|folder| folder.is_absolute()).or_else(|| match cfg!(windows) {
        true => dirs::config_dir(),
        false => dirs::home_dir().map(|home| home.join(".config")),
    });
    folder.map(|folder| folder.join(Path::new("tpq/config.toml")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let text = "# mine\nmemory_limit = \"2G\"\nthreads = 3\ncache_dir = '/tmp/t'\n\
                    cache_size = 0\npager = \"less -S\"\ntimer = false\nmode = \"csv\"\nlimit = 50\n";
        let expected = Config {
            memory_limit: Some(2 << 30),
            threads: Some(3),
            cache_dir: Some("/tmp/t".into()),
            cache_size: Some(0),
            pager: Some(Pager::Command("less -S".to_owned())),
            timer: Some(false),
            mode: Some(Format::Csv),
            limit: Some(RowLimit::Rows(50)),
        };
        assert_eq!(Config::parse(text), Ok(expected));
        assert_eq!(Config::parse(""), Ok(Config::default()));
        let words = Config::parse("pager = \"off\"\nlimit = \"screen\"").unwrap();
        assert_eq!((words.pager, words.limit), (Some(Pager::Off), Some(RowLimit::Screen)));
    }

    #[test]
    fn errors_name_their_line() {
        let error = |text| Config::parse(text).unwrap_err().to_string();
        let unknown = error("timer = true\nmemroy_limit = 1\n");
        assert!(
            unknown.starts_with("line 2: no setting is called `memroy_limit`; there are memory")
        );
        assert!(error("threads = 0").contains("at least one thread"));
        assert!(error("memory_limit = \"8M\"").starts_with("line 1: memory_limit: too low"));
        assert!(error("memory_limit = \"lots\"").starts_with("line 1: memory_limit: not a size"));
        assert!(error("mode = \"parquet\"").contains("is not text"));
        assert!(error("\n\nmode = ").starts_with("line 3: "));
    }
}
