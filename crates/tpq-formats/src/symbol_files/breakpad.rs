//! Symbols as Breakpad's `dump_syms` writes them (`.sym`): a text of records in lines, with addresses
//! from the start of the binary.
//!
//! ```text
//! MODULE Linux x86_64 4C4C44AD5555314453A1F9CE0AF6B7B40 lib.so
//! INFO CODE_ID AD444C4C5555443153A1F9CE0AF6B7B45A5A5A5A
//! FILE 0 /src/a.cc
//! INLINE_ORIGIN 0 inlined()
//! FUNC 1000 20 0 outer()
//! INLINE 0 7 0 0 1008 8
//! 1000 20 12 0
//! PUBLIC 2000 0 exported
//! ```

use std::ops::Range;

use rustc_hash::FxHashMap;
use tpq_decode::{MappedAddress, MappedBinary, SymbolLine, Symbols};

use super::function_name::readable;
use crate::text::{lines, number, split_word, text_of};

/// How a file begins.
pub(super) const MODULE: &[u8] = b"MODULE ";
/// Hexadecimal digits of an id of a binary without the number of its revisions.
const ID_DIGITS: usize = 32;
/// The number of functions that are inlined into each other at an address.
const MOST_INLINED: usize = 128;
/// The maximum length of a name in bytes.
const LONGEST_NAME: usize = 64 << 10;
/// The maximum size in bytes of the names of all addresses. A file can state a long name once, for any
/// number of addresses; those behind are left out.
const MOST_TEXT: usize = 1 << 30;
/// The number of lines that may state the build id; it is in the second.
const HEAD_LINES: usize = 16;

/// The ids of a binary, as build ids of traces have them, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BinaryIds {
    /// Whole ids.
    pub(super) whole: Vec<String>,
    /// The first 16 bytes of the build id.
    pub(super) start: String,
}

/// The ids that the first lines of a file state; `None` if it is none of Breakpad's.
pub(super) fn identify(file: &[u8]) -> Option<BinaryIds> {
    let first = lines(file).next()?.strip_prefix(MODULE)?;
    let (system, rest) = split_word(first)?;
    let (_machine, rest) = split_word(rest)?;
    let (id, _name) = split_word(rest)?;
    let id = hexadecimal(id).filter(|id| id.len() > ID_DIGITS)?;
    let start = id.get(..ID_DIGITS)?;
    let start = match system.to_ascii_lowercase().as_slice() {
        b"mac" | b"ios" | b"windows" => start.to_owned(),
        _ => in_order_of_bytes(start)?,
    };
    let code_id = lines(file).take(HEAD_LINES).find_map(|line| {
        let (code_id, _name) = split_word(line.strip_prefix(b"INFO CODE_ID ")?)?;
        hexadecimal(code_id)
    });
    Some(BinaryIds { whole: std::iter::once(id).chain(code_id).collect(), start })
}

/// The start of a build id, as a mapping of a trace states it.
pub(super) fn start_of(build_id: &str) -> Option<&str> {
    build_id.get(..ID_DIGITS)
}

/// Digits of a hexadecimal number in lower case.
fn hexadecimal(digits: &[u8]) -> Option<String> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    is_number.then(|| text_of(digits).to_ascii_lowercase())
}

/// A GUID as the bytes of a build id: of its first three numbers, which have 4, 2 and 2 bytes, the
/// lowest byte comes first there.
fn in_order_of_bytes(guid: &str) -> Option<String> {
    let mut bytes: Vec<&str> = Vec::new();
    for start in (0..ID_DIGITS).step_by(2) {
        bytes.push(guid.get(start..start + 2)?);
    }
    for number in [0..4, 4..6, 6..8] {
        bytes.get_mut(number)?.reverse();
    }
    Some(bytes.concat())
}

