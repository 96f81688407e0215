//! Turns `protos/` into Rust types and a descriptor set, without `protoc`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    // Asked at run time: a target folder that several checkouts share keeps this program.
    let protos = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../../protos");
    println!("cargo::rerun-if-changed={}", protos.display());

    let mut descriptors = protox::compile(proto_files(&protos.join("tpq"))?, [&protos])?;
    // prost-build reads the comments; nobody does at run time.
    prost_build::Config::new().enable_type_names().compile_fds(descriptors.clone())?;
    for file in &mut descriptors.file {
        file.source_code_info = None;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("descriptors.bin");
    fs::write(out, descriptors.encode_to_vec())?;
    Ok(())
}

/// Every `.proto` file of a folder, in the same order on every machine.
fn proto_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
