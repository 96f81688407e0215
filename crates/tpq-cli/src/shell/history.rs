//! The history file.

use std::path::PathBuf;

/// The history file in the user's state folder, which is created if needed. `None` if there is no
/// such folder; then the history is lost when the shell ends.
pub fn path() -> Option<PathBuf> {
    let folder = dirs::state_dir().or_else(dirs::data_local_dir)?.join("tpq");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
