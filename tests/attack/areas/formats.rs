//! Files of every format other than Perfetto's, Chrome's JSON and the text of the kernel's tracer.

use tpq_testkit::{
    Hprof, JavaClass, JavaType, KernelPage, Message, PerfData, PerfSample, TraceCmd,
};

use super::message;
use crate::bases::{Base, Packing, plain};

/// Formats that are text.
const TEXTS: &[(&str, &str)] = &[
    ("ninja", "# ninja log v5\n1\t5\t100\ta.o\tff\n2\t8\t100\tb.o\tfe\n9\t10\t100\tc.o\tfd\n"),
    ("ninja 7", "# ninja log v7\n1\t5\t1700000000000000000\ta.o\tff\n2\t8\t0\tb\\ c.o\tfe\n"),
    (
        "logcat",
        "--------- beginning of main\n01-02 00:00:01.030 20 21 I a: b\n\
         01-02 00:00:01.031 root 20 21 W c : d\n2024-01-02 00:00:01.030456 +0100 20 21 E e:f: g\n",
    ),
    ("logcat by time", "01-02 00:00:01.030 D/tag( 12): b\n01-02 00:00:01.030 V/t(a)(  2): (c)\n"),
    (
        "logcat with headers",
        "[ 01-02 00:00:01.030    20:   21 W/tag ]\nline\nother\n\n\
         [ 01-02 00:00:02.030    20:   21 I/b ]\nx\n\n",
    ),
    (
        "perf script",
        "a b 7/8 [001] 1.5: 1 cycles:u:\n\tff f+0x1 (/a)\n\tfe [unknown] ([unknown])\n\n\
         # c\na 7 1.6: 1 c:\n\tff f (/a b)\n\na 7 1.7: c: ff g (/a)\n",
    ),
    ("collapsed stacks", "# x\na;b c;d() 12\na;b 3\na;d 4\n 5\n"),
    (
        "strace",
        "strace: Process 8 attached\n7 1700000000.5 a(1, \"x) = y\") = 1 <0.5>\n\
         7 1700000000.6 b( <unfinished ...>\n[pid 8] 1700000000.65 --- SIGCHLD {a=1} ---\n\
         7 1700000000.7 <... b resumed>) = -1 EAGAIN (x)\n8 1700000000.8 +++ exited with 0 +++\n",
    ),
    ("strace by time of day", "7 23:59:59.5 a() = 0\n7 00:00:00.1 b(1) = ?\n7 00:00:01 c() = 1\n"),
    ("dmesg", "<6>[    0.000005] Linux: 6\n[    0.000006] x\n<30>[   17.000007] y: z\n"),
    (
        "mapping",
        "# compiler: R8\ncom.a.Main -> a:\n    int count -> b\n    1:4:void run(int):20:23 -> b\n\
         \x20   1:4:void c.D.run(int):9 -> b\n    void stop() -> c\ncom.a.B$1 -> b:\n",
    ),
    (
        "bug report",
        "========================================================\n\
         == dumpstate: 2022-06-24 16:24:37\n\
         ========================================================\n\n\
         ------ SYSTEM LOG (logcat -v threadtime) ------\n06-24 16:24:23.441 1 2 3 I a: b\n\
         ------ DUMPSYS (/system/bin/dumpsys) ------\n\
         -------------------------------------------------------------------------------\n\
         DUMP OF SERVICE alarm:\n  nowRTC=1656087877000=2022-06-24 18:24:37.000 x\n\
         ------ CHECKIN BATTERYSTATS (/system/bin/dumpsys -t 60 batterystats -c) ------\n\
         9,0,i,vers,36,1\n9,hsp,0,10001,\"*job*/a.b\"\n9,hsp,1,-1,\"lock, of b\"\n\
         9,h,0:RESET:TIME:1656080000000\n9,h,0,Bl=99,Bcc=3000,Bv=4100,Bs=d,Bp=u,Pst=off\n\
         9,h,1000,+S,+Ejb=0,+w=1,+w\n9,h,500,-S,-Ejb=0,-w=1,Pcn=lte\n",
    ),
    (
        "battery history",
        "9,0,i,vers,36,1\n9,hsp,0,1,\"a\"\n9,h,0:TIME:1656080000000\n9,h,7,+S,+w=0\n",
    ),
    (
        "Firefox",
        r#"{"meta":{"startTime":5},"threads":[{"name":"m","tid":7,"pid":6,"stringTable":["a (in b)"],"frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,0]]},"samples":{"schema":{"stack":0,"time":1},"data":[[0,1],[1,2.5],[null,3]]},"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[[0,1,2,1,0,{"type":"t","x":1}],[0,1,null,0,0],[0,1,null,2,0],[0,null,3,3,0]]}}],"processes":[{"meta":{"startTime":7},"threads":[]}]}"#,
    ),
    (
        "Firefox, stored",
        r#"{"profile":{"meta":{"categories":[{"name":"c"}]},"threads":[{"name":"M","tid":"7","pid":"6","processName":"app","stringArray":["main","a.so","main.c"],"resourceTable":{"length":1,"name":[1]},"funcTable":{"length":1,"name":[0],"fileName":[2],"resource":[0]},"frameTable":{"length":1,"func":[0],"line":[12]},"stackTable":{"length":1,"frame":[0],"prefix":[null]},"samples":{"length":2,"stack":[0,0],"timeDeltas":[1,0.5]},"markers":{"length":2,"name":[0,0],"startTime":[1,2],"endTime":[2,null],"phase":[1,0],"category":[0,0],"data":[null,{"type":"t"}]}}]}}"#,
    ),
    (
        "cpuprofile",
        r#"{"nodes":[{"id":1,"callFrame":{"functionName":"r"},"children":[2]},{"id":2,"callFrame":{"functionName":"","url":"a.js","lineNumber":3},"parent":1}],"samples":[2,1],"timeDeltas":[1,2],"startTime":5}"#,
    ),
    (
        "speedscope",
        r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a","file":"f","line":3}]},"profiles":[{"type":"evented","unit":"seconds","events":[{"type":"O","frame":0,"at":1},{"type":"C","frame":0,"at":2}]},{"type":"sampled","unit":"microseconds","startValue":1,"samples":[[0],[0,0]],"weights":[2,3]},{"unit":"bytes","samples":[[0]],"weights":[2]}]}"#,
    ),
    (
        "OTLP",
        r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}},{"key":"process.pid","value":{"intValue":"7"}}]},"scopeSpans":[{"spans":[{"traceId":"aa","spanId":"01","name":"b","startTimeUnixNano":"5","endTimeUnixNano":7,"attributes":[{"key":"thread.id","value":{"intValue":3}},{"key":"l","value":{"arrayValue":{"values":[{"doubleValue":1.5}]}}}],"events":[{"timeUnixNano":"6","name":"e"}],"links":[{}],"status":{"code":2,"message":"m"}}]}]}]}"#,
    ),
    (
        "Instruments",
        "<?xml version=\"1.0\"?>\n<trace-query-result><node><row><event-time id=\"1\">5</event-time>\
         <subsystem id=\"2\">dev.perfetto.clock_sync</subsystem><os-log-metadata id=\"3\">\
         <uint64 id=\"4\">501</uint64></os-log-metadata></row><row><sample-time id=\"5\">9\
         </sample-time><thread id=\"6\" fmt=\"a &amp; b\"><tid id=\"7\">11</tid><process id=\"8\">\
         <pid id=\"9\">10</pid></process></thread><core id=\"10\">3</core>\
         <tagged-backtrace id=\"14\"><backtrace id=\"11\"><frame id=\"12\" name=\"f\" addr=\"0x120\">\
         <binary id=\"13\" name=\"b\" UUID=\"AB\" load-addr=\"0x100\" path=\"/b\"/></frame>\
         <frame ref=\"12\"/></backtrace></tagged-backtrace></row></node></trace-query-result>",
    ),
    (
        "heap snapshot",
        r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","object","string","synthetic"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","shortcut","weak"],"string_or_number","node"]},"node_count":3,"edge_count":4},"nodes":[3,0,1,0,2,1,1,3,16,2,2,2,5,8,0],"edges":[1,0,5,3,1,10,2,1,10,4,1,5],"strings":["","Window","text"]}"#,
    ),
];

