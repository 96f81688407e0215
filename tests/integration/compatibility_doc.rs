//! The lists of packets and kernel events in `docs/compatibility.md` say what the decoders do.
//! `UPDATE=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use tpq::Treatment;

const BEGIN: &str =
    "<!-- written by a test: UPDATE=1 cargo test --test integration compatibility_doc -->\n";
const END: &str = "<!-- end of what the test writes -->\n";

fn lists() -> String {
    let mut text = String::from("\n| field | packet | |\n|---|---|---|\n");
    for (field, name) in tpq::packet_kinds() {
        let treatment = match tpq::treatment(field) {
            Treatment::Transport => "read by the import itself",
            Treatment::Decoded => "decoded",
            Treatment::NoTable => "fills no table there, and none here",
            Treatment::NotYet => "not yet",
        };
        writeln!(text, "| {field} | `{name}` | {treatment} |").unwrap();
    }
    text.push_str("\nKernel events that become more than rows of `ftrace_event`: ");
    let names = tpq::kernel_events_with_tables();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    text.push_str(&names.join(", "));
    text.push_str(".\n\n");
    text
}

#[test]
fn compatibility_md_is_up_to_date() {
    let path = Path::new(crate::ROOT).join("docs/compatibility.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the lists");
    let (found, after) = rest.split_once(END).expect("the lists end");
    let wanted = lists();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, [before, BEGIN, &wanted, END, after].concat()).unwrap();
        return;
    }
    assert!(
        found == wanted,
        "docs/compatibility.md is stale: UPDATE=1 cargo test --test integration compatibility_doc"
    );
}

/// The kinds are those of the published format, where its facts are at hand.
#[test]
fn packets_are_those_of_the_format() {
    let facts = Path::new(crate::ROOT).join("../shared/facts/proto_fields.tsv");
    let Ok(facts) = std::fs::read_to_string(&facts) else {
        eprintln!("skipped: no facts at {}", facts.display());
        return;
    };
    // Payloads are messages, except the kinds below.
    let plain = ["synchronization_marker", "compressed_packets", "zstd_compressed_packets"];
    let header = ["interned_data", "trace_packet_defaults"];
    let fields = facts.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let of_packet = cells[0] == "TracePacket" || cells[0] == "extend TracePacket";
        let message = cells.get(4)?.starts_with(|first: char| first.is_ascii_uppercase());
        let payload = plain.contains(&cells[2]) || message && !header.contains(&cells[2]);
        (of_packet && payload).then(|| (cells[1].parse::<u32>().unwrap(), cells[2].to_owned()))
    });
    let mut wanted: Vec<(u32, String)> = fields.collect();
    wanted.sort();
    let known: Vec<(u32, String)> =
        tpq::packet_kinds().map(|(field, name)| (field, name.to_owned())).collect();
    let missing: Vec<_> = wanted.iter().filter(|kind| !known.contains(kind)).collect();
    assert!(missing.is_empty(), "the format has {missing:?}");
}
