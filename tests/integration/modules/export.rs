//! `export.*`

use super::{empty, lines};

/// The thread of the trace has two samples with a stack: in `f` called by `main`, of which `inner`
/// is inlined into `outer`, and in `main` called by it again. No trace has samples, so the test
/// writes the tables.
const SAMPLES: &str = "
    CREATE PERFETTO TABLE perf_sample AS
    SELECT column1 AS id, column2 AS ts, (SELECT utid FROM thread WHERE tid = 101) AS utid,
        column3 AS callsite_id
    FROM (VALUES (0, 100, 2), (1, 200, 1), (2, 300, NULL));
    CREATE PERFETTO TABLE stack_profile_callsite AS
    SELECT column1 AS id, column2 AS parent_id, column3 AS frame_id
    FROM (VALUES (0, NULL, 0), (1, 0, 1), (2, 1, 0));
    CREATE PERFETTO TABLE stack_profile_frame AS
    SELECT column1 AS id, column2 AS name, column3 AS symbol_set_id
    FROM (VALUES (0, 'main', NULL), (1, 'f', 7));
    CREATE PERFETTO TABLE stack_profile_symbol AS
    SELECT column1 AS id, 7 AS symbol_set_id, column2 AS name
    FROM (VALUES (0, 'inner'), (1, 'outer'));
    CREATE PERFETTO TABLE exported AS
    SELECT export_to_firefox_profile() AS profile, '$.threads[' || utid || '].' AS thread
    FROM thread
    WHERE tid = 101;";

/// Parts of the thread in the profile.
fn firefox_thread(parts: &[&str]) -> Vec<String> {
    let values = parts.iter().map(|part| format!("json_extract(profile, thread || '{part}')"));
    let values = values.collect::<Vec<_>>().join(", ");
    let sql = format!("{SAMPLES} SELECT {values} FROM exported");
    lines(&empty(), "export.to_firefox_profile", &sql)
}