pub fn bases() -> Vec<Base> {
    let texts = TEXTS.iter().map(|(name, text)| plain(name, text.as_bytes().to_vec()));
    let mut bases: Vec<Base> = texts.collect();
    let perf = perf_data();
    let kernel = trace_cmd();
    bases.extend([
        plain("perf.data", perf.file()),
        plain("perf.data of a pipe", perf.pipe()),
        plain("perf.data, compressed", perf.compressed().file()),
        plain("trace.dat", kernel.version_6()),
        plain("trace.dat 7", kernel.version_7("none")),
        plain("trace.dat, compressed", kernel.version_7("zstd")),
        plain("Java heap", java_heap()),
        plain("methods", methods()),
        plain("streamed methods", streamed_methods()),
        plain("Fuchsia", fuchsia()),
        plain("pprof", pprof()),
        Base { packing: Packing::Gzip, ..plain("pprof in gzip", pprof()) },
        plain("simpleperf", simpleperf()),
        plain("OTLP in protobuf", otlp().into_bytes()),
        plain("OTLP with sizes", sized(otlp().as_bytes())),
        plain("Primes", primes()),
    ]);
    bases
}

fn perf_data() -> PerfData {
    let chain = vec![512_u64.wrapping_neg(), 0x1010, 0x1101, 128_u64.wrapping_neg(), 0xf010];
    let sample = PerfSample { event: 100, task: (70, 71), time: 3_000, cpu: 2, period: 10, chain };
    PerfData::new()
        .event(0, 0)
        .event(1, 1)
        .mmap(u32::MAX, (0xf000, 0x1000, 0), "[kernel.kallsyms]_text")
        .mmap2(70, (0x1000, 0x800, 0x200), "/bin/app")
        .comm((70, 71), "worker", 5)
        .sample(&sample)
        .lost(3, 3_500, 1)
        .os_release("6.1")
        .cmdline(&["perf"])
        .event_names(&["cycles", "faults"])
}

