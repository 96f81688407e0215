//! A mapped file that another process may shorten or overwrite while it is read.
//!
//! A read beyond the end of a mapped file raises `SIGBUS`, which ends the process. Here a signal
//! handler maps zeros in place of the missing pages instead, and the map remembers that its
//! contents are no longer those of the file. The reader checks [`GuardedMap::is_intact`] before it
//! relies on what it read.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memmap2::{Mmap, MmapOptions};

#[cfg(unix)]
use self::guard::Guard;

/// A read-only map of a whole file.
pub struct GuardedMap {
    // Declared before the map, so that the handler forgets the pages before they are unmapped.
    #[cfg(unix)]
    guard: Guard,
    map: Mmap,
    /// The file that was mapped, to check its length again. Another file may have its name by then.
    file: File,
    /// The modification time of the file before it was mapped.
    modified: Option<SystemTime>,
    path: PathBuf,
}

impl GuardedMap {
    /// Maps a file that is not empty. `path` is its name in messages.
    ///
    /// # Errors
    /// When the system refuses the map or the signal handler.
    pub fn new(file: &File, path: &Path) -> io::Result<Self> {
        let file = file.try_clone()?;
        // Read before the file is mapped, so that every later write changes the metadata.
        let metadata = file.metadata()?;
        let len = usize::try_from(metadata.len()).map_err(io::Error::other)?;
        // SAFETY: the map is only read. If another process shortens the file, the guard maps zeros
        // in place of the missing pages. If another process writes to the file, values that were
        // read change, but no reader of a map relies on them for memory safety. A copy of a
        // multi-gigabyte trace in memory doubled the peak of an import.
        let map = unsafe { MmapOptions::new().len(len).map(&file) }?;
        #[cfg(unix)]
        let guard = Guard::new(map.as_ptr().addr(), map.len())?;
        Ok(Self {
            #[cfg(unix)]
            guard,
            map,
            file,
            modified: metadata.modified().ok(),
            path: path.to_owned(),
        })
    }

    /// Whether all bytes read so far were those of the file: `false` once the file was shortened.
    ///
    /// If another file takes the name of the mapped file, the map is still intact, because it keeps
    /// the old file. A new modification time alone is no damage either: files of a cache get one
    /// when they are used.
    pub fn is_intact(&self) -> bool {
        #[cfg(unix)]
        if self.guard.is_lost() {
            return false;
        }
        self.file.metadata().map_or(true, |metadata| metadata.len() >= self.map.len() as u64)
    }

    /// Whether the file was written to and kept its length, for example by a copy over it. Then
    /// some of the bytes read are old contents and some are new ones.
    ///
    /// A longer file does not count as overwritten: the program that records it appended to it.
    pub(crate) fn is_overwritten(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| {
            metadata.len() == self.map.len() as u64 && metadata.modified().ok() != self.modified
        })
    }

    /// Drops the pages of a range from memory. A later read loads them from the file again.
    pub fn release(&self, range: Range<usize>) {
        release(&self.map, range);
    }

    /// The name of the file when it was mapped.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Deref for GuardedMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl AsRef<[u8]> for GuardedMap {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// Drops pages of a map. On other systems than Linux the same advice has other meanings.
