//! Bug reports of Android: the text, its logs, and the history of the battery.

use tpq_testkit::{Archive, gzip};

use super::{PLACES, kind_and_clock};
use crate::imported::{FILES, Imported, STATS};

/// Local time is two hours ahead of UTC.
const REPORT: &str = "\
========================================================
== dumpstate: 2022-06-24 16:24:37
========================================================

------ SYSTEM LOG (logcat -v threadtime) ------
--------- beginning of main
06-24 16:24:23.441  1000  2153  2154 I tag: first message
12-31 23:00:00.000  root     1     1 W init    : of the year before
not a message, but long enough to be one
------ 0.356s was the duration of 'SYSTEM LOG' ------
------ DUMPSYS CRITICAL (/system/bin/dumpsys) ------
-------------------------------------------------------------------------------
DUMP OF SERVICE CRITICAL alarm:
  nowRTC=1656087877000=2022-06-24 18:24:37.000 nowELAPSED=403532
--------- 0.012s was the duration of dumpsys alarm, ending at: 2022-06-24 16:24:37
------ 0.4s was the duration of 'DUMPSYS CRITICAL' ------
------ BLOCK STAT (sda) ------
 a line
------ CHECKIN BATTERYSTATS (/system/bin/dumpsys -t 60 batterystats -c) ------
9,0,i,vers,36,1
9,hsp,0,10001,\"*job*/a.b\"
9,hsp,1,-1,\"lock, of b\"
9,h,0:RESET:TIME:1656080000000
9,h,0,Bl=99,Bcc=3000,Bv=4100,Bs=d,Bp=u,Pst=off,zz=5
9,h,1000,+S,+Ejb=0,+w=1,+w
9,h,500,-S,-Ejb=7,-w=1,Pcn=lte,Pst=no
9,h,x,+S
";

const NAME: &str = "bugreport-a-B.1-2022-06-24-16-24-37.txt";

const LOGS: &str = "SELECT ts, tid, pid, prio, tag, msg FROM android_logs \
    JOIN thread USING (utid) LEFT JOIN process USING (upid) ORDER BY ts, android_logs.id";

/// Counters and slices of the battery, in ms from the time that its history states.
const COUNTERS: &str = "SELECT (ts - 1656080000000000000) / 1000000 AS ms, t.type, t.name, value \
    FROM counter JOIN track t ON t.id = counter.track_id ORDER BY ts, counter.id";
const SLICES: &str = "SELECT (ts - 1656080000000000000) / 1000000 AS ms, dur / 1000000 AS dur, \
    t.type, t.name AS track, slice.name FROM slice JOIN track t ON t.id = slice.track_id \
    ORDER BY ts, slice.id";

/// 16:24:23.441 local time is 14:24:23.441, which is 1,656,080,663.441 s. The end of a year comes
/// before June and so is of 2021: 21:00 is 1,640,984,400 s.
#[test]
fn messages_have_the_year_and_the_zone_of_the_report() {
    let trace = Imported::file(REPORT);
    assert_eq!(
        trace.rows(LOGS),
        "\
ts                   tid   pid   prio  tag   msg
1640984400000000000  1     1     5     init  of the year before
1656080663441000000  2154  2153  4     tag   first message
"
    );
    assert_eq!(
        kind_and_clock(&trace),
        ("android_dumpstate".to_owned(), vec![vec!["1".to_owned()]])
    );
    assert_eq!(
        trace.rows(PLACES),
        "\
name                     line  what
android_log_num_failed   9     this line has no time, thread, priority and tag that can be read
android_br_parse_errors  27    this line of the history of the battery has no time that can be read
"
    );
}

/// Marks of sections and services have no rows. Sections of block devices are one.
#[test]
fn lines_have_their_section_and_service() {
    let trace = Imported::file(REPORT);
    let rows = trace.cells(
        "SELECT section, service, line FROM android_dumpstate WHERE section IS NULL \
         OR section NOT GLOB '*LOG*' AND section NOT GLOB 'CHECKIN*' ORDER BY id",
    );
    let line = "========================================================";
    let dumps = "DUMPSYS CRITICAL (/system/bin/dumpsys)";
    let now = "  nowRTC=1656087877000=2022-06-24 18:24:37.000 nowELAPSED=403532";
    assert_eq!(
        rows,
        [
            ["NULL", "NULL", line],
            ["NULL", "NULL", "== dumpstate: 2022-06-24 16:24:37"],
            ["NULL", "NULL", line],
            ["NULL", "NULL", ""],
            [dumps, "alarm", "DUMP OF SERVICE CRITICAL alarm:"],
            [dumps, "alarm", now],
            ["BLOCK STAT", "NULL", " a line"],
        ]
    );
    let counts = "SELECT section, count(*) FROM __intrinsic_android_dumpstate \
        WHERE section GLOB '*LOG*' OR section GLOB 'CHECKIN*' GROUP BY section ORDER BY section";
    assert_eq!(
        trace.cells(counts),
        [
            ["CHECKIN BATTERYSTATS (/system/bin/dumpsys -t 60 batterystats -c)", "8"],
            ["SYSTEM LOG (logcat -v threadtime)", "4"],
        ]
    );
}

