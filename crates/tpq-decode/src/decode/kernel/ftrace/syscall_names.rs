//! Names of system calls by number, as the architectures define them.
//!
//! Each file has one architecture's names in the order of their numbers; a number among them is
//! that of the name that follows.

use std::sync::LazyLock;

/// Names by number, empty where there is none.
type Names = LazyLock<Vec<&'static str>>;

static X86_64: Names = LazyLock::new(|| read(include_str!("syscalls/x86_64.txt")));
static AARCH64: Names = LazyLock::new(|| read(include_str!("syscalls/aarch64.txt")));
static X86: Names = LazyLock::new(|| read(include_str!("syscalls/x86.txt")));
static ARM: Names = LazyLock::new(|| read(include_str!("syscalls/arm.txt")));
/// Calls that 32-bit kernels have in addition, or name differently.
static ARM_OLD: Names = LazyLock::new(|| read(include_str!("syscalls/arm_old.txt")));

/// The name of a system call; `None` for one that is unknown, or where the architecture is.
pub(super) fn name(arch: &str, number: i64) -> Option<&'static str> {
    let tables: &[&Names] = match arch {
        "x86_64" => &[&X86_64],
        "aarch64" => &[&AARCH64],
        "i686" => &[&X86],
        "armv7l" => &[&ARM],
        "armv8l" => &[&ARM_OLD, &ARM],
        _ => return None,
    };
    let number = usize::try_from(number).ok()?;
    let mut names = tables.iter().filter_map(|names| names.get(number).copied());
    names.find(|name| !name.is_empty())
}

fn read(text: &'static str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for word in text.split_whitespace() {
        match word.parse() {
            Ok(number) => names.resize(number, ""),
            Err(_) => names.push(word),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_differ_between_architectures() {
        assert_eq!(name("x86_64", 0), Some("read"));
        assert_eq!(name("aarch64", 63), Some("read"));
        assert_eq!(name("i686", 3), Some("read"));
        assert_eq!(name("armv7l", 3), Some("read"));
        assert_eq!(name("x86_64", 59), Some("execve"));
        assert_eq!(name("mips", 0), None);
        assert_eq!(name("x86_64", -1), None);
        assert_eq!(name("x86_64", 100_000), None);
    }

    #[test]
    fn numbers_behind_gaps_are_right() {
        assert_eq!(name("x86_64", 400), None);
        for arch in ["x86_64", "aarch64", "i686", "armv7l"] {
            assert_eq!(name(arch, 435), Some("clone3"), "{arch}");
            assert_eq!(name(arch, 462), Some("mseal"), "{arch}");
        }
        assert_eq!(name("armv7l", 322), Some("openat"));
        assert_eq!(name("i686", 295), Some("openat"));
        assert_eq!(name("aarch64", 84), Some("sync_file_range"));
    }

    #[test]
    fn kernels_of_32_bits_have_calls_of_their_own() {
        assert_eq!((name("armv7l", 13), name("armv8l", 13)), (None, Some("time")));
        assert_eq!(name("armv7l", 341), Some("sync_file_range2"));
        assert_eq!(name("armv8l", 341), Some("arm_sync_file_range"));
        assert_eq!(name("armv8l", 322), Some("openat"));
    }
}
