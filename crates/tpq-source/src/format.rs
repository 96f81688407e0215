//! Detects formats by the first bytes of a file.

use std::fmt;

use crate::json_formats::format_of_json;
use crate::otlp::is_otlp;
use crate::pprof::is_pprof;
use crate::primes::is_primes;
use crate::symbol_packets::holds_only_symbols;
use crate::systrace::is_systrace;
use crate::text_formats::format_of_text;

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Format {
    /// A Perfetto protobuf trace.
    Perfetto,
    /// Packets of a Perfetto trace that hold symbols and names before obfuscation, and nothing else.
    Symbols,
    /// Names of Java code before obfuscation, as text of ProGuard or R8.
    NameMapping,
    /// A document that states how the traces next to it relate: a [`Manifest`](crate::Manifest).
    Manifest,
    /// A file compressed with gzip.
    Gzip,
    /// A file compressed with Zstandard.
    Zstd,
    /// A TAR archive.
    Tar,
    /// A ZIP archive.
    Zip,
    /// JSON.
    Json,
    /// Text of the kernel's tracer, alone or in an HTML page.
    Systrace,
    /// A log of the build tool ninja.
    Ninja,
    /// Text of Android's log.
    Logcat,
    /// Text that `perf script` prints of samples.
    PerfScript,
    /// Call stacks as lines of functions, each with a count.
    CollapsedStacks,
    /// A profile of Firefox, in JSON.
    Gecko,
    /// A profile of V8, in JSON.
    CpuProfile,
    /// A heap snapshot of V8, in JSON.
    HeapSnapshot,
    /// A sampling heap profile of V8, in JSON.
    HeapProfile,
    /// A profile of the viewer speedscope, in JSON.
    Speedscope,
    /// Spans of OpenTelemetry, in JSON.
    Otlp,
    /// Spans of OpenTelemetry, in protobuf.
    OtlpProtobuf,
    /// A profile of pprof, in protobuf.
    Pprof,
    /// A recording of `perf record` or simpleperf.
    PerfData,
    /// A report of simpleperf, in protobuf.
    SimpleperfReport,
    /// Text of `strace`.
    Strace,
    /// Text of the kernel's log.
    Dmesg,
    /// A Fuchsia trace.
    Fuchsia,
    /// A trace of methods that Android's runtime called.
    ArtMethods,
    /// The text of an Android bug report, or the history of a battery in the form of one.
    Dumpstate,
    /// A dump of a Java heap.
    Hprof,
    /// A recording of `trace-cmd`.
    TraceCmd,
    /// An export of Apple's Instruments, in XML.
    Instruments,
    /// A trace of Primes, in protobuf.
    Primes,
    /// A capture of the profiler Tracy, which tpq does not read.
    Tracy,
    /// Text in no format that tpq reads.
    Text,
    /// Any other data.
    Unknown,
}

/// Formats of traces, in the order of messages.
const TRACES: [Format; 28] = [
    Format::Perfetto,
    Format::Json,
    Format::Systrace,
    Format::TraceCmd,
    Format::PerfData,
    Format::PerfScript,
    Format::CollapsedStacks,
    Format::SimpleperfReport,
    Format::Pprof,
    Format::Gecko,
    Format::CpuProfile,
    Format::HeapSnapshot,
    Format::HeapProfile,
    Format::Speedscope,
    Format::Strace,
    Format::Ninja,
    Format::Dmesg,
    Format::Logcat,
    Format::Dumpstate,
    Format::ArtMethods,
    Format::Hprof,
    Format::NameMapping,
    Format::Symbols,
    Format::Otlp,
    Format::OtlpProtobuf,
    Format::Fuchsia,
    Format::Instruments,
    Format::Primes,
];

