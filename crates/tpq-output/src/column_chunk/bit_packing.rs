//! Integers of a few bits each, and Parquet's hybrid of runs and packed groups.

/// Numbers that are packed together: eight of them fill whole bytes, whatever their width.
const GROUP: usize = 8;

/// Appends an integer in groups of seven bits, the lowest first.
pub(super) fn append_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed integer, of which small magnitudes take few bytes.
pub(super) fn append_zigzag(out: &mut Vec<u8>, value: i64) {
    append_varint(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

/// Appends integers of at most `width` bits, the lowest bit first, in groups of eight. Zeros fill up
/// the last group.
pub(super) fn append_packed<T: Copy + Into<u64>>(out: &mut Vec<u8>, values: &[T], width: u32) {
    out.reserve(values.len().div_ceil(GROUP) * width as usize);
    // Whole groups have their own loop, which the compiler unrolls.
    let (groups, last) = values.as_chunks::<GROUP>();
    for group in groups {
        append_group(out, group, width);
    }
    append_group(out, last, width);
}

#[inline(always)]
fn append_group<T: Copy + Into<u64>>(out: &mut Vec<u8>, group: &[T], width: u32) {
    let bytes = width as usize;
    let shifted = group.iter().enumerate().map(|(at, value)| {
        let value: u64 = (*value).into();
        (value, at as u32 * width)
    });
    if group.is_empty() || width == 0 {
        return;
    }
    match width {
        // The group has no more bits than a word.
        ..=8 => {
            let packed = shifted.fold(0_u64, |all, (value, shift)| all | value << shift);
            out.extend_from_slice(packed.to_le_bytes().split_at(bytes).0);
        }
        9..=16 => {
            let packed =
                shifted.fold(0_u128, |all, (value, shift)| all | u128::from(value) << shift);
            out.extend_from_slice(packed.to_le_bytes().split_at(bytes).0);
        }
        _ => append_wide_group(out, group, width),
    }
}

/// Appends a group of integers with more than 16 bits.
fn append_wide_group<T: Copy + Into<u64>>(out: &mut Vec<u8>, group: &[T], width: u32) {
    let end = out.len() + width as usize;
    // Fewer than 64 bits that are not written yet, and then those of one integer more.
    let (mut waiting, mut count) = (0_u128, 0);
    for value in group {
        let value: u64 = (*value).into();
        waiting |= u128::from(value) << count;
        count += width;
        if count >= u64::BITS {
            out.extend_from_slice(&(waiting as u64).to_le_bytes());
            waiting >>= u64::BITS;
            count -= u64::BITS;
        }
    }
    out.extend_from_slice(&(waiting as u64).to_le_bytes());
    out.resize(end, 0);
}

/// Appends numbers of at most `width` bits: runs of the same number by their length, and others
/// packed in groups.
pub(super) fn append_numbers(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    // A run has a byte or more for its length, and ends the packed groups before it.
    let shortest_run = match width {
        0 | 1 => 4 * GROUP,
        2 => 2 * GROUP,
        _ => GROUP,
    };
    let mut rest = numbers;
    let mut packed = 0;
    while let Some(first) = rest.get(packed) {
        let run = rest.iter().skip(packed).take_while(|number| *number == first).count();
        let is_last = packed + run == rest.len();
        if run >= shortest_run || (is_last && packed == 0) {
            let (groups, others) = rest.split_at(packed);
            append_groups(out, groups, width);
            append_run(out, *first, run, width);
            rest = others.split_at(run).1;
            packed = 0;
        } else {
            packed = (packed + GROUP).min(rest.len());
        }
    }
    append_groups(out, rest, width);
}

/// Appends `count` times the same number.
pub(super) fn append_run(out: &mut Vec<u8>, number: u32, count: usize, width: u32) {
    append_varint(out, (count as u64) << 1);
    out.extend(number.to_le_bytes().into_iter().take(width.div_ceil(8) as usize));
}

/// Appends numbers that are packed in groups of eight, of which only the last may be filled up.
fn append_groups(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    if numbers.is_empty() {
        return;
    }
    let groups = numbers.len().div_ceil(GROUP);
    append_groups_header(out, groups);
    append_packed(out, numbers, width);
}

/// Appends `count` bits, which are packed already.
pub(super) fn append_bits(out: &mut Vec<u8>, bits: &[u8], count: usize) {
    let groups = count.div_ceil(GROUP);
    append_groups_header(out, groups);
    out.extend(bits.iter().take(groups));
}

fn append_groups_header(out: &mut Vec<u8>, groups: usize) {
    append_varint(out, (groups as u64) << 1 | 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first `count` numbers of the hybrid.
    fn read(mut bytes: &[u8], width: u32, count: usize) -> Vec<u32> {
        let mut numbers = Vec::new();
        while numbers.len() < count {
            let mut header = 0_u64;
            for shift in (0..).step_by(7) {
                let (byte, rest) = bytes.split_first().unwrap();
                bytes = rest;
                header |= u64::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let of_bits = |bytes: &[u8], first: usize| {
                (0..width as usize).fold(0_u32, |number, bit| {
                    let at = first + bit;
                    number | u32::from(bytes[at / 8] >> (at % 8) & 1) << bit
                })
            };
            let times = (header >> 1) as usize;
            if header & 1 == 0 {
                let (number, rest) = bytes.split_at(width.div_ceil(8) as usize);
                numbers.extend(std::iter::repeat_n(of_bits(number, 0), times));
                bytes = rest;
            } else {
                let (groups, rest) = bytes.split_at(times * width as usize);
                let all = (0..times * GROUP).map(|at| of_bits(groups, at * width as usize));
                numbers.extend(all);
                bytes = rest;
            }
        }
        assert!(bytes.is_empty() && numbers.len() < count + GROUP);
        numbers.truncate(count);
        numbers
    }

    #[test]
    fn numbers_are_read_back() {
        for width in [0, 1, 2, 3, 7, 8, 9, 17, 31, 32] {
            let greatest = u32::try_from((1_u64 << width) - 1).unwrap();
            for count in [1, 7, 8, 9, 63, 64, 1_000] {
                let scattered = |at: usize| (at as u32).wrapping_mul(2_654_435_761) & greatest;
                let with_runs = |at: usize| match at % 200 {
                    start @ 0..60 => scattered(at - start),
                    _ => scattered(at),
                };
                for numbers in [
                    (0..count).map(scattered).collect::<Vec<_>>(),
                    (0..count).map(with_runs).collect(),
                    vec![greatest; count],
                ] {
                    let mut bytes = Vec::new();
                    append_numbers(&mut bytes, &numbers, width);
                    assert_eq!(read(&bytes, width, count), numbers, "{width} {count}");
                }
            }
        }
    }

    #[test]
    fn a_run_takes_a_few_bytes() {
        let mut bytes = Vec::new();
        append_numbers(&mut bytes, &[5; 1_000], 9);
        // 1,000 as a run, and five in two bytes.
        assert_eq!(bytes, [0xd0, 0x0f, 5, 0]);
    }

    #[test]
    fn integers_of_any_width_are_packed() {
        for width in 0..=64_u32 {
            let greatest = u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0);
            for count in [1, 7, 8, 9, 64] {
                let spread = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
                let values: Vec<u64> = (1..=count).map(|at| spread(at) & greatest).collect();
                let mut bytes = vec![0xff];
                append_packed(&mut bytes, &values, width);
                let groups = values.len().div_ceil(GROUP);
                assert_eq!(bytes.len(), 1 + groups * width as usize, "{width} {count}");
                let bit = |at: usize| u64::from(bytes[1 + at / 8] >> (at % 8) & 1);
                for (at, value) in values.iter().chain([0; GROUP].iter()).enumerate() {
                    if at < groups * GROUP {
                        let first = at * width as usize;
                        let read =
                            (0..width as usize).fold(0, |all, it| all | bit(first + it) << it);
                        assert_eq!(read, *value, "{width} {count} {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_sign_is_the_lowest_bit() {
        let mut bytes = Vec::new();
        [0, -1, 1, -64, 64].into_iter().for_each(|value| append_zigzag(&mut bytes, value));
        assert_eq!(bytes, [0, 1, 2, 0x7f, 0x80, 0x01]);
    }
}
