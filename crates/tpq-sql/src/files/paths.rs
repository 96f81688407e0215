//! From the names and patterns of a statement to files.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::errors::{SqlError, SqlErrorKind};
use crate::functions::matches_glob;

/// The largest number of files of one call.
const MAX_FILES: usize = 10_000;

/// The files that names and patterns select: those of a pattern in alphabetical order.
///
/// # Errors
/// When there is no such file, or it is not a regular file.
pub(super) fn expand(patterns: &[String]) -> Result<Vec<PathBuf>, SqlError> {
    let mut files = Vec::new();
    for pattern in patterns {
        let path = Path::new(pattern);
        if !is_pattern(pattern) || path.exists() {
            files.push(regular_file(path)?);
            continue;
        }
        let matching = matching(path, pattern)?;
        if matching.is_empty() {
            let message = format!("no file matches `{pattern}`");
            return Err(SqlError::new(SqlErrorKind::UnknownTable, message));
        }
        for file in &matching {
            files.push(regular_file(file)?);
        }
    }
    match files.len() > MAX_FILES {
        true => Err(too_many(&patterns.join(", "))),
        false => Ok(files),
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn too_many(pattern: &str) -> SqlError {
    let message = format!("`{pattern}` matches more than {MAX_FILES} files");
    SqlError::new(SqlErrorKind::TooLarge, message)
}

/// The absolute path of a regular file. Others, such as pipes, might never end.
fn regular_file(path: &Path) -> Result<PathBuf, SqlError> {
    let name = path.display();
    let metadata = path.metadata().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let message = format!("there is no file `{name}`");
            let here = std::env::current_dir().map(|here| here.display().to_string());
            let hint = here.ok().filter(|_| path.is_relative());
            let hint = hint.map(|here| format!("the path is relative to {here}"));
            SqlError::new(SqlErrorKind::UnknownTable, message).hint(hint)
        }
        _ => cannot_read(path, &error),
    })?;
    if metadata.is_dir() {
        let message = format!("`{name}` is a folder");
        let hint = Some(format!("for all files in it, write '{}'", path.join("*").display()));
        return Err(SqlError::new(SqlErrorKind::Invalid, message).hint(hint));
    }
    if !metadata.is_file() {
        let message = format!("`{name}` is not a regular file");
        return Err(SqlError::new(SqlErrorKind::Invalid, message));
    }
    path.canonicalize().map_err(|error| cannot_read(path, &error))
}

/// The error that a file cannot be read.
pub(super) fn cannot_read(path: &Path, reason: &dyn std::fmt::Display) -> SqlError {
    let message = format!("cannot read `{}`: {reason}", path.display());
    SqlError::new(SqlErrorKind::Execution, message)
}

/// The files that match a pattern, in which each part of the path may have `*`, `?` and `[a-z]`.
fn matching(path: &Path, pattern: &str) -> Result<Vec<PathBuf>, SqlError> {
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        found = match part {
            Component::Normal(name) => match name.to_str().filter(|name| is_pattern(name)) {
                Some(name) => matching_entries(&found, name, pattern)?,
                None => found.iter().map(|folder| folder.join(name)).collect(),
            },
            other => found.iter().map(|folder| folder.join(other)).collect(),
        };
    }
    found.retain(|path| path.is_file());
    found.sort();
    Ok(found)
}

/// The entries of several folders with a name that matches `name`.
fn matching_entries(
    folders: &[PathBuf],
    name: &str,
    pattern: &str,
) -> Result<Vec<PathBuf>, SqlError> {
    let mut found = Vec::new();
    for folder in folders {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
        // A folder that cannot be listed has no file that could be read.
        let Ok(entries) = here.read_dir() else { continue };
        for entry in entries.flatten() {
            let entry = entry.file_name();
            let Some(entry_name) = entry.to_str() else { continue };
            let is_shown = !entry_name.starts_with('.') || name.starts_with('.');
            if is_shown && matches_glob(name, entry_name).unwrap_or(false) {
                found.push(folder.join(&entry));
            }
            if found.len() > MAX_FILES {
                return Err(too_many(pattern));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with some files, and the text of a path in it.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/1.csv", "a/2.csv", "b/3.csv", "b/.hidden.csv", "b/x[1].csv", "b/y.txt"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "a\n1\n").unwrap();
        }
        folder
    }

    fn expanded(folder: &tempfile::TempDir, patterns: &[&str]) -> Result<Vec<String>, SqlError> {
        let in_folder = |pattern: &&str| folder.path().join(pattern).display().to_string();
        let files = expand(&patterns.iter().map(in_folder).collect::<Vec<_>>())?;
        let root = folder.path().canonicalize().unwrap();
        let name = |file: &PathBuf| file.strip_prefix(&root).unwrap().display().to_string();
        Ok(files.iter().map(name).collect())
    }

    #[test]
    fn patterns_select_files_in_order() {
        let folder = folder();
        assert_eq!(expanded(&folder, &["a/*.csv"]).unwrap(), ["a/1.csv", "a/2.csv"]);
        assert_eq!(expanded(&folder, &["*/[13].csv"]).unwrap(), ["a/1.csv", "b/3.csv"]);
        assert_eq!(expanded(&folder, &["b/?.*"]).unwrap(), ["b/3.csv", "b/y.txt"]);
        assert_eq!(expanded(&folder, &["b/3.csv", "a/1.csv"]).unwrap(), ["b/3.csv", "a/1.csv"]);
        // A file of exactly this name is not a pattern.
        assert_eq!(expanded(&folder, &["b/x[1].csv"]).unwrap(), ["b/x[1].csv"]);
    }

    #[test]
    fn other_paths_are_errors() {
        let folder = folder();
        let message = |pattern| expanded(&folder, &[pattern]).unwrap_err().to_string();
        assert!(message("a/9.csv").starts_with("there is no file `"), "{}", message("a/9.csv"));
        assert!(message("a/*.parquet").starts_with("no file matches `"));
        assert!(message("a").ends_with("` is a folder"));
    }
}