#[test]
fn a_profile_for_firefox() {
    assert_eq!(firefox_thread(&["name", "pid", "tid"]), ["main 100 101"]);
    // Stacks: 0 is main, 1 outer, 2 inner, 3 main again. Names are sorted: inner, main, outer.
    assert_eq!(
        firefox_thread(&["samples.stack", "samples.time", "samples.length"]),
        ["[3,2] [100,200] 2"]
    );
    assert_eq!(
        firefox_thread(&["stackTable.frame", "stackTable.prefix"]),
        ["[0,1,2,0] [null,0,1,2]"]
    );
    assert_eq!(
        firefox_thread(&["frameTable.func", "frameTable.inlineDepth", "frameTable.length"]),
        ["[1,2,0] [0,0,1] 3"]
    );
    assert_eq!(
        firefox_thread(&["stringArray", "funcTable.name", "funcTable.isJS"]),
        [r#"["inner","main","outer"] [0,1,2] [0,0,0]"#]
    );
    let sql = format!("{SAMPLES} SELECT json_extract(profile, '$.meta.version') FROM exported");
    assert_eq!(lines(&empty(), "export.to_firefox_profile", &sql), ["29"]);
}

/// Slices, states and a counter from 1,000 to 2,000, in one document.
const TIMELINE: &str = "
    CREATE PERFETTO TABLE spans AS
    SELECT 'doc' AS d, 'app' AS g, 1 AS o, column1 AS ts, column2 AS dur, column3 AS name,
        column4 AS depth, column5 AS href
    FROM (VALUES (1000, 1000, 'a<b', 0, 'x?a&b'), (1500, 250, 'in', 1, NULL),
        (1800, 10, 'narrow', 1, NULL), (1000, -1, 'open', 0, NULL));
    CREATE PERFETTO TABLE states AS
    SELECT 'doc' AS d, 'app' AS g, 1 AS o, column1 AS ts, column2 AS dur, column3 AS state,
        0 AS io_wait, column4 AS blocked_function, NULL AS href
    FROM (VALUES (1000, 500, 'Running', NULL), (1500, 500, 'D', 'futex'));
    CREATE PERFETTO TABLE counters_in AS
    SELECT 'doc' AS d, 'mem' AS g, 2 AS o, 'rss' AS name, column1 AS ts, column2 AS dur,
        column3 AS value
    FROM (VALUES (1000, 500, 1000.0), (1500, 500, -3000.0));";

/// A document of the timeline, 100 pixels wide, in pieces that begin with a group or an element.
fn document(call: &str) -> Vec<String> {
    let sql = format!(
        "{TIMELINE} SELECT svg_group_key, regexp_replace(svg, 'hsl[^)]*.', 'COLOR', 'g') \
         FROM {call}"
    );
    let rows = lines(&empty(), "export.to_svg", &sql);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    let svg = row.strip_prefix("doc ").unwrap_or_else(|| panic!("{row}"));
    svg.replace("><", ">\n<").lines().map(str::to_owned).collect()
}

/// A pixel is 10 ns. A row is 2 pixels high. Slices begin 5 pixels below the top of their track,
/// states 22, counters 25; 0 is a quarter of the way from 1,000 to -3,000.
#[test]
fn a_drawn_timeline() {
    let call = "_svg_timeline_with_counters!(spans, states, counters_in, d, g, o, 100, 10, 0)";
    let drawn = document(call);
    assert_eq!(drawn[0], r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 85">"#);
    assert_eq!(
        drawn[2..],
        [
            r#"<g transform="translate(10,5)">"#,
            r#"<g transform="translate(0,0)">"#,
            r#"<a href="x?a&amp;b" target="_blank">"#,
            r#"<rect x="0.00" y="5" width="100.00" height="2" fill="COLOR">"#,
            "<title>a&lt;b (1.0µs)</title>",
            "</rect>",
            r#"<text x="50.00" y="6.0" text-anchor="middle" font-size="11">a&lt;b</text>"#,
            "</a>",
            r#"<rect x="50.00" y="7" width="25.00" height="2" fill="COLOR">"#,
            "<title>in (250ns)</title>",
            "</rect>",
            r#"<text x="62.50" y="8.0" text-anchor="middle" font-size="11">in</text>"#,
            "</g>",
            r#"<g transform="translate(0,9)">"#,
            r#"<text x="5" y="15" font-size="11">app</text>"#,
            r##"<rect x="0.00" y="22" width="50.00" height="1" fill="#388e3c">"##,
            "<title>Running (500ns)</title>",
            "</rect>",
            r##"<rect x="50.00" y="22" width="50.00" height="1" fill="#c62828">"##,
            "<title>D (500ns), blocked in futex</title>",
            "</rect>",
            "</g>",
            r#"<g transform="translate(0,32)">"#,
            r#"<text x="5" y="15" font-size="11">mem</text>"#,
            "<path d=\"M0.00,25.75 L0.00,25.00 L50.00,25.00 L50.00,28.00 L100.00,28.00 \
             L100.00,25.75 Z\" fill=\"steelblue\" fill-opacity=\"0.7\">",
            "<title>rss</title>",
            "</path>",
            r#"<text x="5" y="30" font-size="9">1.00K</text>"#,
            r#"<text x="5" y="23" font-size="9">-3.00K</text>"#,
            "</g>",
            "</g>",
            "</svg>",
        ]
    );
    // Without the counter, its track of 28 pixels is missing at the end.
    let without = document("_svg_timeline!(spans, states, d, g, o, 100, 10)");
    assert_eq!(without[0], r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 57">"#);
    assert_eq!(without[2..24], drawn[2..24]);
}

#[test]
fn texts_of_a_timeline() {
    let calls = [
        ("_svg_number(999.5)", "999.50"),
        ("_svg_number(-1500.0)", "-1.50K"),
        ("_svg_number(2e6)", "2.00M"),
        ("_svg_number(3e9)", "3.00G"),
        ("_svg_number(4e12)", "4.00T"),
        ("_svg_duration(999)", "999ns"),
        ("_svg_duration(1500)", "1.5µs"),
        ("_svg_duration(2500000)", "2.5ms"),
        ("_svg_duration(3000000000)", "3.0s"),
        // 39 pixels are six characters.
        ("_svg_fitting('abcdef', 39)", "abcdef"),
        ("_svg_fitting('abcdef', 38)", "abcd…"),
        ("_svg_fitting('abcdef', 12)", ""),
        ("_svg_state_color('R+', 0)", "#9ccc65"),
        ("_svg_state_color('D', 1)", "#fb8c00"),
        ("_svg_state_color('X', 0)", "#90a4ae"),
        ("_svg_escaped('<a&\"b\">')", "&lt;a&amp;&quot;b&quot;&gt;"),
    ];
    let sql = calls.map(|(call, _)| call).join(", ");
    let texts = calls.map(|(_, text)| text).join(" ");
    assert_eq!(lines(&empty(), "export.to_svg", &format!("SELECT {sql}")), [texts]);
}