fn trace_cmd() -> TraceCmd {
    let switch = |from: i32, to: i32| {
        let name = |tid: i32| [&[b'a'; 8][..], &[b'0' + tid as u8], &[0; 7]].concat();
        let numbers = |tid: i32| [tid, 120].map(i32::to_le_bytes).concat();
        [name(from), numbers(from), 1_i64.to_le_bytes().to_vec(), name(to), numbers(to)].concat()
    };
    let marker = [&0_u64.to_le_bytes()[..], b"B|80|work\n\0"].concat();
    TraceCmd::new("boot")
        .format(
            "sched_switch",
            316,
            &[
                ("char prev_comm[16]", 8, 16, false),
                ("pid_t prev_pid", 24, 4, true),
                ("int prev_prio", 28, 4, true),
                ("long prev_state", 32, 8, true),
                ("char next_comm[16]", 40, 16, false),
                ("pid_t next_pid", 56, 4, true),
                ("int next_prio", 60, 4, true),
            ],
        )
        .format("print", 5, &[("unsigned long ip", 8, 8, false), ("char buf[]", 16, 0, false)])
        .format("my_probe", 9, &[("__data_loc char[] text", 8, 4, true), ("u8 x", 12, 1, false)])
        .kallsyms("000000000000ff00 T wait_long\n")
        .cmdlines("1 worker\n")
        .option(5, b"Linux host 6.1.0 #1 SMP x86_64\0")
        .option(2, b"CPU: 1\nentries: 2\noverrun: 3\ndropped events: 4\n\0")
        .page(
            0,
            KernelPage::new(1_000).event(10, 316, 0, &switch(0, 1)).event(9, 316, 1, &switch(1, 0)),
        )
        .page(1, KernelPage::new(900).skip(1 << 28).event(5, 5, 2, &marker))
        .page(1, KernelPage::new(500_000_000).missed().event(1, 9, 2, &[13, 0, 2, 0, 7, b'x', 0]))
}

