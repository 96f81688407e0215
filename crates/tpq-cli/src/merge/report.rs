//! Reports the content of the packed file, and how an import places it.

use tpq::Trace;

use super::Member;
use super::advice::advise;
use crate::files::{File, FileStatus, files};
use crate::layout::{Cell, bytes, columns, counted, rows};
use crate::names::Names;
use crate::terminal::{Emphasis, Style};

/// A report, and its number of problems.
pub struct Report {
    pub text: String,
    /// The number of problems. With `--strict`, any problem is an error.
    pub problems: usize,
}

/// Describes the import of the packed file.
pub async fn report(trace: &Trace, members: &[Member], style: Style) -> anyhow::Result<Report> {
    let names = Names::of(trace).await?;
    let files = files(trace, &names).await?;
    let missing_paths = missing_paths(trace).await?;
    let mut text = String::new();
    let trace_clock = names.clock_with_source(trace.summary().clocks.trace_clock());
    text.push_str(&format!("{} {trace_clock}\n\n", style.bold("Trace time")));
    columns(&files.iter().map(|file| row(file, &names)).collect::<Vec<_>>(), style, &mut text);
    text.push('\n');
    for member in members.iter().filter(|member| member.is_renamed()) {
        let path = member.path.display();
        text.push_str(&format!("{path} is packed as {}\n", member.name));
    }
    let mut problems = 0;
    for file in &files {
        if matches!(file.status, FileStatus::NotPlaced | FileStatus::NotRead(_)) {
            append_problem(
                &format!("nothing of {} is on the timeline", file.name),
                style,
                &mut text,
            );
            problems += 1;
        }
        for missing in &file.missing {
            append_problem(&format!("{}: {missing}", file.name), style, &mut text);
            problems += 1;
        }
    }
    for path in missing_paths {
        let what = format!(
            "the manifest lists {path}, but no file has this name; the entry has no effect"
        );
        append_problem(&what, style, &mut text);
        problems += 1;
    }
    text.push_str(&advise(&files, trace.summary().clocks.trace_clock(), &names, style));
    text.push_str(&match problems {
        0 => format!("{}\n", style.green("every event has its place on the timeline")),
        _ => format!("{}\n", style.red("not everything has its place on the timeline")),
    });
    Ok(Report { text, problems })
}

fn row(file: &File, names: &Names) -> Vec<Cell> {
    let emphasis = match file.status {
        FileStatus::NotPlaced | FileStatus::NotRead(_) => Emphasis::Error,
        FileStatus::Assumed(..) => Emphasis::Warning,
        _ => Emphasis::Plain,
    };
    vec![
        Cell::text(&file.name),
        Cell::number(bytes(file.bytes)),
        Cell::text(file.status.describe(names)).emphasis(emphasis),
    ]
}

fn append_problem(what: &str, style: Style, out: &mut String) {
    out.push_str(&format!("{} {what}\n", style.red("missing:")));
}

/// The paths that the manifest lists but that no file has.
async fn missing_paths(trace: &Trace) -> anyhow::Result<Vec<String>> {
    let sql = "SELECT string_value FROM trace_import_logs JOIN args USING (arg_set_id) \
         WHERE name = 'manifest_files_missing' AND key = 'what' ORDER BY string_value";
    Ok(rows(trace, sql).await?.into_iter().flatten().collect())
}

/// The name and size of a packed file, and the number of files in it.
pub fn headline(path: &std::path::Path, size: u64, members: usize) -> String {
    let members = counted(members as u64, "file", "files");
    format!("{}  {}, {members}\n", path.display(), bytes(size))
}
