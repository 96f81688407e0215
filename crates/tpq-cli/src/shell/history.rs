//! Where what was typed is kept.

use std::path::PathBuf;

/// The history file in the user's state folder, which is made if need be; `None` where there is
/// no such folder, then history lasts as long as the shell.
pub fn path() -> Option<PathBuf> {
    let folder = dirs::state_dir().or_else(dirs::data_local_dir)?.join("tpq");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
