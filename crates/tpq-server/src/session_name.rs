//! Names of sessions, which stand for Unix sockets.

use std::path::{Path, PathBuf};

/// The longest name of a session.
const MAX_NAME: usize = 64;

/// The path of the socket that a text names: a path is one that ends in `.sock` or is absolute,
/// and a bare word is the name of a session in the user's folder for sockets. `None` if it is
/// neither.
pub fn socket_path(text: &str) -> Option<PathBuf> {
    if text.ends_with(".sock") || Path::new(text).is_absolute() {
        return Some(text.into());
    }
    is_session_name(text).then(|| folder().join(format!("{text}.sock")))
}

/// Whether a text is the name of a session: letters, digits, `_` and `-`, but not at its start.
fn is_session_name(text: &str) -> bool {
    let mut letters = text.chars();
    text.len() <= MAX_NAME
        && letters.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}

/// Whether a folder is that of sessions, which no user has chosen.
#[cfg(unix)]
pub(crate) fn is_session_folder(path: &Path) -> bool {
    path == folder()
}

/// The folder of sessions.
fn folder() -> PathBuf {
    let user = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    user.map_or_else(std::env::temp_dir, PathBuf::from).join("perfetto")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_path_or_a_name() {
        assert_eq!(socket_path("a/b.sock"), Some("a/b.sock".into()));
        assert_eq!(socket_path("/run/tpq"), Some("/run/tpq".into()));
        assert_eq!(socket_path("mine-1"), Some(folder().join("mine-1.sock")));
        for other in ["localhost:9001", "", "-a", "a.b", "a/b", &"a".repeat(65)] {
            assert_eq!(socket_path(other), None, "{other}");
        }
    }
}