const MANIFEST_KEY: &[u8] = b"\"perfetto_manifest\"";
/// The number of bytes that are examined: white space, or an HTML page around a trace, may come
/// first.
const SNIFF_LEN: usize = 64 << 20;
/// Formats by the bytes that their files begin with.
const MAGIC: [(&[u8], Format); 12] = [
    (b"PERFILE2", Format::PerfData),
    (b"SIMPLEPERF", Format::SimpleperfReport),
    (&[0x10, 0, 4, b'F', b'x', b'T', 0x16, 0], Format::Fuchsia),
    (b"SLOW", Format::ArtMethods),
    (b"*version\n", Format::ArtMethods),
    (DUMPSTATE_HEADER, Format::Dumpstate),
    (b"9,0,i,vers,", Format::Dumpstate),
    (b"JAVA PROFILE 1.0.", Format::Hprof),
    (b"\x17\x08\x44tracing", Format::TraceCmd),
    // Compressed by LZ4, by Zstandard, and by either since version 0.11.
    (b"tlZ\x04", Format::Tracy),
    (b"tZst", Format::Tracy),
    (b"tr\xfdP", Format::Tracy),
];
/// The first lines of a bug report, up to its date.
const DUMPSTATE_HEADER: &[u8] =
    b"========================================================\n== dumpstate: ";
/// The position of the magic bytes in the header of a TAR member.
const TAR_MAGIC: std::ops::Range<usize> = 257..262;

impl Format {
    /// Detects the format. A Perfetto trace is a message with only field number 1, a
    /// length-delimited packet that itself begins with a field tag.
    pub fn of(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(SNIFF_LEN)];
        match bytes {
            [0x1f, 0x8b, ..] => return Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => return Self::Zstd,
            // A member, or the end record of an empty archive.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => return Self::Zip,
            _ => {}
        }
        for (magic, format) in MAGIC {
            if bytes.starts_with(magic) {
                return format;
            }
        }
        if bytes.get(TAR_MAGIC) == Some(b"ustar") {
            Self::Tar
        } else if is_manifest(bytes) {
            Self::Manifest
        } else if is_otlp(bytes) {
            Self::OtlpProtobuf
        } else if is_pprof(bytes) {
            Self::Pprof
        } else if looks_like_packets(bytes) {
            if holds_only_symbols(bytes) { Self::Symbols } else { Self::Perfetto }
        } else if is_primes(bytes) {
            Self::Primes
        } else if looks_like_json(bytes) {
            format_of_json(bytes)
        } else if is_instruments(bytes) {
            Self::Instruments
        } else if is_systrace(bytes) {
            Self::Systrace
        } else if let Some(format) = format_of_text(bytes) {
            format
        } else if looks_like_text(bytes) {
            Self::Text
        } else {
            Self::Unknown
        }
    }

    /// The name of the format in the `trace_file` table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Perfetto => "proto",
            Self::Symbols => "symbols",
            Self::NameMapping => "proguard_mapping",
            Self::Manifest => "perfetto_manifest",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Tar => "tar",
            Self::Zip => "zip",
            Self::Json => "json",
            Self::Systrace => "systrace",
            Self::Ninja => "ninja_log",
            Self::Logcat => "android_logcat",
            Self::PerfScript => "perf_text",
            Self::CollapsedStacks => "collapsed_stack",
            Self::Gecko => "gecko",
            Self::CpuProfile => "cpuprofile",
            Self::HeapSnapshot => "v8_heap_snapshot",
            Self::HeapProfile => "heapprofile",
            Self::Speedscope => "speedscope",
            Self::Otlp => "otlp",
            Self::OtlpProtobuf => "otlp_proto",
            Self::Pprof => "pprof",
            Self::PerfData => "perf",
            Self::SimpleperfReport => "simpleperf_proto",
            Self::Strace => "strace",
            Self::Dmesg => "dmesg",
            Self::Fuchsia => "fuchsia",
            Self::ArtMethods => "art_method",
            Self::Dumpstate => "android_dumpstate",
            Self::Hprof => "art_hprof",
            Self::TraceCmd => "trace_cmd",
            Self::Instruments => "instruments_xml",
            Self::Primes => "primes",
            Self::Tracy => "tracy",
            Self::Text => "text",
            Self::Unknown => "unknown",
        }
    }

    fn contents(self) -> Contents {
        match self {
            Self::Perfetto
            | Self::Symbols
            | Self::NameMapping
            | Self::Json
            | Self::Systrace
            | Self::Ninja
            | Self::Logcat
            | Self::PerfScript
            | Self::CollapsedStacks
            | Self::Gecko
            | Self::CpuProfile
            | Self::HeapSnapshot
            | Self::HeapProfile
            | Self::Speedscope
            | Self::Pprof
            | Self::PerfData
            | Self::SimpleperfReport
            | Self::Strace
            | Self::Dmesg
            | Self::Otlp
            | Self::OtlpProtobuf
            | Self::Fuchsia
            | Self::ArtMethods
            | Self::Dumpstate
            | Self::Hprof
            | Self::TraceCmd
            | Self::Instruments
            | Self::Primes => Contents::Events,
            Self::Tar | Self::Zip => Contents::Files,
            Self::Gzip | Self::Zstd => Contents::OneFile,
            Self::Manifest => Contents::Manifest,
            Self::Tracy | Self::Text | Self::Unknown => Contents::Other,
        }
    }

    /// Whether it is an archive or a compressed file.
    pub fn holds_files(self) -> bool {
        matches!(self.contents(), Contents::Files | Contents::OneFile)
    }

    /// Whether it is a trace with events that tpq reads.
    pub fn is_trace(self) -> bool {
        self.contents() == Contents::Events
    }

    /// Whether it holds names of code in traces, and no events.
    pub fn names_code(self) -> bool {
        matches!(self, Self::Symbols | Self::NameMapping)
    }

    /// The names of all formats of traces in messages, with commas between.
    pub fn trace_names() -> String {
        TRACES.map(|format| format.to_string()).join(", ")
    }

    /// Whether tpq reads files of this format.
    pub fn is_read(self) -> bool {
        match self.contents() {
            Contents::Events | Contents::Files | Contents::OneFile | Contents::Manifest => true,
            Contents::Other => false,
        }
    }

    /// Whether it is an archive of files.
    pub fn is_archive(self) -> bool {
        self.contents() == Contents::Files
    }
}

