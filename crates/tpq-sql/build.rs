//! Lists the modules of `sql/`, so that a new one is a new file and nothing else.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../sql");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut modules = Vec::new();
    collect(&root, "", &mut modules)?;
    modules.sort();
    let mut list = String::from("/// Name and text, in the order of names.\n");
    writeln!(list, "const BUILT_IN: &[(&str, &str)] = &[")?;
    for (name, path) in modules {
        writeln!(list, "    ({name:?}, include_str!({:?})),", path.canonicalize()?)?;
    }
    list.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("modules.rs"), list)?;
    Ok(())
}

/// Every file below `folder`, named by the folders it lies in. The prelude is no module.
fn collect(
    folder: &Path,
    package: &str,
    modules: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if package.is_empty() && stem == "prelude" {
            continue;
        }
        let name = if package.is_empty() { stem.to_owned() } else { format!("{package}.{stem}") };
        if path.is_dir() {
            collect(&path, &name, modules)?;
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            modules.push((name, path));
        }
    }
    Ok(())
}