fn java_heap() -> Vec<u8> {
    let class = |id, superclass, fields| JavaClass {
        id,
        superclass,
        size: 16,
        fields,
        ..JavaClass::default()
    };
    Hprof::new()
        .class_name(0x10, "java.lang.Object")
        .class_name(0x11, "java.lang.Class")
        .class_name(0x12, "java.lang.String")
        .class_name(0x13, "byte[]")
        .class_name(0x14, "Node[]")
        .class_name(0x15, "java.lang.ref.WeakReference")
        .heap("app")
        .class(&class(0x10, 0, &[]))
        .class(&class(0x11, 0x10, &[]))
        .class(&JavaClass {
            statics: &[("first", JavaType::Object, &[0, 0, 1, 0]), ("n", JavaType::Int, &[0; 4])],
            ..class(0x12, 0x10, &[("value", JavaType::Object), ("hash", JavaType::Long)])
        })
        .class(&class(0x13, 0x10, &[]))
        .class(&class(0x15, 0x10, &[("referent", JavaType::Object)]))
        .root(0x05, 0x12, &[])
        .root(0x01, 0x200, &[0; 4])
        .instance(0x100, 0x12, &[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 9])
        .primitive_array(0x101, JavaType::Byte, 2, b"hi")
        .object_array(0x200, 0x14, &[0x100, 0, 0x300])
        .instance(0x300, 0x15, &[0, 0, 1, 0])
        .build()
}

/// The header of a trace of methods: the version, and the size of a call.
fn methods_header(version: u16, size: u16) -> Vec<u8> {
    let mut header = b"SLOW".to_vec();
    header.extend([version, 32].map(u16::to_le_bytes).concat());
    header.extend(1_000_u64.to_le_bytes());
    header.extend(size.to_le_bytes());
    header.resize(32, 0);
    header
}

const METHODS: [&str; 2] =
    ["0x10\tcom/app/Main\trun\t()V\tMain.java\t12", "0x20\tA\tb\t(I)V\tA.java"];
/// Methods and times of calls; the lowest bits state whether a method is left.
const CALLS: [(u32, u32); 4] = [(0x10, 5), (0x20, 6), (0x21, 8), (0x12, 9)];

fn methods() -> Vec<u8> {
    let lists = "*version\n3\ndata-file-overflow=false\nclock=dual\n*threads\n7\tmain\n*methods\n";
    let mut trace = [lists, &METHODS.join("\n"), "\n*end\n"].concat().into_bytes();
    trace.extend(methods_header(3, 14));
    for (method, at) in CALLS {
        trace.extend(7_u16.to_le_bytes());
        trace.extend([method, 99, at].map(u32::to_le_bytes).concat());
    }
    trace
}

fn streamed_methods() -> Vec<u8> {
    let mut trace = methods_header(0xf0 ^ 2, 10);
    trace.extend([0, 0, 2, 7, 0, 4, 0]);
    trace.extend(b"main");
    for line in METHODS {
        trace.extend([0, 0, 1, line.len() as u8, 0]);
        trace.extend(line.as_bytes());
    }
    for (method, at) in CALLS {
        trace.extend(7_u16.to_le_bytes());
        trace.extend([method, at].map(u32::to_le_bytes).concat());
    }
    trace.extend([0, 0, 3]);
    trace
}

/// Texts, a thread, slices with an argument, a counter, a flow, and a switch.
fn fuchsia() -> Vec<u8> {
    let record = |kind: u64, bits: u64, words: &[u64]| {
        let header = kind | (words.len() as u64 + 1) << 4 | bits;
        [&[header][..], words].concat().into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
    };
    let define =
        |index: u64, text: [u8; 8]| record(2, index << 16 | 8 << 32, &[u64::from_le_bytes(text)]);
    let event = |kind: u64, ticks: u64, args: u64, words: &[u64]| {
        let bits = kind << 16 | args << 20 | 1 << 24 | 1 << 32 | 2 << 48;
        record(4, bits, &[&[ticks][..], words].concat())
    };
    let number = 1 | 1 << 4 | 1 << 16 | 7 << 32;
    [
        vec![0x10, 0, 4, 0x46, 0x78, 0x54, 0x16, 0],
        record(1, 0, &[1_000_000]),
        define(1, *b"category"),
        define(2, *b"the work"),
        record(3, 1 << 16, &[70, 71]),
        event(2, 100, 1, &[number]),
        event(0, 150, 0, &[]),
        event(3, 200, 0, &[]),
        event(4, 300, 0, &[340]),
        event(1, 310, 1, &[number, 0]),
        event(5, 320, 0, &[9]),
        event(7, 330, 0, &[9]),
        event(8, 335, 0, &[9]),
        record(8, 3 << 20 | 3 << 36 | 1 << 60, &[450, 0, 71]),
        record(9, 0, &[1]),
    ]
    .concat()
}

