//! A place of its own for processes under attack, so that whatever they leave can be seen.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Folders for temporary files, the cache, the user's files, and output.
pub struct Sandbox(TempDir);

/// Ending of the names of finished files in the cache.
const TABLES: &str = ".tables";

impl Sandbox {
    pub fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        for folder in ["tmp", "cache", "home", "out"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The binary under attack, to be run in the sandbox with the cache in it.
    pub fn tpq(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("RUST_LOG")
            .env_remove("RUST_BACKTRACE")
            .env_remove("TPQ_CACHE_SIZE")
            .env("TPQ_CACHE_DIR", self.path("cache"))
            .env("TMPDIR", self.path("tmp"))
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("home/cache"))
            .env("XDG_CONFIG_HOME", self.path("home/config"))
            .env("XDG_STATE_HOME", self.path("home/state"))
            .env("XDG_DATA_HOME", self.path("home/data"))
            .env("XDG_RUNTIME_DIR", self.path("home/run"))
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        command
    }

    /// The files of tables in the cache.
    pub fn cached(&self) -> Vec<PathBuf> {
        let is_table = |path: &PathBuf| path.to_string_lossy().ends_with(TABLES);
        entries(&self.path("cache")).into_iter().filter(is_table).collect()
    }

    /// Left files where only files in use should be: temporary files, and unfinished files of the
    /// cache.
    pub fn left(&self) -> Vec<String> {
        let mut left = all_below(&self.path("tmp"));
        // A folder of such a name belongs to its creator.
        let finished = |path: &PathBuf| path.to_string_lossy().contains(TABLES);
        left.extend(all_below(&self.path("cache")).into_iter().filter(|path| !finished(path)));
        left.iter().map(|path| self.name(path)).collect()
    }

    /// A path in the sandbox as seen from there.
    pub fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.0.path()).unwrap_or(path).display().to_string()
    }
}

/// The binary under attack.
fn binary() -> PathBuf {
    match std::env::var_os("TPQ_ATTACK_BINARY").filter(|path| !path.is_empty()) {
        // It runs in another folder than this process.
        Some(path) => fs::canonicalize(&path).unwrap_or_else(|_| path.into()),
        None => env!("CARGO_BIN_EXE_tpq").into(),
    }
}

/// Entries of a folder, by name. Other processes may change it meanwhile.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}

/// All that lies below a folder, files and folders.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() && !path.is_symlink() {
            found.extend(all_below(&path));
        }
        found.push(path);
    }
    found
}