/// Whether addresses of a binary are those of its symbols. Where a profiler gives offsets in the file,
/// nothing tells at which addresses they are, unless all of the file is mapped as it is.
fn has_addresses(binary: &MappedBinary<'_>) -> bool {
    !binary.has_range || binary.load_bias != 0 || binary.exact_offset == binary.start_offset
}

/// The functions at addresses as profilers give them.
pub(super) fn symbols_of(file: &[u8], addresses: &[MappedAddress<'_>]) -> Symbols {
    let places = addresses.iter().zip(0..).filter(|(at, _)| has_addresses(&at.binary));
    let (asked, places): (Vec<u64>, Vec<usize>) =
        places.map(|(at, place)| (at.address, place)).unzip();
    let found = symbols_at(file, &asked);
    let mut lines = vec![Vec::new(); addresses.len()];
    for (&place, found) in places.iter().zip(found.lines) {
        lines[place] = found;
    }
    let left_out = found.left_out.iter().filter_map(|&at| places.get(at).copied()).collect();
    Symbols { lines, left_out }
}

/// The functions at addresses of the binary.
fn symbols_at(file: &[u8], addresses: &[u64]) -> Symbols {
    symbols_within(file, addresses, MOST_TEXT)
}

/// The same, with names of at most `most_text` bytes.
fn symbols_within(file: &[u8], addresses: &[u64], most_text: usize) -> Symbols {
    if addresses.is_empty() {
        return Symbols::default();
    }
    let mut order: Vec<usize> = (0..addresses.len()).collect();
    order.sort_by_key(|&index| addresses[index]);
    let sorted: Vec<u64> = order.iter().map(|&index| addresses[index]).collect();
    let mut found = vec![Found::default(); sorted.len()];
    let mut unowned = Unfilled::of(sorted.len());
    let mut names = Names::default();
    let mut starts: Vec<u64> = Vec::new();
    let mut publics: Vec<(u64, &[u8])> = Vec::new();
    let mut current: Option<Current> = None;
    for line in lines(file) {
        let (kind, rest) = split_word(line).unwrap_or_default();
        match kind {
            b"FILE" => names.files.extend(numbered(rest)),
            b"INLINE_ORIGIN" => names.origins.extend(numbered(rest)),
            b"FUNC" => {
                current = None;
                if let Some(function) = Function::read(rest) {
                    starts.push(function.range.0);
                    current = Current::of(function, &sorted, &mut unowned, &mut found);
                }
            }
            b"PUBLIC" => {
                current = None;
                publics.extend(public(rest));
            }
            b"STACK" | b"INFO" | b"MODULE" => current = None,
            b"INLINE" => {
                if let Some(current) = &mut current {
                    current.add_inline(rest, &sorted, &mut found);
                }
            }
            _ => {
                if let Some(current) = &mut current {
                    current.add_line(line, &sorted, &mut found);
                }
            }
        }
    }
    starts.sort_unstable();
    publics.sort_by_key(|&(start, _)| start);
    let mut symbols = Symbols { lines: vec![Vec::new(); addresses.len()], left_out: Vec::new() };
    let mut room = most_text;
    let mut asked = order.into_iter().zip(sorted).zip(found);
    for ((index, address), found) in asked.by_ref() {
        let lines = match found.function {
            Some(function) => found.lines(function, &mut names),
            None => public_at(address, &publics, &starts, &mut names).into_iter().collect(),
        };
        let size: usize = lines.iter().map(text_size).sum();
        let Some(left) = room.checked_sub(size) else {
            symbols.left_out.push(index);
            break;
        };
        room = left;
        symbols.lines[index] = lines;
    }
    symbols.left_out.extend(asked.map(|((index, _), _)| index));
    symbols
}

/// The bytes of the names of a function.
fn text_size(line: &SymbolLine) -> usize {
    line.function.len() + line.file.as_ref().map_or(0, String::len)
}

/// The function without lines at an address: it ends where any other begins.
fn public_at<'a>(
    address: u64,
    publics: &[(u64, &'a [u8])],
    starts: &[u64],
    names: &mut Names<'a>,
) -> Option<SymbolLine> {
    let after = publics.partition_point(|&(start, _)| start <= address);
    let &(start, name) = publics.get(after.checked_sub(1)?)?;
    let later = starts.partition_point(|&other| other <= address);
    let is_last = later.checked_sub(1).and_then(|at| starts.get(at)).is_none_or(|&it| it <= start);
    is_last.then(|| SymbolLine { function: names.function(name), file: None, line: None })
}

/// Places in a list that are still to be filled. Ranges may overlap as often as a file states: those
/// that are filled are passed over in one step.
struct Unfilled(Vec<usize>);

impl Unfilled {
    /// All places of a list of that length.
    fn of(len: usize) -> Self {
        Self((0..=len).collect())
    }

    /// The first one from a place on; the length of the list if there is none.
    fn first(&mut self, from: usize) -> usize {
        let mut first = from;
        while let Some(&next) = self.0.get(first)
            && next != first
        {
            first = next;
        }
        // The next search from there takes one step.
        let mut at = from;
        while at != first
            && let Some(next) = self.0.get_mut(at)
        {
            at = std::mem::replace(next, first);
        }
        first
    }

    fn fill(&mut self, at: usize) {
        if let Some(next) = self.0.get_mut(at) {
            *next = at + 1;
        }
    }
}

/// Texts by their numbers.
#[derive(Default)]
struct Names<'a> {
    files: FxHashMap<u32, &'a [u8]>,
    origins: FxHashMap<u32, &'a [u8]>,
    /// Names of functions as their source has them.
    readable: FxHashMap<&'a [u8], String>,
}

impl<'a> Names<'a> {
    /// The name of a function in its source.
    fn function(&mut self, name: &'a [u8]) -> String {
        let name = name.get(..LONGEST_NAME).unwrap_or(name);
        self.readable.entry(name).or_insert_with(|| readable(&text_of(name))).clone()
    }

    /// A source file.
    fn file(&self, number: u32) -> Option<String> {
        let file = *self.files.get(&number)?;
        Some(text_of(file.get(..LONGEST_NAME).unwrap_or(file)).into_owned())
    }
}

/// A number and a text.
fn numbered(rest: &[u8]) -> Option<(u32, &[u8])> {
    let (index, name) = split_word(rest)?;
    Some((number(index)?, name))
}

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Function<'a> {
    /// The addresses from the first to before the second.
    range: (u64, u64),
    name: &'a [u8],
}