/// mAh and mV become µAh and µV. `d` is discharging, 3; `u` is USB, 2; `off` is state 3 of the
/// phone, `lte` connection 13. `zz` is no known state, `no` no state of the phone, and string 7
/// does not exist.
#[test]
fn the_history_of_the_battery() {
    let trace = Imported::file(REPORT);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ms    type                    name                       value
0     battery_counter         batt.capacity_pct          99.0
0     battery_counter         batt.charge_uah            3000000.0
0     battery_counter         batt.voltage_uv            4100000.0
0     battery_status          BatteryStatus              3.0
0     battery_plugged_status  PlugType                   2.0
0     battery_stats           battery_stats.phone_state  3.0
1000  battery_stats           battery_stats.screen       1.0
1000  screen_state            ScreenState                2.0
1500  battery_stats           battery_stats.screen       0.0
1500  screen_state            ScreenState                1.0
1500  battery_stats           battery_stats.data_conn    13.0
"
    );
    assert_eq!(
        trace.rows(SLICES),
        "\
ms    dur  type                 track              name
1000  0    battery_stats        battery_stats.job  +job=10001:\"*job*/a.b\"
1000  500  dumpstate_wakelocks  WakeLocks          lock, of b
1500  0    battery_stats        battery_stats.job  -job=-1:\"\"
"
    );
    let stats = trace.cells(
        "SELECT name, value FROM stats WHERE value > 0 \
         AND name IN ('android_br_parse_errors', 'format_records_not_read') ORDER BY name",
    );
    let expected = [["android_br_parse_errors", "2"], ["format_records_not_read", "1"]];
    assert_eq!(stats, expected, "a line without a time and `Pst=no`; `zz`");
}

/// 14:12:33.5 UTC is 1,656,079,953.5 s. The clock of the log goes on a quarter of a second while the
/// device sleeps for 20 seconds.
#[test]
fn the_log_of_the_kernel() {
    let report = "\
========================================================
== dumpstate: 2022-06-24 16:24:37
========================================================

------ KERNEL LOG (dmesg) ------
<6>[   90.000000] usb: new
<6>[  100.000000] PM: suspend entry 2022-06-24 14:12:33.500000000 UTC
<4>[  100.250000] PM: suspend exit 2022-06-24 14:12:53.500000000 UTC
<3>[  101.000000] Mem:
                  free: 1
no time
------ 0.1s was the duration of 'KERNEL LOG (dmesg)' ------
";
    let trace = Imported::file(report);
    let logs = "SELECT ts, prio, log_source, tag, msg FROM logs ORDER BY ts";
    assert_eq!(
        trace.cells(logs),
        [
            ["1656079943500000000", "6", "dmesg", "usb", "new"],
            [
                "1656079953500000000",
                "6",
                "dmesg",
                "PM",
                "suspend entry 2022-06-24 14:12:33.500000000 UTC",
            ],
            [
                "1656079973500000000",
                "4",
                "dmesg",
                "PM",
                "suspend exit 2022-06-24 14:12:53.500000000 UTC",
            ],
            ["1656079974250000000", "3", "dmesg", "NULL", "Mem:\nfree: 1"],
        ]
    );
    assert_eq!(trace.cell("SELECT count(*) FROM android_logs"), "0");
    let what = "this line of the kernel's log has no time that can be read";
    assert_eq!(trace.cells(PLACES), [["android_log_num_failed", "11", what]]);
    let lines = "SELECT count(*) FROM android_dumpstate WHERE section = 'KERNEL LOG (dmesg)'";
    assert_eq!(trace.cell(lines), "6");
    // Without wall times, only lines of text are known.
    let unknown = Imported::file(report.replace("PM: suspend", "PM: other"));
    assert_eq!(unknown.cell("SELECT count(*) FROM logs"), "0");
    assert!(unknown.cells(PLACES).is_empty());
}

