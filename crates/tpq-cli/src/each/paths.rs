//! Patterns of paths.

use std::path::PathBuf;

use anyhow::Context;

use crate::exit::Usage;

/// Replaces each argument that is a pattern by the files that match it, in the order of their
/// names. An argument that names an existing file is no pattern.
///
/// # Errors
/// When a pattern is wrong or matches nothing, or a folder cannot be read.
pub fn expand(arguments: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for argument in arguments {
        let text = argument.to_string_lossy();
        if argument.exists() || !text.contains(['*', '?', '[']) {
            paths.push(argument.clone());
            continue;
        }
        let wrong = |error| Usage(format!("`{text}` is not a pattern: {error}"));
        let before = paths.len();
        for path in glob::glob(&text).map_err(wrong)? {
            let path = path.context("cannot read a folder of the pattern")?;
            if path.is_file() {
                paths.push(path);
            }
        }
        if paths.len() == before {
            return Err(Usage(format!("no file matches `{text}`")).into());
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_replaced_by_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("a/b")).unwrap();
        for name in ["a/b/2.pftrace", "a/1.pftrace", "a/3.json", "x[1].pftrace"] {
            std::fs::write(path(name), "").unwrap();
        }
        let expanded = expand(&[path("**/*.pftrace"), path("a/3.json")]).unwrap();
        let names = ["a/1.pftrace", "a/b/2.pftrace", "x[1].pftrace", "a/3.json"].map(path);
        assert_eq!(expanded, names);
        assert_eq!(expand(&[path("x[1].pftrace")]).unwrap(), [path("x[1].pftrace")]);
        // A file that is absent is an error of its own later, with a better message.
        assert_eq!(expand(&[path("none")]).unwrap(), [path("none")]);
        assert!(expand(&[path("*.none")]).unwrap_err().to_string().starts_with("no file matches"));
        assert!(expand(&[path("***")]).unwrap_err().to_string().contains("is not a pattern"));
    }
}
