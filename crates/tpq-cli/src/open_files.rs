//! How many files a process may have open: one for each trace, and the usual 1,024 are too few.

/// Raises the limit as far as the system lets this process.
#[cfg(unix)]
pub fn raise_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    /// The most on systems that state no hard limit but have one.
    const USUAL: u64 = 10_240;
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        // Where that is not allowed, the error about a file that cannot be opened says enough.
        let _ = raised.or_else(|_| setrlimit(Resource::RLIMIT_NOFILE, USUAL.min(hard), hard));
    }
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub fn raise_limit() {}
