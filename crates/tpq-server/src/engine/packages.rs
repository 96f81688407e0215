//! Packages of SQL modules that clients send.

use std::collections::HashSet;

use tpq_proto::message::RegisterSqlPackageArgs;
use tpq_sql::SqlModule;

use super::{Engine, EngineError};

/// Why a package was not taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// There is no trace to use it with.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It has no name.
    #[error("a package needs a name")]
    NoName,
    /// A module is not in the package.
    #[error("module `{module}` is not in package `{package}`: its name must begin with it")]
    OtherPackage {
        /// The module.
        module: String,
        /// The package.
        package: String,
    },
    /// Modules of the package exist.
    #[error("package `{0}` exists already; allow it to be overridden")]
    Exists(String),
}

impl Engine {
    /// Adds the modules of a package to the current trace.
    ///
    /// # Errors
    /// When a name is not valid, or the package exists and must not be replaced.
    pub async fn register_package(&self, args: RegisterSqlPackageArgs) -> Result<(), PackageError> {
        let package = args.package_name().to_owned();
        if package.is_empty() {
            return Err(PackageError::NoName);
        }
        let trace = self.trace().await?;
        let prefix = format!("{package}.");
        let known: HashSet<String> = trace.session().module_names().into_iter().collect();
        let exists = known.iter().any(|name| name.starts_with(&prefix));
        if exists && !args.allow_override() {
            return Err(PackageError::Exists(package));
        }
        let mut modules = Vec::with_capacity(args.modules.len());
        for module in args.modules {
            let name = module.name.unwrap_or_default();
            if !name.starts_with(&prefix) {
                return Err(PackageError::OtherPackage { module: name, package });
            }
            modules.push(SqlModule { name, text: module.sql.unwrap_or_default().into() });
        }
        trace.session().add_modules(&modules);
        Ok(())
    }
}
