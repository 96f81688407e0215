//! The allocator of the process.

/// What one thread allocates another gives back, all through an import: the system's allocator kept
/// a quarter more memory than was in use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// SAFETY: it is the function of that name of the library that allocates, declared as there, which
// any thread may call at any time.
unsafe extern "C" {
    safe fn mi_collect(force: bool);
}

/// Gives memory back to the system that this thread freed, or threads that have ended. The allocator
/// does so by itself only where it allocates again, which after an import is not where most was
/// freed: 15 to 30 MB stayed, beside which a query is planned.
pub fn give_back() {
    mi_collect(true);
}
