//! Numbers of CPUs.

use tpq_trackers::track::MAX_CPUS;

/// A value that is the number of no CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoCpu;

/// Reads the number of a CPU; `None` for an unknown one, which programs write as -1.
///
/// # Errors
/// When no machine has a CPU of that number, or the text is no number.
pub(super) fn cpu(text: &str) -> Result<Option<u32>, NoCpu> {
    match text {
        "" | "-1" | "null" => Ok(None),
        _ => text.parse().ok().filter(|&cpu| cpu < MAX_CPUS).map(Some).ok_or(NoCpu),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_unknown_ones() {
        assert_eq!(cpu("4095"), Ok(Some(4095)));
        for text in ["", "-1", "null"] {
            assert_eq!(cpu(text), Ok(None), "{text}");
        }
        for text in ["4096", "-2", "1.5", "x", "99999999999"] {
            assert_eq!(cpu(text), Err(NoCpu), "{text}");
        }
    }
}
