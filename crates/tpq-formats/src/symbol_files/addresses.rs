//! Addresses that debug information uses, from those that profilers record.

use object::{BinaryFormat, File, Object, ObjectSegment};
use tpq_decode::MappedBinary;

/// How the mapping of the kernel begins.
const KERNEL: &str = "[kernel";

/// A part of a file with code, and where it is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Segment {
    address: u64,
    memory_size: u64,
    offset: u64,
    /// 0 where a file has debug information alone.
    file_size: u64,
    align: u64,
}

/// The parts of a file with code.
#[derive(Debug)]
pub(super) struct Segments {
    parts: Vec<Segment>,
    /// Whether the file is of one of Apple's systems. Their profilers count addresses from where
    /// the first part is loaded.
    is_mach_o: bool,
}

impl Segments {
    pub(super) fn of(file: &File<'_>) -> Self {
        let code = file.segments().filter(|segment| segment.permissions().executable());
        let segment = |segment: object::Segment<'_, '_>| {
            let (offset, file_size) = segment.file_range();
            Segment {
                address: segment.address(),
                memory_size: segment.size(),
                offset,
                file_size,
                align: segment.align(),
            }
        };
        let is_mach_o = file.format() == BinaryFormat::MachO;
        Self { parts: code.map(segment).collect(), is_mach_o }
    }

    /// The address in the binary that a profiler means by `rel_pc`.
    ///
    /// A profiler adds a load bias to the offset in the file, which should give the address. Some do
    /// not know the bias, and older ones got it wrong, so the address is computed from the offset.
    pub(super) fn address_in(&self, binary: &MappedBinary<'_>, rel_pc: u64) -> u64 {
        if self.is_mach_o || binary.path.starts_with(KERNEL) {
            let base = self.parts.first().map_or(0, |segment| segment.address);
            return rel_pc.wrapping_add(base);
        }
        if !binary.has_range {
            return rel_pc;
        }
        let offset = rel_pc.wrapping_sub(binary.load_bias);
        let by_offset = self.parts.iter().find_map(|segment| segment.address_of(offset));
        by_offset.or_else(|| self.by_mapping(binary, offset)).unwrap_or(rel_pc)
    }

    /// The address of an offset in the file of the program, by a file with debug information alone.
    /// Offsets of parts are not known there, but equal the addresses modulo the alignment.
    fn by_mapping(&self, binary: &MappedBinary<'_>, offset: u64) -> Option<u64> {
        let mapped = binary.exact_offset.wrapping_sub(binary.start_offset);
        self.parts.iter().filter(|segment| segment.file_size == 0).find_map(|segment| {
            let bias = segment.align_down(segment.address).wrapping_sub(segment.align_down(mapped));
            let address = offset.wrapping_add(bias);
            segment.holds(address).then_some(address)
        })
    }
}

impl Segment {
    fn address_of(self, offset: u64) -> Option<u64> {
        let inside = offset.checked_sub(self.offset)?;
        (inside < self.file_size).then(|| self.address.wrapping_add(inside))
    }

    fn holds(self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|inside| inside < self.memory_size)
    }

    /// Alignments are powers of two; 0 and 1 mean none.
    fn align_down(self, value: u64) -> u64 {
        match self.align.is_power_of_two() {
            true => value & !(self.align - 1),
            false => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPED: MappedBinary<'_> = MappedBinary {
        path: "/lib/a.so",
        build_id: "",
        exact_offset: 0x1000,
        start_offset: 0,
        load_bias: 0,
        has_range: true,
    };

    fn segments(file_size: u64) -> Segments {
        let segment = Segment {
            address: 0x3040,
            memory_size: 0x500,
            offset: 0x1040,
            file_size,
            align: 0x1000,
        };
        Segments { parts: vec![segment], is_mach_o: false }
    }

    #[test]
    fn offsets_become_addresses() {
        let code = segments(0x500);
        // perf does not know the load bias.
        assert_eq!(code.address_in(&MAPPED, 0x1050), 0x3050);
        // heapprofd does, and an old one was wrong about it.
        for load_bias in [0x2000, 0x40] {
            let mapped = MappedBinary { load_bias, ..MAPPED };
            assert_eq!(code.address_in(&mapped, 0x1050 + load_bias), 0x3050, "{load_bias:x}");
        }
        // Outside of all code nothing is known.
        assert_eq!(code.address_in(&MAPPED, 0x9000), 0x9000);
        // Without a mapping there is no offset.
        let unmapped = MappedBinary { has_range: false, ..MAPPED };
        assert_eq!(code.address_in(&unmapped, 0x3050), 0x3050);
    }

    #[test]
    fn files_with_debug_information_alone_have_no_offsets() {
        let debug = segments(0);
        assert_eq!(debug.address_in(&MAPPED, 0x1050), 0x3050);
        // A library within an archive begins at its own offset.
        let packed = MappedBinary { exact_offset: 0x51000, start_offset: 0x50000, ..MAPPED };
        assert_eq!(debug.address_in(&packed, 0x1050), 0x3050);
        assert_eq!(debug.address_in(&MAPPED, 0x1030), 0x1030, "before the code");
    }

    #[test]
    fn addresses_of_apples_systems_count_from_the_first_part() {
        let code = Segments { is_mach_o: true, ..segments(0x500) };
        assert_eq!(code.address_in(&MAPPED, 0x10), 0x3050);
    }

    #[test]
    fn addresses_of_the_kernel_count_from_its_start() {
        let kernel = MappedBinary { path: "[kernel.kallsyms]_text", ..MAPPED };
        assert_eq!(segments(0x500).address_in(&kernel, 0x10), 0x3050);
    }
}