/// The contents of a file, as far as its format states them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    Events,
    Files,
    OneFile,
    Manifest,
    Other,
}

impl fmt::Display for Format {
    /// Writes the name of the format in messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Perfetto => "Perfetto trace",
            Self::Symbols => "symbols",
            Self::NameMapping => "ProGuard mapping",
            Self::Manifest => "perfetto_manifest",
            Self::Gzip => "gzip file",
            Self::Zstd => "zstd file",
            Self::Tar => "TAR archive",
            Self::Zip => "ZIP archive",
            Self::Json => "JSON",
            Self::Systrace => "systrace text",
            Self::Ninja => "ninja log",
            Self::Logcat => "Android log",
            Self::PerfScript => "text of perf script",
            Self::CollapsedStacks => "collapsed stacks",
            Self::Gecko => "Firefox profile",
            Self::CpuProfile => "V8 CPU profile",
            Self::HeapSnapshot => "V8 heap snapshot",
            Self::HeapProfile => "V8 heap profile",
            Self::Speedscope => "speedscope profile",
            Self::Otlp => "OTLP JSON",
            Self::OtlpProtobuf => "OTLP protobuf",
            Self::Pprof => "pprof profile",
            Self::PerfData => "perf.data file",
            Self::SimpleperfReport => "simpleperf report",
            Self::Strace => "strace text",
            Self::Dmesg => "kernel log",
            Self::Fuchsia => "Fuchsia trace",
            Self::ArtMethods => "ART method trace",
            Self::Dumpstate => "Android bug report",
            Self::Hprof => "Java heap dump",
            Self::TraceCmd => "trace-cmd recording",
            Self::Instruments => "Instruments export",
            Self::Primes => "Primes trace",
            Self::Tracy => "Tracy capture",
            Self::Text => "text",
            Self::Unknown => "unknown data",
        })
    }
}

/// Whether these bytes begin with a trace manifest, after any white space: `{"perfetto_manifest"`.
pub fn is_manifest(bytes: &[u8]) -> bool {
    let [b'{', rest @ ..] = trim_start(bytes) else { return false };
    trim_start(rest).starts_with(MANIFEST_KEY)
}

/// Whether this is XML with the result of a query of Instruments, perhaps behind a declaration.
fn is_instruments(bytes: &[u8]) -> bool {
    const ROOT: &[u8] = b"<trace-query-result";
    let mut text = trim_start(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    if text.starts_with(b"<?xml") {
        let Some(end) = text.iter().take(256).position(|&byte| byte == b'>') else { return false };
        text = trim_start(&text[end + 1..]);
    }
    text.starts_with(ROOT)
}

/// Removes the white space at the start.
pub(crate) fn trim_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| !is_space(*byte)).unwrap_or(bytes.len());
    &bytes[start..]
}

