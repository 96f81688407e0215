//! What the packed file holds, and how an import of it places everything.

use tpq::Trace;

use super::Member;
use super::advice::advise;
use crate::files::{File, Placed, files};
use crate::layout::{Cell, bytes, columns, counted, rows};
use crate::names::Names;
use crate::terminal::{Look, Style};

/// A report, and whether it says that all is well.
pub struct Report {
    pub text: String,
    /// How many complaints make `--strict` an error.
    pub complaints: usize,
}

/// Describes the import of what was packed.
pub async fn report(trace: &Trace, members: &[Member], style: Style) -> anyhow::Result<Report> {
    let names = Names::of(trace).await?;
    let files = files(trace, &names).await?;
    let absent = absent(trace).await?;
    let mut text = String::new();
    let trace_clock = names.clock_and_place(trace.summary().clocks.trace_clock());
    text.push_str(&format!("{} {trace_clock}\n\n", style.bold("Trace time")));
    columns(&files.iter().map(|file| row(file, &names)).collect::<Vec<_>>(), style, &mut text);
    text.push('\n');
    for member in members.iter().filter(|member| member.is_renamed()) {
        let path = member.path.display();
        text.push_str(&format!("{path} is packed as {}\n", member.name));
    }
    let mut complaints = 0;
    for file in &files {
        if matches!(file.placed, Placed::Nowhere | Placed::NotRead(_)) {
            complain(&format!("nothing of {} is on the timeline", file.name), style, &mut text);
            complaints += 1;
        }
        for missing in &file.missing {
            complain(&format!("{}: {missing}", file.name), style, &mut text);
            complaints += 1;
        }
    }
    for path in absent {
        let what = format!(
            "the manifest speaks of {path}, and no file here is called so: what it says of it has \
             no effect"
        );
        complain(&what, style, &mut text);
        complaints += 1;
    }
    text.push_str(&advise(&files, trace.summary().clocks.trace_clock(), &names, style));
    text.push_str(&match complaints {
        0 => format!("{}\n", style.green("every event has its place on the timeline")),
        _ => format!("{}\n", style.red("not everything has its place on the timeline")),
    });
    Ok(Report { text, complaints })
}

fn row(file: &File, names: &Names) -> Vec<Cell> {
    let look = match file.placed {
        Placed::Nowhere | Placed::NotRead(_) => Look::Error,
        Placed::Assumed(..) => Look::Warning,
        _ => Look::Plain,
    };
    vec![
        Cell::text(&file.name),
        Cell::number(bytes(file.bytes)),
        Cell::text(file.placed.words(names)).look(look),
    ]
}

fn complain(what: &str, style: Style, out: &mut String) {
    out.push_str(&format!("{} {what}\n", style.red("missing:")));
}

/// The paths that the manifest lists and that no file has.
async fn absent(trace: &Trace) -> anyhow::Result<Vec<String>> {
    let sql = "SELECT string_value FROM trace_import_logs JOIN args USING (arg_set_id) \
         WHERE name = 'manifest_files_missing' AND key = 'what' ORDER BY string_value";
    Ok(rows(trace, sql).await?.into_iter().flatten().collect())
}

/// How large a packed file is and how much it holds.
pub fn headline(path: &std::path::Path, size: u64, members: usize) -> String {
    let members = counted(members as u64, "file", "files");
    format!("{}  {}, {members}\n", path.display(), bytes(size))
}
