//! The allocator of the process.

/// mimalloc instead of the system's allocator. During an import, one thread frees what another
/// allocates; the system's allocator then kept a quarter more memory than was in use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// `mi_collect` is declared as in the library of the allocator, and any thread may call it at any
// time.
unsafe extern "C" {
    safe fn mi_collect(force: bool);
}

/// Returns memory to the system that this thread, or threads that have ended, freed. The allocator
/// does this by itself only where it allocates again. After an import most memory was freed
/// elsewhere: 15 to 30 MB stayed allocated while queries were planned.
pub fn give_back() {
    mi_collect(true);
}

/// Lets all threads share one heap of the C library, which has little to do: the library itself and
/// code in C use it. Otherwise each thread that starts reserves a heap of its own, with four calls
/// of the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_heap_of_c() {
    /// The most heaps that there may be, as the header of the library numbers this setting.
    const M_ARENA_MAX: i32 = -8;
    // `mallopt` is declared as in the library, and any thread may call it at any time.
    unsafe extern "C" {
        safe fn mallopt(setting: i32, value: i32) -> i32;
    }
    // Where it fails, heaps take time and no more.
    let _ = mallopt(M_ARENA_MAX, 1);
}

/// Other libraries have no such heaps.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_heap_of_c() {}
