//! The peak memory of the process while a statement runs.

/// Measures the peak of resident memory. Only Linux provides it.
pub struct PeakMemory(());

impl PeakMemory {
    /// Resets the peak.
    pub fn watch() -> Self {
        // 5 resets the peak of resident memory, see proc(5). If this fails, the peak is that of the
        // whole process, which is still an upper bound for the statement.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Self(())
    }

    /// The peak of resident memory in bytes since [`Self::watch`], mapped files included.
    pub fn bytes(&self) -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_large_allocation_raises_the_peak() {
        const BYTES: usize = 64 << 20;
        let peak = PeakMemory::watch();
        let before = peak.bytes().unwrap();
        let mut memory = vec![0_u8; BYTES];
        for page in memory.chunks_mut(4096) {
            page[0] = 1;
        }
        assert!(std::hint::black_box(&memory)[0] == 1);
        assert!(peak.bytes().unwrap() >= before.max(BYTES as u64));
    }
}