/// Whether a byte is white space in JSON.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn looks_like_packets(bytes: &[u8]) -> bool {
    let [0x0a, rest @ ..] = bytes else { return false };
    let Some(end) = rest.iter().take(10).position(|byte| *byte < 0x80) else { return false };
    // The first packet is so short that nothing follows, or its first byte is a plausible tag: a
    // field number above 0 and a wire type of protobuf.
    rest.get(end + 1).is_none_or(|tag| tag >> 3 != 0 && matches!(tag & 7, 0 | 1 | 2 | 5))
        && !is_ascii_text(bytes)
}

/// Whether the first bytes are ASCII text. A text file may begin with an empty line, which equals
/// the tag of a packet.
fn is_ascii_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(256)];
    head.iter().all(|&byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..0x7f))
}

/// Whether this is an object or an array of objects, like JSON traces. A line of a log may also
/// begin with a bracket.
fn looks_like_json(bytes: &[u8]) -> bool {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let (rest, first): (&[u8], &[u8]) = match trim_start(text) {
        [b'{', rest @ ..] => (rest, b"\"}"),
        [b'[', rest @ ..] => (rest, b"{]"),
        _ => return false,
    };
    trim_start(rest).first().is_some_and(|byte| first.contains(byte))
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    !head.is_empty()
        && head.iter().all(|&byte| {
            byte >= 0x80
                || byte == b'\t'
                || byte == b'\n'
                || byte == b'\r'
                || (0x20..0x7f).contains(&byte)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_listed_once() {
        assert!(TRACES.iter().all(|format| format.is_trace()));
        let names: std::collections::BTreeSet<&str> = TRACES.iter().map(|it| it.name()).collect();
        assert_eq!(names.len(), TRACES.len());
    }

    #[test]
    fn formats_by_their_first_bytes() {
        let cases: &[(&[u8], Format)] = &[
            (&[0x0a, 4, 0x40, 1, 0x50, 1], Format::Perfetto),
            (&[0x0a, 5, 0xea, 3, 2, 8, 1], Format::Symbols),
            (&[0x1f, 0x8b, 8], Format::Gzip),
            (&[0x28, 0xb5, 0x2f, 0xfd], Format::Zstd),
            (b"PK\x03\x04", Format::Zip),
            (b"PK\x05\x06", Format::Zip),
            (b"{\"traceEvents\": []}", Format::Json),
            (b"\n[\n {\"ph\": \"X\"}", Format::Json),
            (b"\xef\xbb\xbf[{", Format::Json),
            (b"# tracer: nop\n#\n", Format::Systrace),
            (b"<!DOCTYPE html>\n", Format::Text),
            (b"<?xml version=\"1.0\"?>\n<trace-query-result>", Format::Instruments),
            (b"<?xml version=\"1.0\"?>\n<other>", Format::Text),
            (b"\n a-1 [000] 1.5: e: x\n", Format::Systrace),
            (b"\nhello world\n", Format::Text),
            (b"[12.5] a line of a log\n", Format::Text),
            (b"PKZIP is a program", Format::Text),
            (&[0, 1, 2, 3], Format::Unknown),
            (b"tr\xfdP\x01\x08", Format::Tracy),
            (b"", Format::Unknown),
        ];
        for (bytes, format) in cases {
            assert_eq!(Format::of(bytes), *format, "{}", bytes.escape_ascii());
        }
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(Format::of(&tar), Format::Tar);
    }

    #[test]
    fn a_manifest_begins_with_its_key() {
        let manifests = [r#"{"perfetto_manifest":"#, " \r\n\t{\n  \"perfetto_manifest\": {"];
        for bytes in manifests {
            assert!(is_manifest(bytes.as_bytes()), "{bytes}");
            assert_eq!(Format::of(bytes.as_bytes()), Format::Manifest, "{bytes}");
        }
        let others = [
            r#"{"version": 1, "perfetto_manifest": {}}"#,
            r#"{"perfetto_manifests": {}}"#,
            r#"["perfetto_manifest"]"#,
            "{",
            "",
        ];
        for bytes in others {
            assert!(!is_manifest(bytes.as_bytes()), "{bytes}");
        }
    }
}