impl<'a> Function<'a> {
    /// Reads `[m] address size parameters name`.
    fn read(rest: &'a [u8]) -> Option<Self> {
        let mut words = Words(rest.strip_prefix(b"m ").unwrap_or(rest));
        let (start, size) = (words.hex()?, words.hex()?);
        words.hex()?;
        Some(Self { range: (start, start.saturating_add(size)), name: words.0 })
    }
}

/// Reads `[m] address parameters name`.
fn public(rest: &[u8]) -> Option<(u64, &[u8])> {
    let mut words = Words(rest.strip_prefix(b"m ").unwrap_or(rest));
    let start = words.hex()?;
    words.hex()?;
    Some((start, words.0))
}

/// The function that lines are about, which has addresses.
struct Current {
    /// Its addresses, by their places among all.
    owned: Vec<usize>,
    /// Those of `owned` without a line.
    without_line: Unfilled,
    /// Those of `owned` with room for functions that are inlined.
    with_room: Unfilled,
}

impl Current {
    /// Gives a function the addresses in its range that no function before it has; `None` if there
    /// are none.
    fn of<'a>(
        function: Function<'a>,
        sorted: &[u64],
        unowned: &mut Unfilled,
        found: &mut [Found<'a>],
    ) -> Option<Self> {
        let (start, end) = function.range;
        let mut at = unowned.first(sorted.partition_point(|&address| address < start));
        let mut owned = Vec::new();
        while let Some(&address) = sorted.get(at)
            && address < end
        {
            found[at].function = Some(function);
            unowned.fill(at);
            owned.push(at);
            at = unowned.first(at + 1);
        }
        let (without_line, with_room) = (Unfilled::of(owned.len()), Unfilled::of(owned.len()));
        (!owned.is_empty()).then_some(Self { owned, without_line, with_room })
    }