/// A message of 50,000 lines with 97 letters each, and one of two lines, where the reader hands on a
/// batch. A line that continues no message is counted: it is the first of the log, or it comes after
/// one that is none.
#[test]
fn messages_of_the_kernel_of_many_lines() {
    let (head, letters) = (REPORT.lines().take(4).collect::<Vec<_>>().join("\n"), "x".repeat(97));
    let report = format!(
        "{head}\n------ KERNEL LOG (dmesg) ------\n   cut off\n\
         <6>[  100.000000] PM: suspend entry 2022-06-24 14:12:33.500000000 UTC\n\
         <6>[  101.000000] Mem:\n{}<6>[  102.000000] a\n  b\nno time\n  c\n",
        format!("  {letters}\n").repeat(50_000)
    );
    let trace = Imported::file(report);
    let logs = "SELECT ts - 1656079953500000000, length(msg) FROM logs ORDER BY ts";
    // `Mem:` and 98 characters for each line.
    assert_eq!(trace.cells(logs), [["0", "47"], ["1000000000", "4900004"], ["2000000000", "3"]]);
    let places = trace.cells(PLACES);
    let lines: Vec<&str> = places.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(lines, ["6", "50011", "50012"]);
    assert!(places.iter().all(|row| row[0] == "android_log_num_failed"), "{places:?}");
}

/// The second log states no wall time, and the first one says nothing of its clock.
#[test]
fn each_log_of_the_kernel_has_its_clock() {
    let report = "\
========================================================
== dumpstate: 2022-06-24 16:24:37
========================================================

------ KERNEL LOG (dmesg) ------
<6>[  100.000000] PM: suspend entry 2022-06-24 14:12:33.500000000 UTC
------ KERNEL LOG (of an earlier start) ------
<6>[  100.000000] usb: new
";
    let trace = Imported::file(report);
    let logs = "SELECT ts, tag FROM logs";
    assert_eq!(trace.cells(logs), [["1656079953500000000", "PM"]]);
}

/// The history may stand alone. Wakelocks need version 36 of the format.
#[test]
fn a_history_alone() {
    let history = "9,0,i,vers,35,1\n9,h,0:TIME:1656080000000\n9,h,7,+S,+w=1\n";
    let trace = Imported::file(history);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ms  type           name                  value
7   battery_stats  battery_stats.screen  1.0
7   screen_state   ScreenState           2.0
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "0");
    assert_eq!(trace.cell("SELECT count(*) FROM android_dumpstate"), "3");
}

/// The stored log has µs. A message of the report that is stored as well is there once; a second
/// one of the same text is not the same message.
#[test]
fn an_archive_with_stored_logs() {
    let stored = "\
06-24 16:24:23.441532  2153  2154 I tag: first message
06-24 16:24:24.000001  2153  2154 I tag: stored alone
";
    let report = REPORT.replace(
        "I tag: first message\n",
        "I tag: first message\n\
         06-24 16:24:23.441  1000  2153  2154 I tag: first message\n",
    );
    let archive = Archive::new()
        .file(NAME, report)
        .file("FS/data/misc/logd/logcat", stored)
        .file("FS/data/misc/logd/logcat.id", stored)
        .file("proto/activity.proto", [0x0a, 4, 0x40, 1, 0x50, 1]);
    let rows = "\
ts                   tid   pid   prio  tag   msg
1640984400000000000  1     1     5     init  of the year before
1656080663441000000  2154  2153  4     tag   first message
1656080663441532000  2154  2153  4     tag   first message
1656080664000001000  2154  2153  4     tag   stored alone
";
    let trace = Imported::file(archive.zip());
    assert_eq!(trace.rows(LOGS), rows);
    assert_eq!(
        trace.rows(FILES),
        "\
id  parent  name                                     trace_type         processing_order
0   NULL    NULL                                     zip                0
1   0       FS/data/misc/logd/logcat                 android_logcat     1
2   0       bugreport-a-B.1-2022-06-24-16-24-37.txt  android_dumpstate  2
"
    );
    let irregular = "SELECT value FROM stats WHERE name = 'archive_irregularities' AND value > 0";
    assert_eq!(trace.cells(irregular), [["1"]], "two files are left out");
    assert_eq!(Imported::file(archive.tar()).rows(LOGS), rows);
}

#[test]
fn packed_reports() {
    let trace = Imported::file(gzip(REPORT.as_bytes()));
    assert_eq!(trace.cell("SELECT count(*) FROM android_logs"), "2");
    let trace = Imported::file(Archive::new().file("x.txt", REPORT).zip());
    assert_eq!(trace.cell("SELECT count(*) FROM android_logs"), "2");
}

/// A text without its last line end, and with the line ends of Windows.
#[test]
fn line_ends() {
    let header = REPORT.lines().take(4).collect::<Vec<_>>().join("\n");
    let text = format!("{header}\n a \r\nb");
    let trace = Imported::file(text);
    let rows = trace.cells("SELECT line FROM android_dumpstate ORDER BY id DESC LIMIT 2");
    assert_eq!(rows, [["b"], [" a "]]);
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}