#[cfg(target_os = "linux")]
pub(crate) fn release(map: &Mmap, range: Range<usize>) {
    // SAFETY: nothing writes to the map, so a dropped page is loaded again from the file with the
    // same contents. Without this, all of a trace stays in memory until it is imported: a third of
    // the peak.
    let advised = unsafe {
        map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
    };
    // A page that stays in memory only uses memory.
    let _ = advised;
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn release(_: &Mmap, _: Range<usize>) {}

#[cfg(unix)]
mod guard {
    //! The handler of `SIGBUS`, and the list of mapped ranges that it searches.
    //!
    //! A signal handler may neither allocate nor lock. So the list only grows, and its nodes are
    //! atomics.

    use std::io;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

    use libc::{c_int, c_void, siginfo_t};

    /// A mapped range. A node that is not in use is reused for the next map.
    #[derive(Default)]
    struct Region {
        in_use: AtomicBool,
        /// The address of the first byte; 0 if the node covers no range.
        start: AtomicUsize,
        len: AtomicUsize,
        /// Whether missing pages were read.
        lost: AtomicBool,
        next: AtomicPtr<Region>,
    }

    static REGIONS: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());
    static HANDLER: OnceLock<Result<Handler, i32>> = OnceLock::new();

    /// The data that the handler needs.
    struct Handler {
        /// The previous action of the signal.
        previous: libc::sigaction,
        page_size: usize,
    }

    /// Protects a mapped range for as long as it lives.
    pub(super) struct Guard(&'static Region);

    impl Guard {
        pub(super) fn new(start: usize, len: usize) -> io::Result<Self> {
            let handler = HANDLER.get_or_init(install);
            handler.as_ref().map_err(|&code| io::Error::from_raw_os_error(code))?;
            let region = regions().find(|region| !region.in_use.swap(true, Ordering::AcqRel));
            let region = region.unwrap_or_else(new_region);
            region.lost.store(false, Ordering::Relaxed);
            // A handler that sees this length must also see that the node was released before.
            region.len.store(len, Ordering::Release);
            region.start.store(start, Ordering::Release);
            Ok(Self(region))
        }

        pub(super) fn is_lost(&self) -> bool {
            self.0.lost.load(Ordering::Acquire)
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.start.store(0, Ordering::Release);
            self.0.in_use.store(false, Ordering::Release);
        }
    }

    fn regions() -> impl Iterator<Item = &'static Region> {
        let mut next = REGIONS.load(Ordering::Acquire);
        std::iter::from_fn(move || {
            // SAFETY: the list holds only leaked nodes, which are complete before they are added.
            let region = unsafe { next.as_ref() }?;
            next = region.next.load(Ordering::Acquire);
            Some(region)
        })
    }

    /// Adds a node to the list that is already marked as in use.
    fn new_region() -> &'static Region {
        let region: &'static mut Region = Box::leak(Box::default());
        *region.in_use.get_mut() = true;
        let mut first = REGIONS.load(Ordering::Acquire);
        loop {
            *region.next.get_mut() = first;
            let swapped =
                REGIONS.compare_exchange(first, region, Ordering::AcqRel, Ordering::Acquire);
            match swapped {
                Ok(_) => return region,
                Err(other) => first = other,
            }
        }
    }

    fn install() -> Result<Handler, i32> {
        let failed = || io::Error::last_os_error().raw_os_error().unwrap_or_default();
        // SAFETY: a query to the system without any pointer.
        let page_size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page_size = usize::try_from(page_size).map_err(|_| failed())?;
        // SAFETY: zeros are a valid `sigaction`; both structures live during the calls; and
        // `on_bus_error` has the signature that `SA_SIGINFO` requires.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let mut previous: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigemptyset(&raw mut action.sa_mask);
            match libc::sigaction(libc::SIGBUS, &raw const action, &raw mut previous) {
                0 => Ok(Handler { previous, page_size }),
                _ => Err(failed()),
            }
        }
    }

    extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let Some(Ok(handler)) = HANDLER.get() else {
            return reset(signal);
        };
        // SAFETY: the kernel passes a valid structure with the address of the fault.
        let address = unsafe { (*info).si_addr() }.addr();
        if !regions().any(|region| region.replace_missing(address, handler.page_size)) {
            handler.pass_to_previous(signal, info, context);
        }
    }

    impl Region {
        /// Maps zeros from the page of `address` to the end, if the address is in this range.
        fn replace_missing(&self, address: usize, page_size: usize) -> bool {
            let start = self.start.load(Ordering::Acquire);
            let len = self.len.load(Ordering::Acquire);
            // A node that is being reused for another map may still have the length of the old one.
            let is_stable = self.start.load(Ordering::Acquire) == start;
            if start == 0 || !is_stable || !(start..start + len).contains(&address) {
                return false;
            }
            let page = address - address % page_size;
            let len = start + len - page;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            // Set before the call, because other threads read the zeros as soon as they are mapped.
            self.lost.store(true, Ordering::Release);
            // SAFETY: the pages belong to a map that is alive, because it is being read, and that
            // is only read: zeros are as valid as any other bytes. `mmap` is a plain system call.
            let mapped = unsafe {
                let at = ptr::with_exposed_provenance_mut(page);
                libc::mmap(at, len, libc::PROT_READ, flags, -1, 0)
            };
            mapped != libc::MAP_FAILED
        }
    }

    impl Handler {
        /// Passes a fault outside of all mapped files to the previous handler.
        fn pass_to_previous(&self, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
            let action = self.previous.sa_sigaction;
            if action == libc::SIG_DFL || action == libc::SIG_IGN {
                return reset(signal);
            }
            // SAFETY: the system returned this address as that of a handler, and its flags state
            // which signature it has.
            unsafe {
                if self.previous.sa_flags & libc::SA_SIGINFO != 0 {
                    let handle: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                        std::mem::transmute(action);
                    handle(signal, info, context);
                } else {
                    let handle: extern "C" fn(c_int) = std::mem::transmute(action);
                    handle(signal);
                }
            }
        }
    }

    /// Restores the default action, which ends the process when the fault is raised again.
    fn reset(signal: c_int) {
        // SAFETY: a plain system call that a handler may make.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: usize = 64 * 1024;

    fn file_of(byte: u8, len: usize) -> (tempfile::NamedTempFile, GuardedMap) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), vec![byte; len]).expect("can be written");
        let map = GuardedMap::new(file.as_file(), file.path()).expect("can be mapped");
        (file, map)
    }

    #[test]
    fn a_file_that_stays_as_it_is_stays_intact() {
        let (file, map) = file_of(7, 3 * PAGES + 10);
        assert!(map.iter().all(|&byte| byte == 7));
        map.release(0..2 * PAGES);
        assert_eq!(map[PAGES], 7);
        assert!(map.is_intact());
        // A longer file still has what was mapped.
        file.as_file().set_len(9 * PAGES as u64).expect("grows");
        assert!(map.is_intact());
    }

    #[cfg(unix)]
    #[test]
    fn missing_pages_read_as_zeros_and_are_noticed() {
        let (file, map) = file_of(7, 8 * PAGES);
        file.as_file().set_len(PAGES as u64).expect("shrinks");
        assert_eq!(map[5 * PAGES], 0);
        assert_eq!(map[2 * PAGES], 0);
        assert_eq!(map[8 * PAGES - 1], 0);
        assert_eq!(map[10], 7);
        // This holds even after the file has grown again.
        file.as_file().set_len(8 * PAGES as u64).expect("grows");
        assert!(!map.is_intact());
    }

    /// The rest of the last page reads as zeros without any signal.
    #[cfg(unix)]
    #[test]
    fn a_cut_within_a_page_is_noticed_by_the_length() {
        let (file, map) = file_of(7, 100);
        file.as_file().set_len(50).expect("shrinks");
        assert!(!map.is_intact());
        assert_eq!(map[99], 0);
    }

    #[test]
    fn a_file_that_was_overwritten_in_place_is_noticed() {
        let (file, map) = file_of(7, 2 * PAGES);
        assert!(!map.is_overwritten());
        // The clock of a file system may be coarse.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let mut other = File::options().write(true).open(file.path()).expect("is there");
        io::Write::write_all(&mut other, &[8; 10]).expect("can be written");
        assert!(map.is_overwritten());
        // An append makes the file longer. Then it does not count as overwritten.
        other.set_len(9 * PAGES as u64).expect("grows");
        assert!(!map.is_overwritten());
        assert!(map.is_intact());
    }

    #[cfg(unix)]
    #[test]
    fn each_of_many_maps_notices_its_own_loss_on_any_thread() {
        let maps: Vec<_> = (0..40).map(|index| file_of(index, 4 * PAGES)).collect();
        for (file, _) in maps.iter().step_by(2) {
            file.as_file().set_len(0).expect("shrinks");
        }
        std::thread::scope(|scope| {
            for (index, (_, map)) in maps.iter().enumerate() {
                scope.spawn(move || {
                    let lost = index % 2 == 0;
                    let expected = if lost { 0 } else { index as u8 };
                    assert!(map.iter().all(|&byte| byte == expected), "{index}");
                    assert_eq!(map.is_intact(), !lost, "{index}");
                });
            }
        });
    }

    /// On other systems a mapped file cannot be deleted.
    #[cfg(unix)]
    #[test]
    fn another_file_with_the_same_name_does_not_matter() {
        let (file, map) = file_of(7, 2 * PAGES);
        let path = file.path().to_owned();
        std::fs::remove_file(&path).expect("is there");
        std::fs::write(&path, "another").expect("can be written");
        assert!(map.is_intact() && !map.is_overwritten());
        assert_eq!(map[PAGES], 7);
        // The map checks the old file.
        file.as_file().set_len(PAGES as u64).expect("shrinks");
        assert!(!map.is_intact());
    }
}
