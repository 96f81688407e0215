//! Amounts in words, and sizes that one would ask for.

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;
const GIB: f64 = 1024.0 * MIB;

/// Bytes as people say them.
pub(super) fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes >= GIB => format!("{:.1} GiB", bytes / GIB),
        bytes if bytes >= MIB => format!("{:.1} MiB", bytes / MIB),
        bytes if bytes >= KIB => format!("{:.0} KiB", bytes / KIB),
        bytes => format!("{bytes:.0} bytes"),
    }
}

/// A time in ns as people say it.
pub(super) fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 10e9 => format!("{:.0} s", ns / 1e9),
        ns if ns >= 1e9 => format!("{:.1} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.0} ms", ns / 1e6),
        ns => format!("{:.0} µs", ns / 1e3),
    }
}

/// A count with its thousands set apart.
pub(super) fn count(count: i64) -> String {
    let digits = count.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if count < 0 { format!("-{text}") } else { text }
}

/// A count and what is counted, in the singular where it is one.
pub(super) fn many(number: i64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

/// A size in KiB, a tenth larger than needed, and round: a power of two up to 1 MiB, then whole
/// MiB.
pub(super) fn size_kb(needed_bytes: f64) -> u64 {
    let kb = (needed_bytes * 1.1 / 1024.0).ceil().max(1.0) as u64;
    match kb {
        kb if kb <= 1024 => kb.next_power_of_two(),
        kb => kb.div_ceil(1024).saturating_mul(1024),
    }
}

/// A count as tables hold it. Recorders do not count that far; damaged ones may say they did.
pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_as_people_say_them() {
        assert_eq!(bytes(10_059_776.0), "9.6 MiB");
        assert_eq!(bytes(900.0), "900 bytes");
        assert_eq!(time(5_970_000_000.0), "6.0 s");
        assert_eq!(time(44_000_000.0), "44 ms");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(-85_391), "-85,391");
        assert_eq!(many(1, "packet", "packets"), "1 packet");
    }

    #[test]
    fn sizes_are_round_and_a_little_larger() {
        assert_eq!(size_kb(100.0 * 1024.0), 128);
        assert_eq!(size_kb(1000.0 * 1024.0), 2048, "1,100 KiB are more than 1 MiB");
        assert_eq!(size_kb(10_059_776.0), 11_264);
        assert_eq!(size_kb(f64::MAX), u64::MAX, "counts that no recording reaches");
    }
}
