//! How results are shown on the screen, and the settings for it.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tpq_output::Format;

use super::pager::Pager;
use super::print_note;
use crate::config::Config;
use crate::layout::bytes;
use crate::row_limit::{RowLimit, ShownRows};

/// How results are shown.
pub struct Screen {
    pub format: Format,
    /// Whether to print the time and the peak memory of each statement.
    pub timer: bool,
    /// How many rows of a result are shown.
    pub limit: RowLimit,
    pub pager: Pager,
}

impl Screen {
    /// The settings of the user.
    pub fn of(config: &Config) -> Self {
        // Piped results have all rows, unless a command changes the limit.
        let on_terminal = std::io::stdout().is_terminal();
        let limit = config.limit.filter(|_| on_terminal);
        Self {
            format: config.mode.filter(|_| on_terminal).unwrap_or(Format::Table),
            timer: config.timer.unwrap_or(true),
            limit: limit.unwrap_or_default(),
            pager: config.pager.clone().unwrap_or_default(),
        }
    }

    /// Changes the setting of a command: `.mode`, `.limit`, `.pager` or `.timer`.
    ///
    /// # Errors
    /// When the argument is wrong.
    pub fn set(&mut self, command: &str, argument: &str) -> anyhow::Result<()> {
        match command {
            ".mode" => {
                let format: Format = argument.parse().map_err(anyhow::Error::msg)?;
                anyhow::ensure!(
                    !format.is_binary(),
                    "{format} is not text; name a file with .output"
                );
                self.format = format;
            }
            ".limit" => {
                anyhow::ensure!(
                    !argument.is_empty(),
                    "write .limit N, .limit screen or .limit off"
                );
                self.limit = argument.parse::<RowLimit>().map_err(anyhow::Error::msg)?;
            }
            ".pager" => {
                anyhow::ensure!(
                    !argument.is_empty(),
                    "write .pager on, .pager off or .pager COMMAND"
                );
                self.pager = Pager::of(argument);
            }
            _ => {
                self.timer = match argument {
                    "on" => true,
                    "off" => false,
                    _ => anyhow::bail!("write .timer on or .timer off"),
                };
            }
        }
        Ok(())
    }

    /// Prints text, through the pager if it does not fit. Returns whether a pager ran.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub fn print(&self, text: &[u8]) -> anyhow::Result<bool> {
        let paged = self.pager.print(text)?;
        std::io::stdout().flush()?;
        Ok(paged)
    }

    /// Prints how many rows were shown, the time, and the peak memory. Without output there is only
    /// the time, if it is to be shown.
    pub fn print_summary(
        &self,
        shown: Option<ShownRows>,
        all: Option<u64>,
        (elapsed, peak): (Duration, Option<u64>),
    ) {
        let mut text = match shown {
            Some(shown) => shown.describe(all),
            None if self.timer => "done".to_owned(),
            None => return,
        };
        if self.timer {
            text.push_str(&format!(" in {}", statement_time(elapsed)));
            if let Some(peak) = peak {
                text.push_str(&format!(", memory at most {}", bytes(peak)));
            }
        }
        if shown.is_some_and(|shown| shown.is_truncated) {
            text.push_str("; .limit off shows all");
        }
        print_note(&text);
    }
}

/// The message about a statement that Ctrl-C stopped.
pub fn cancelled_message(shown: ShownRows, elapsed: Duration, still_running: bool) -> String {
    let rows = ShownRows { is_truncated: false, ..shown }.describe(None);
    let still = if still_running { "; its last step ends in the background" } else { "" };
    format!("cancelled after {}, with {rows} so far{still}", statement_time(elapsed))
}

/// The time of a statement. Most statements take a few milliseconds, of which tenths are shown.
fn statement_time(elapsed: Duration) -> String {
    if elapsed < Duration::from_millis(100) {
        format!("{:.1} ms", elapsed.as_secs_f64() * 1e3)
    } else {
        format!("{:.3} s", elapsed.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_have_tenths_of_milliseconds() {
        let all = [40, 3_449, 99_940, 100_000, 2_345_678];
        let expected = ["0.0 ms", "3.4 ms", "99.9 ms", "0.100 s", "2.346 s"];
        assert_eq!(all.map(|us| statement_time(Duration::from_micros(us))), expected);
    }
}
