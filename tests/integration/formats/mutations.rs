//! Damaged files of every format: they may be refused, or what is wrong counted, but the import
//! neither panics nor hangs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tpq::ImportOptions;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::{PerfData, PerfSample};

/// Mutations of each file.
const MUTATIONS: u64 = 400;
/// An import of a few hundred bytes takes less than a millisecond.
const HANG: Duration = Duration::from_secs(20);

/// A file of each format. Most mutations leave its first bytes, by which it is recognised.
fn files() -> Vec<Vec<u8>> {
    let text: [&str; 13] = [
        "# ninja log v5\n1\t5\t100\ta.o\tff\n2\t8\t100\tb.o\tfe\n9\t10\t100\tc.o\tfd\n",
        "01-02 00:00:01.030 20 21 I a: b\n01-02 00:00:01.030 20 21 I a: b\n[ x ]\n",
        "a b 7/8 [001] 1.5: 1 cycles:\n\tff f+0x1 (/a)\n\tfe g (b)\n\na 7 1.6: 1 c:\n\tff f (/a)\n",
        "a;b;c 12\na;b 3\na;d 4\n",
        "7 1.5 a(1) = 1 <0.5>\n7 1.6 b( <unfinished ...>\n7 1.7 <... b resumed>) = 2\n",
        "<6>[    0.000005] Linux: 6\n[    0.000006] x\n[    0.000007] y\n",
        r#"{"meta":{},"threads":[{"tid":7,"pid":6,"stringTable":["a"],"frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},"samples":{"schema":{"stack":0,"time":1},"data":[[0,1]]}}]}"#,
        r#"{"nodes":[{"id":1,"callFrame":{"functionName":"r"},"children":[2]},{"id":2,"callFrame":{}}],"samples":[2,1],"timeDeltas":[1,2],"startTime":5}"#,
        r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","unit":"seconds","events":[{"type":"O","frame":0,"at":1},{"type":"C","frame":0,"at":2}]},{"unit":"bytes","samples":[[0]],"weights":[2]}]}"#,
        r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[{"name":"b","startTimeUnixNano":"5","endTimeUnixNano":7}]}]}]}"#,
        "com.a.Main -> a:\n    int count -> b\n    1:4:void run(int):20:23 -> b\n    void stop() -> c\n",
        super::instruments::SIGNPOSTED,
        super::heap_snapshot::SNAPSHOT,
    ];
    let mut files: Vec<Vec<u8>> = text.iter().map(|text| text.as_bytes().to_vec()).collect();
    let chain = vec![512_u64.wrapping_neg(), 0x1010, 0x1101];
    let sample = PerfSample { event: 100, task: (70, 71), time: 3_000, cpu: 2, period: 10, chain };
    let recording = PerfData::new()
        .event(0, 0)
        .event(1, 1)
        .mmap2(70, (0x1000, 0x800, 0x200), "/bin/app")
        .comm((70, 71), "worker", 5)
        .sample(&sample)
        .lost(3, 3_500, 1)
        .cmdline(&["perf"])
        .event_names(&["cycles", "faults"]);
    files.extend([recording.file(), recording.pipe(), recording.compressed().file()]);
    let pprof = [
        &[0x0a, 4, 8, 1, 16, 2, 0x12, 6, 0x0a, 1, 1, 0x12, 1, 5, 0x22, 6, 8, 1, 0x22, 2, 8][..],
        &[1, 0x2a, 4, 8, 1, 16, 1, 0x32, 0, 0x32, 3, b'c', b'p', b'u', 0x32, 2, b'n', b's'],
    ];
    files.push(pprof.concat());
    let record = [0x0a, 8, 8, 9, 16, 7, 0x1a, 2, 8, 1];
    files.extend([super::art_methods::listed(), super::art_methods::streamed()]);
    files.push(super::fuchsia::trace());
    files.push(super::bug_reports::report());
    files.push(super::hprof::dump());
    files.extend(super::trace_cmd::recordings());
    files.push(super::otlp_protobuf::traces().into_bytes());
    files.push(super::primes::trace([]));
    files.push([&b"SIMPLEPERF\x01\x00\x0a\x00\x00\x00"[..], &record, &[0; 4]].concat());
    files
}

#[test]
fn damaged_files_neither_panic_nor_hang() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let mut panicked = Vec::new();
    for (index, file) in files().iter().enumerate() {
        for number in 0..MUTATIONS {
            let bytes = mutate(&mut Random::new(number), &[file.as_slice()]);
            std::fs::write(&path, &bytes).unwrap();
            let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
            let paths = [path.clone()];
            let started = Instant::now();
            let import = || tpq::import(&paths, &options).map(drop);
            if catch_unwind(AssertUnwindSafe(import)).is_err() {
                panicked.push((index, number));
            }
            assert!(started.elapsed() < HANG, "mutation {number} of file {index} hangs");
        }
    }
    assert!(panicked.is_empty(), "files and mutations that panicked: {panicked:?}");
}

/// The files themselves are read without an error, apart from what they hold on purpose.
#[test]
fn whole_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for (index, file) in files().iter().enumerate() {
        let path = folder.path().join("whole");
        std::fs::write(&path, file).unwrap();
        let imported = tpq::import(&[path], &ImportOptions::default());
        assert!(imported.is_ok(), "file {index}: {:?}", imported.err());
    }
}
