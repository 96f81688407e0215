//! Formats that are text.

/// Their names and texts.
pub(super) const TEXTS: &[(&str, &str)] = &[
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
    ("dmesg of several lines", "[    1.000000] a: b\n               c\n  d\n[    2.000000] e\n"),
    (
        "systrace page",
        "<!DOCTYPE html>\n<html>\n<body>\n\
         <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n#\n\
         <idle>-0     (-----) [001] d..3     2.000010: sched_switch: prev_comm=swapper/1 \
         prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=7 next_prio=98\n\
         worker-7     (    5) [001] ...1     2.000020: tracing_mark_write: B|5|work\n\
         worker-7     (    5) [001] ...1     2.000040: tracing_mark_write: E|5\n\
         </script>\n</body>\n</html>\n",
    ),
    (
        "logcat since the epoch",
        "1709204400.500000  1000    20    21 I tag: text\n\
         1709204400.600000 I/tag( 1000:   20): text\n",
    ),
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
         ------ KERNEL LOG (dmesg) ------\n<6>[   90.000000] a: b\n\
         <6>[  100.000000] PM: suspend entry 2022-06-24 14:12:33.500000000 UTC\n  c\n\
         <6>[  100.250000] PM: suspend exit 2022-06-24 14:12:53.500000000 UTC\n\
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
        "heapprofile",
        r#"{"head":{"callFrame":{"functionName":"(root)","url":""},"selfSize":0,"id":1,"children":[{"callFrame":{"functionName":"f","url":"a.js","lineNumber":3},"selfSize":64,"id":2,"children":[]},{"callFrame":{},"selfSize":8.5,"id":3,"children":[]}]},"samples":[{"size":64,"nodeId":2,"ordinal":1}]}"#,
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
        "OTLP in lines",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"a\",\
         \"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":7}]}]}]}\n{}\n\
         {\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"b\",\
         \"startTimeUnixNano\":\"6\",\"endTimeUnixNano\":8}]}]}]}\n",
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
