//! Functions of the kernel by their addresses, from its list `/proc/kallsyms`.

/// Functions in the order of their addresses.
#[derive(Debug, Default)]
pub(super) struct Symbols<'a>(Vec<(u64, &'a [u8])>);

impl<'a> Symbols<'a> {
    /// Reads lines such as `ffffffff81000000 T _stext`. Where addresses are hidden, all are 0.
    pub(super) fn read(kallsyms: &'a [u8]) -> Self {
        let symbol = |line: &'a [u8]| {
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let address = std::str::from_utf8(words.next()?).ok()?;
            let address = u64::from_str_radix(address, 16).ok().filter(|&address| address > 0)?;
            matches!(words.next()?, b"t" | b"T" | b"w" | b"W").then_some(())?;
            Some((address, words.next()?))
        };
        let lines = kallsyms.split(|&byte| byte == b'\n');
        let mut symbols: Vec<(u64, &[u8])> = lines.filter_map(symbol).collect();
        symbols.sort_by_key(|&(address, _)| address);
        Self(symbols)
    }

    /// The number of the function at an address, from 1 on, and its name.
    pub(super) fn at(&self, address: u64) -> Option<(u64, &'a [u8])> {
        let after = self.0.partition_point(|&(start, _)| start <= address);
        let (_, name) = self.0.get(after.checked_sub(1)?)?;
        Some((after as u64, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_by_address() {
        let text = b"0000000000000000 A zero\n00ff T b\n00f0 t a\t[module]\n00f8 d data\nx y z\n";
        let symbols = Symbols::read(text);
        assert_eq!(symbols.at(0xef), None);
        assert_eq!(symbols.at(0xf8), Some((1, &b"a"[..])));
        assert_eq!(symbols.at(0xff), Some((2, &b"b"[..])));
    }
}