    /// The places in `owned` of the addresses in a range.
    fn places(&self, sorted: &[u64], (start, end): (u64, u64)) -> Range<usize> {
        let before = |limit: u64| self.owned.partition_point(|&index| sorted[index] < limit);
        before(start)..before(end)
    }

    /// Reads `address size line file`, a line of the function. The first one at an address counts.
    fn add_line(&mut self, line: &[u8], sorted: &[u64], found: &mut [Found<'_>]) {
        let mut words = Words(line);
        let mut read = || Some((words.hex()?, words.hex()?, words.decimal()?, words.decimal()?));
        let Some((start, size, line, file)) = read() else { return };
        let places = self.places(sorted, (start, start.saturating_add(size)));
        let mut at = self.without_line.first(places.start);
        while at < places.end {
            found[self.owned[at]].line = Some(SourcePlace { line, file });
            self.without_line.fill(at);
            at = self.without_line.first(at + 1);
        }
    }

    /// Reads `depth line file origin`, and address and size of each range: a call that was replaced
    /// by the function `origin`.
    fn add_inline(&mut self, rest: &[u8], sorted: &[u64], found: &mut [Found<'_>]) {
        let mut words = Words(rest);
        let mut read =
            || Some((words.decimal()?, words.decimal()?, words.decimal()?, words.decimal()?));
        let Some((depth, line, file, origin)) = read() else { return };
        let inline = Inline { depth, origin, call: SourcePlace { line, file } };
        while let (Some(start), Some(size)) = (words.hex(), words.hex()) {
            let places = self.places(sorted, (start, start.saturating_add(size)));
            let mut at = self.with_room.first(places.start);
            while at < places.end {
                let inlines = &mut found[self.owned[at]].inlines;
                inlines.push(inline);
                if inlines.len() >= MOST_INLINED {
                    self.with_room.fill(at);
                }
                at = self.with_room.first(at + 1);
            }
        }
    }
}

/// A line of a source file.
#[derive(Clone, Copy, Debug)]
struct SourcePlace {
    line: u32,
    file: u32,
}

/// A call that was replaced by the function.
#[derive(Clone, Copy, Debug)]
struct Inline {
    /// Its depth among those in each other.
    depth: u32,
    /// The number of the function.
    origin: u32,
    call: SourcePlace,
}

/// What is known of an address.
#[derive(Clone, Debug, Default)]
struct Found<'a> {
    function: Option<Function<'a>>,
    line: Option<SourcePlace>,
    inlines: Vec<Inline>,
}

impl<'a> Found<'a> {
    /// The functions, the innermost first.
    fn lines(&self, function: Function<'a>, names: &mut Names<'a>) -> Vec<SymbolLine> {
        let mut symbol = |name: Option<&'a [u8]>, inline: Option<u32>, at: Option<SourcePlace>| {
            let origin = inline.and_then(|origin| names.origins.get(&origin).copied());
            let function = names.function(name.or(origin).unwrap_or_default());
            let line = at.map(|at| at.line).filter(|&line| line > 0);
            SymbolLine { function, file: at.and_then(|at| names.file(at.file)), line }
        };
        let mut inlines = self.inlines.clone();
        inlines.sort_by_key(|inline| inline.depth);
        // The innermost is at the line of the address, and each other where it calls the next.
        let mut place = self.line;
        let mut symbols = Vec::new();
        for inline in inlines.iter().rev() {
            symbols.push(symbol(None, Some(inline.origin), place));
            place = Some(inline.call);
        }
        symbols.push(symbol(Some(function.name), None, place));
        symbols
    }
}

