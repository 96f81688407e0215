//! Packages of SQL modules in a folder of the user.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

use tpq_sql::SqlModule;

/// A folder with `.sql` files. Each file is a module named after its path: with a package `mine`,
/// `INCLUDE PERFETTO MODULE mine.startup.slow` reads `startup/slow.sql`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SqlPackage {
    /// The folder.
    pub path: PathBuf,
    /// The prefix of the module names; the folder's own name if `None`.
    pub name: Option<String>,
}

/// Why a package could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqlPackageError {
    /// A file or folder could not be read.
    #[error("{path}: cannot be read as a package of SQL modules: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The package has no modules.
    #[error("{0}: holds no .sql files")]
    Empty(PathBuf),
}

/// The syntax of the command line: `DIR` or `DIR@NAME`.
impl FromStr for SqlPackage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, name) = match text.rsplit_once('@') {
            Some((path, name)) if !name.contains(['/', '\\']) => (path, Some(name)),
            _ => (text, None),
        };
        if path.is_empty() {
            return Err("expected DIR or DIR@NAME".into());
        }
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
        };
        let name = match name {
            None => None,
            Some(name) if is_name(&name) => Some(name.to_owned()),
            Some(name) => return Err(format!("`{name}` cannot be the name of a package")),
        };
        Ok(Self { path: path.into(), name })
    }
}

impl SqlPackage {
    /// Reads every module of the package.
    ///
    /// # Errors
    /// When the folder or one of its files cannot be read, or it has no modules.
    pub(crate) fn read(&self) -> Result<Vec<SqlModule>, SqlPackageError> {
        let mut modules = Vec::new();
        self.collect(&self.path, &self.root()?, &mut modules)?;
        if modules.is_empty() {
            return Err(SqlPackageError::Empty(self.path.clone()));
        }
        Ok(modules)
    }

    /// The prefix of all module names. A whole library, recognised by its prelude, holds several
    /// packages, each in a folder of its own name, so it has no prefix.
    fn root(&self) -> Result<String, SqlPackageError> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        if self.path.join("prelude").is_dir() {
            return Ok(String::new());
        }
        let path =
            self.path.canonicalize().map_err(|source| self.unreadable(&self.path, source))?;
        Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    fn unreadable(&self, path: &Path, source: io::Error) -> SqlPackageError {
        SqlPackageError::Unreadable { path: path.to_owned(), source }
    }

    fn collect(
        &self,
        folder: &Path,
        package: &str,
        modules: &mut Vec<SqlModule>,
    ) -> Result<(), SqlPackageError> {
        let entries = fs::read_dir(folder).map_err(|source| self.unreadable(folder, source))?;
        for entry in entries {
            let path = entry.map_err(|source| self.unreadable(folder, source))?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name =
                if package.is_empty() { stem.into_owned() } else { format!("{package}.{stem}") };
            if path.is_dir() {
                self.collect(&path, &name, modules)?;
            } else if path.extension().is_some_and(|extension| extension == "sql") {
                let text = fs::read_to_string(&path);
                let text = text.map_err(|source| self.unreadable(&path, source))?.into();
                modules.push(SqlModule { name, text });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::SqlPackage;

    #[test]
    fn a_package_is_a_folder_with_or_without_a_name() {
        let package = |path: &str, name: Option<&str>| {
            Ok(SqlPackage { path: path.into(), name: name.map(str::to_owned) })
        };
        assert_eq!("dir".parse(), package("dir", None));
        assert_eq!("a@b/dir".parse(), package("a@b/dir", None));
        assert_eq!("dir@mine".parse(), package("dir", Some("mine")));
        assert!("dir@my-own".parse::<SqlPackage>().is_err());
        assert!("@mine".parse::<SqlPackage>().is_err());
    }
}