fn pprof() -> Vec<u8> {
    let profile = message()
        .message(1, message().uint(1, 1).uint(2, 2))
        .message(2, message().bytes(1, [2, 1]).bytes(2, [5, 6]))
        .message(2, message().uint(1, 1).uint(2, 7))
        .message(3, message().uint(1, 1).uint(2, 0x1000).uint(3, 0x9000).uint(5, 3).uint(6, 4))
        .message(
            4,
            message().uint(1, 1).uint(2, 1).uint(3, 0x1234).message(4, message().uint(1, 1)),
        )
        .message(4, message().uint(1, 2).uint(3, 0x77))
        .message(5, message().uint(1, 1).uint(2, 3).uint(4, 3).uint(5, 9));
    let strings = ["", "cpu", "ns", "main", "abcd"];
    strings.iter().fold(profile, |profile, text| profile.bytes(6, text.as_bytes())).into_bytes()
}

fn simpleperf() -> Vec<u8> {
    let entry = message().uint(1, 0x20).uint(2, 0).int(3, 1);
    let records = [
        message().message(1, message().uint(1, 2_000).uint(2, 71).message(3, entry)),
        message().message(3, message().uint(1, 0).bytes(2, "/app").bytes(3, "main").bytes(3, "f")),
        message().message(4, message().uint(1, 71).uint(2, 70).bytes(3, "worker")),
        message().message(2, message().uint(1, 3).uint(2, 9)),
    ];
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in records {
        bytes.extend((record.as_bytes().len() as u32).to_le_bytes());
        bytes.extend(record.as_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

fn otlp() -> Message {
    let attribute = |key: &str, value: Message| message().bytes(1, key).message(2, value);
    let list = message().message(1, message().bytes(1, "a\"b")).message(1, message().uint(3, 7));
    let span = message()
        .bytes(1, [0xaa; 16])
        .bytes(2, [1; 8])
        .bytes(5, "order")
        .fixed64(7, 1_000)
        .fixed64(8, 1_900)
        .message(9, attribute("thread.id", message().uint(3, 71)))
        .message(9, attribute("list", message().message(5, list)))
        .message(9, attribute("real", message().fixed64(4, 1)))
        .message(11, message().fixed64(1, 1_200).bytes(2, "event"))
        .message(15, message().bytes(2, "well").uint(3, 1));
    let service = attribute("service.name", message().bytes(1, "shop"));
    message().message(
        1,
        message().message(1, message().message(1, service)).message(2, message().message(2, span)),
    )
}

/// A message with its size before it, twice.
fn sized(bytes: &[u8]) -> Vec<u8> {
    let size = (bytes.len() as u32).to_be_bytes();
    [&size[..], bytes, &size, bytes].concat()
}

fn primes() -> Vec<u8> {
    let time = |nanos| message().uint(1, 2).uint(2, nanos);
    let edge = |id: u64, nanos| message().uint(1, id).message(2, time(nanos));
    let details = message().bytes(1, "load").uint(4, 9);
    let child = message().bytes(1, "parse").uint(2, 1).uint(3, 1).uint(4, 9);
    let edges = [
        edge(1, 100).message(3, message().message(1, details).uint(8, 7).bytes(6, "main")),
        edge(2, 200).message(3, message().message(1, child.clone())),
        edge(3, 250).message(5, message().message(1, child)),
        edge(2, 400).message(4, message()),
        edge(1, 600).message(4, message()),
    ];
    let trace = message().fixed64(1, 5).bytes(2, "app").message(4, time(0));
    edges.into_iter().fold(trace, |trace, edge| trace.message(7, edge)).into_bytes()
}