/// Words of a record, in order.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let (word, rest) = split_word(self.0)?;
        self.0 = rest;
        Some(word)
    }

    fn hex(&mut self) -> Option<u64> {
        u64::from_str_radix(std::str::from_utf8(self.next()?).ok()?, 16).ok()
    }

    fn decimal(&mut self) -> Option<u32> {
        number(self.next()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"\
MODULE Linux x86_64 67452301AB89EFCD0123456789ABCDEF0 lib.so
INFO CODE_ID 0123456789ABCDEF0123456789ABCDEF01234567
FILE 0 /src/a b.c
FILE 1 /src/c.c
INLINE_ORIGIN 0 inner
INLINE_ORIGIN 1 middle
PUBLIC 0 0 first
FUNC m 1000 20 0 outer(int, int)
INLINE 0 7 0 1 1008 4 1010 8
INLINE 1 9 1 0 1010 4
1000 8 6 0
1008 18 3 1
FUNC 1000 20 0 the same again
INLINE 0 1 0 0 1000 20
1000 20 99 0
PUBLIC m 2000 0 _Z3fooi
STACK CFI INIT 1000 20 .cfa: $rsp 8 +
";

    fn at(address: u64) -> Vec<(String, Option<String>, Option<u32>)> {
        // The order of addresses is that of the question.
        let found = symbols_at(FILE, &[address, 0x2001]).lines;
        assert_eq!(found[1].len(), 1);
        let parts = |it: &SymbolLine| (it.function.clone(), it.file.clone(), it.line);
        found[0].iter().map(parts).collect()
    }

    #[test]
    fn ids_of_a_binary() {
        let id = |ids: BinaryIds| (ids.whole, ids.start);
        let build_id = "0123456789abcdef0123456789abcdef01234567";
        let whole = vec!["67452301ab89efcd0123456789abcdef0".to_owned(), build_id.to_owned()];
        let start = build_id[..32].to_owned();
        assert_eq!(identify(FILE).map(id), Some((whole, start)));
        assert_eq!(start_of(build_id), Some(&build_id[..32]));
        assert_eq!(start_of("0123"), None);
        let of_mac = b"MODULE mac arm64 67452301AB89EFCD0123456789ABCDEF0 a\n";
        let start = identify(of_mac).map(|ids| ids.start);
        assert_eq!(start.as_deref(), Some("67452301ab89efcd0123456789abcdef"));
        for text in ["", "MODULE ", "MODULE Linux x86_64 0123 a", "MODULES Linux x86_64 0123 a"] {
            assert_eq!(identify(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn functions_at_addresses() {
        let line =
            |name: &str, file: &str, line| (name.to_owned(), Some(file.to_owned()), Some(line));
        let outer = "outer(int, int)";
        assert_eq!(at(0x1000), [line(outer, "/src/a b.c", 6)]);
        assert_eq!(at(0x1008), [line("middle", "/src/c.c", 3), line(outer, "/src/a b.c", 7)]);
        let inlined = [
            line("inner", "/src/c.c", 3),
            line("middle", "/src/c.c", 9),
            line(outer, "/src/a b.c", 7),
        ];
        assert_eq!(at(0x1010), inlined);
        assert_eq!(at(0x101f), [line(outer, "/src/c.c", 3)]);
        // Functions without lines reach up to the next one.
        let public = |name: &str| (name.to_owned(), None, None);
        assert_eq!(at(0x0fff), [public("first")]);
        assert_eq!(at(0x2000), [public("foo(int)")]);
        assert!(at(0x1020).is_empty());
    }

    #[test]
    fn places_that_are_filled_are_passed_over() {
        let mut unfilled = Unfilled::of(5);
        for at in [1, 2, 0, 3] {
            unfilled.fill(at);
        }
        assert_eq!([0, 1, 4, 5].map(|from| unfilled.first(from)), [4, 4, 4, 5]);
        // Each leads there in one step now.
        assert_eq!(unfilled.0, [4, 4, 4, 4, 4, 5]);
        unfilled.fill(4);
        assert_eq!(unfilled.first(0), 5);
        assert_eq!(Unfilled::of(0).first(0), 0);
    }

    /// Each of 50,000 functions, lines and inlined calls states all of 5,000 addresses.
    #[test]
    fn ranges_that_overlap_take_little_time() {
        let mut file = b"MODULE Linux x86_64 67452301AB89EFCD0123456789ABCDEF0 a\n".to_vec();
        file.extend_from_slice(b"FUNC 0 100000 0 first\n");
        for _ in 0..50_000 {
            file.extend_from_slice(b"INLINE 0 7 0 0 0 100000\n0 100000 5 0\n");
        }
        for _ in 0..50_000 {
            file.extend_from_slice(
                b"FUNC 0 100000 0 other\n0 100000 6 0\nINLINE 0 7 0 0 0 100000\n",
            );
        }
        let addresses: Vec<u64> = (0..5_000).collect();
        let Symbols { lines: symbols, left_out } = symbols_within(&file, &addresses, 1000);
        // The inlined functions have no name: the text of 1,000 bytes is that of 200 addresses.
        let lines = |at: usize| symbols[at].iter().map(|it| (&*it.function, it.line));
        assert_eq!(lines(0).len(), MOST_INLINED + 1);
        assert_eq!(lines(199).next(), Some(("", Some(5))));
        assert_eq!(lines(199).next_back(), Some(("first", Some(7))));
        assert_eq!(lines(200).len(), 0);
        assert_eq!(left_out, (200..5_000).collect::<Vec<usize>>());
    }

    #[test]
    fn the_first_line_at_an_address_counts() {
        let file = b"FILE 0 a.c\nFUNC 10 10 0 f\n10 8 1 0\n14 8 2 0\n10 10 3 0\n";
        let lines = symbols_at(file, &[0x10, 0x14, 0x18, 0x1c]).lines;
        let lines: Vec<_> = lines.iter().map(|lines| lines[0].line).collect();
        assert_eq!(lines, [Some(1), Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn long_names_are_cut() {
        let file = [&b"FUNC 10 10 0 "[..], &[b'f'; LONGEST_NAME + 1]].concat();
        assert_eq!(symbols_at(&file, &[0x10]).lines[0][0].function.len(), LONGEST_NAME);
    }

    /// Of the second mapping nothing tells the addresses. Three bytes are the names of one.
    #[test]
    fn addresses_of_several_mappings() {
        let unknown = MappedBinary { has_range: true, exact_offset: 8, ..Default::default() };
        let known = MappedBinary { load_bias: 8, ..unknown };
        let at = |binary, address| MappedAddress { binary, address };
        let file = b"FUNC 10 10 0 one\nFUNC 20 10 0 two\n";
        let addresses = [at(unknown, 0x10), at(known, 0x28), at(unknown, 0x20), at(known, 0x18)];
        let symbols = symbols_of(file, &addresses);
        let names: Vec<Option<&str>> = symbols
            .lines
            .iter()
            .map(|lines| lines.first().map(|line| line.function.as_str()))
            .collect();
        assert_eq!(names, [None, Some("two"), None, Some("one")]);
        assert!(symbols.left_out.is_empty());
        // Names are given in the order of addresses.
        let few = symbols_within(file, &[0x28, 0x18, 0x99], 3);
        assert_eq!((few.lines[1].len(), few.left_out), (1, vec![0, 2]));
    }

    #[test]
    fn addresses_that_are_not_known() {
        let mapped = MappedBinary { has_range: true, exact_offset: 0x1000, ..Default::default() };
        assert!(!has_addresses(&mapped));
        assert!(has_addresses(&MappedBinary { load_bias: 0x40, ..mapped }));
        assert!(has_addresses(&MappedBinary { exact_offset: 0, ..mapped }));
        assert!(has_addresses(&MappedBinary { has_range: false, ..mapped }));
    }
}
