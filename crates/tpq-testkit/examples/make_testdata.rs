//! Writes all files of `testdata/`: `cargo run -p tpq-testkit --example make_testdata`.

use std::{fs, io};

use tpq_testkit::{corrupt, testdata};

fn main() -> io::Result<()> {
    let folder = testdata::folder();
    fs::create_dir_all(folder.join("corrupt"))?;
    for (path, bytes) in testdata::files() {
        fs::write(folder.join(path), bytes)?;
    }
    for (path, bytes) in corrupt::files() {
        fs::write(folder.join("corrupt").join(path), bytes)?;
    }
    Ok(())
}
