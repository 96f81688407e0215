//! Each crate depends only on crates before it in the order data flows, and on the libraries that
//! its stage may use.

use std::path::Path;

/// A crate, the crates of this workspace it may depend on, and crates of others it must not.
struct Rule {
    name: &'static str,
    may: &'static [&'static str],
    must_not: &'static [&'static str],
}

const NO_ENGINE: &[&str] = &["datafusion", "tokio"];

const RULES: &[Rule] = &[
    Rule { name: "tpq-source", may: &[], must_not: &["datafusion", "tokio", "arrow-array"] },
    Rule { name: "tpq-proto", may: &[], must_not: &["datafusion", "tokio", "memmap2"] },
    Rule { name: "tpq-clock", may: &[], must_not: &["datafusion", "tokio", "memmap2", "prost"] },
    Rule {
        name: "tpq-ingest",
        may: &["tpq-source", "tpq-proto", "tpq-clock"],
        must_not: &["datafusion", "tokio", "memmap2"],
    },
    Rule { name: "tpq-tables", may: &[], must_not: &["datafusion", "tokio", "prost"] },
    Rule {
        name: "tpq-trackers",
        may: &["tpq-source", "tpq-proto", "tpq-clock", "tpq-ingest", "tpq-tables"],
        must_not: NO_ENGINE,
    },
    Rule {
        name: "tpq-decode",
        may: &["tpq-proto", "tpq-clock", "tpq-ingest", "tpq-tables", "tpq-trackers"],
        must_not: NO_ENGINE,
    },
    Rule {
        name: "tpq-formats",
        may: &[
            "tpq-source",
            "tpq-proto",
            "tpq-clock",
            "tpq-ingest",
            "tpq-tables",
            "tpq-trackers",
            "tpq-decode",
        ],
        must_not: NO_ENGINE,
    },
    Rule {
        name: "tpq-sql",
        may: &["tpq-proto", "tpq-tables"],
        must_not: &["prost", "memmap2", "clap"],
    },
    Rule {
        name: "tpq-output",
        may: &["tpq-tables", "tpq-sql"],
        must_not: &["prost", "memmap2", "clap"],
    },
    Rule {
        name: "tpq-summary",
        may: &["tpq-proto", "tpq-sql"],
        must_not: &["memmap2", "clap", "tokio"],
    },
    Rule {
        name: "tpq-health",
        may: &["tpq-sql"],
        must_not: &["prost", "memmap2", "clap", "tokio"],
    },
    Rule {
        name: "tpq-server",
        may: &["tpq-proto", "tpq-sql", "tpq-output", "tpq-summary", "tpq-health"],
        must_not: &["memmap2", "clap"],
    },
    Rule {
        name: "tpq-lake",
        may: &["tpq-tables", "tpq-sql", "tpq-output"],
        must_not: &["prost", "memmap2", "clap"],
    },
    Rule { name: "tpq-cluster", may: &["tpq-sql", "tpq-lake"], must_not: &["memmap2", "clap"] },
    Rule { name: "tpq-testkit", may: &[], must_not: &["prost", "datafusion", "tokio"] },
];

/// The names a manifest lists under a heading such as `[dependencies]`.
fn listed(manifest: &str, heading: &str) -> Vec<String> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != heading)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let name = line.split(['=', '.']).next()?.trim().trim_matches('"');
            (!name.is_empty() && !name.starts_with('#')).then(|| name.to_owned())
        })
        .collect()
}

fn manifest(path: &str) -> String {
    std::fs::read_to_string(Path::new(crate::ROOT).join(path)).unwrap()
}

#[test]
fn crates_depend_only_on_what_they_may() {
    let mut broken = Vec::new();
    for Rule { name, may, must_not } in RULES {
        for dependency in listed(&manifest(&format!("crates/{name}/Cargo.toml")), "[dependencies]")
        {
            let ours = dependency.starts_with("tpq-") && !may.contains(&dependency.as_str());
            if ours || must_not.contains(&dependency.as_str()) {
                broken.push(format!("{name} depends on {dependency}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_rule_covers_every_crate() {
    let manifest = manifest("Cargo.toml");
    let members: Vec<&str> = manifest
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"crates/")?.strip_suffix("\","))
        .collect();
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(members, rules, "members of the workspace, in the order of the flow");
}

#[test]
fn the_testkit_is_for_tests_only() {
    for path in ["Cargo.toml".to_owned()]
        .into_iter()
        .chain(RULES.iter().map(|rule| format!("crates/{}/Cargo.toml", rule.name)))
    {
        let dependencies = listed(&manifest(&path), "[dependencies]");
        assert!(!dependencies.contains(&"tpq-testkit".to_owned()), "{path}");
    }
}
