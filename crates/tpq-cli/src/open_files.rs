//! The limit of open files: tpq opens one for each trace, and the usual 1,024 are too few.

/// Raises the limit as far as the system allows.
#[cfg(unix)]
pub fn raise_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    /// The maximum of systems that state no hard limit but have one.
    const FALLBACK_LIMIT: u64 = 10_240;
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        // If that is not allowed, the error about a file that cannot be opened is clear enough.
        let _ =
            raised.or_else(|_| setrlimit(Resource::RLIMIT_NOFILE, FALLBACK_LIMIT.min(hard), hard));
    }
}

/// There is no such limit on other systems.
#[cfg(not(unix))]
pub fn raise_limit() {}
