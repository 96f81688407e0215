//! How the binary is linked.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Functions in the order of the program, written by `benches/link_order.py`.
const ORDER: &str = "crates/tpq-cli/link_order.txt";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // A quarter of a million addresses that are adjusted when a process starts, as bits
        // instead of 24 bytes each: 6 MB less to read, and to keep in memory.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        if is("PROFILE", "release") && is("CARGO_CFG_TARGET_ARCH", "x86_64") {
            order_functions()?;
        }
    }
    Ok(())
}

/// Puts functions that common commands call side by side. The system maps 64 KiB of a program around
/// a byte that is touched, and the 10 MB that a query calls are scattered over 160 MB otherwise.
fn order_functions() -> io::Result<()> {
    println!("cargo:rerun-if-changed={ORDER}");
    let order = Path::new(&variable("CARGO_MANIFEST_DIR")?).join(ORDER);
    // Names that a build does not have need no warning: some differ with every change.
    let argument =
        format!("-Wl,--symbol-ordering-file={},--no-warn-symbol-ordering", order.display());
    if is_known_to_linker(&argument)? {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    Ok(())
}

/// Whether the linker takes this argument: LLD, which Rust comes with, does, and GNU's does not.
fn is_known_to_linker(argument: &str) -> io::Result<bool> {
    let folder = variable("OUT_DIR")?;
    let source = Path::new(&folder).join("link_probe.rs");
    std::fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(variable("RUSTC")?);
    rustc.args(["--target", &variable("TARGET")?, "--out-dir", &folder]).arg(source);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    if let Ok(flags) = env::var("CARGO_ENCODED_RUSTFLAGS") {
        rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    }
    rustc.arg(format!("-Clink-arg={argument}"));
    Ok(rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}
