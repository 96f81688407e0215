//! Linker arguments of an extension module: the interpreter that loads it has the symbols of
//! Python, which the linker of macOS needs as an option.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS");
    if target.is_ok_and(|target| target == "macos") {
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
}
