//! The groups of tables that statements name, before there are tables.
//!
//! Only names are looked at, through views and modules: in statements and views the names in the
//! places of tables, in modules all names. A group that is named may not be read in
//! the end, and a group that is not named is made when it is read after all, so an error here costs
//! time and changes no result.

use std::collections::BTreeSet;

use datafusion::sql::sqlparser::tokenizer::Token;
use tpq_tables::{ColumnKind, TableGroup, TableGroups, Tables};

use crate::catalog::{INTRINSIC, NUMBERED, STORED};
use crate::functions::EXTRACT_ARG;
use crate::modules::{Modules, SqlModule};
use crate::perfetto_sql::tokenize;
use crate::table_positions::table_positions;
use crate::views::Prelude;

/// Functions that read rows of kernel events or of args, or return ids of arg sets.
const OF_ARGS: [&str; 5] =
    [EXTRACT_ARG, "to_ftrace", "__intrinsic_arg_set_to_json", "ancestor_slice", "descendant_slice"];
/// Functions that read slices, flows between them, counters or the bounds of the trace.
const OF_TRACKS: [&str; 9] = [
    "trace_start",
    "trace_end",
    "trace_dur",
    "slice_is_ancestor",
    "following_flow",
    "preceding_flow",
    "directly_connected_flow",
    "experimental_slice_layout",
    "__intrinsic_perf_counter_for_sample",
];
/// The end of the name of every column with ids of arg sets.
const ARG_SET_ID: &str = "arg_set_id";

/// The groups of tables that `statements` name. `packages` are the modules of the user.
pub fn groups_named(statements: &str, packages: &[SqlModule]) -> TableGroups {
    let mut named = Named {
        modules: Modules::new(packages),
        prelude: Prelude::default(),
        seen: BTreeSet::new(),
        groups: TableGroups::NONE,
        has_arg_sets: false,
        has_all_columns: false,
    };
    named.text(statements, Part::Statements);
    match named.has_arg_sets && named.has_all_columns {
        true => named.groups.with(TableGroup::KernelEvents),
        false => named.groups,
    }
}

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The statements to be run.
    Statements,
    /// A module, which may declare macros. Any of its words may become the name of a table.
    Module,
    /// A view. The columns to be read are those that a statement names which uses it.
    View,
}

/// What was named so far.
struct Named {
    modules: Modules,
    prelude: Prelude,
    /// Names and modules that were looked at.
    seen: BTreeSet<String>,
    groups: TableGroups,
    /// Whether there are tables with ids of arg sets among what was named.
    has_arg_sets: bool,
    /// Whether all columns of something are selected.
    has_all_columns: bool,
}

impl Named {
    fn text(&mut self, text: &str, part: Part) {
        let Ok(tokens) = tokenize(text) else {
            // It is not a statement; running it gives the error.
            self.groups = TableGroups::all();
            return;
        };
        let tokens: Vec<Token> = tokens
            .into_iter()
            .map(|token| token.token)
            .filter(|token| !matches!(token, Token::Whitespace(_)))
            .collect();
        let may_be_table = match part {
            Part::Module => vec![true; tokens.len()],
            Part::Statements | Part::View => table_positions(&tokens),
        };
        for ((at, token), may_be_table) in tokens.iter().enumerate().zip(may_be_table) {
            match token {
                Token::Word(word) => {
                    let name = word.value.to_lowercase();
                    if name == "include" {
                        self.modules(&tokens[at + 1..]);
                    }
                    let has_all = name == "summarize"
                        || (name == "from" && begins_query(tokens[..at].last()));
                    self.has_all_columns |= has_all && part != Part::View;
                    self.function_or_column(&name, part);
                    if may_be_table {
                        self.table(name);
                    }
                }
                Token::SingleQuotedString(text) if may_be_table => self.table(text.to_lowercase()),
                Token::Mul if part != Part::View => {
                    self.has_all_columns |= selects_all(&tokens[..at]);
                }
                _ => {}
            }
        }
    }

    /// Looks at what a name may stand for, wherever it is.
    fn function_or_column(&mut self, name: &str, part: Part) {
        let is_of_args = OF_ARGS.contains(&name);
        if is_of_args || (part != Part::View && name.ends_with(ARG_SET_ID)) {
            self.groups = self.groups.with(TableGroup::KernelEvents);
        }
        if OF_TRACKS.contains(&name) {
            self.groups = self.groups.with(TableGroup::Tracks);
        }
    }

    /// Looks at the table or view that a name may stand for.
    fn table(&mut self, name: String) {
        let prefixes = [STORED, NUMBERED, INTRINSIC];
        let plain = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
        // A table may be declared with such a prefix.
        let names = [plain, name.as_str()];
        if let Some(table) = Tables::DECLS.iter().find(|table| names.contains(&table.name)) {
            self.groups = table.group.map_or(self.groups, |group| self.groups.with(group));
            self.has_arg_sets |=
                table.columns.iter().any(|column| column.kind == ColumnKind::ArgSetId);
        }
        let view = self.prelude.view(&name).ok().flatten().map(|view| view.statement());
        if self.seen.insert(name)
            && let Some(view) = view
        {
            self.text(&view, Part::View);
        }
    }

    /// Looks at the modules that a statement includes, given what comes after INCLUDE.
    fn modules(&mut self, tokens: &[Token]) {
        let [Token::Word(_), Token::Word(_), path @ ..] = tokens else { return };
        let path = path.iter().take_while(|token| !matches!(token, Token::SemiColon | Token::EOF));
        let path: String = path.map(ToString::to_string).collect();
        for module in self.modules.matching(&path) {
            let text = self.modules.text(&module);
            if self.seen.insert(format!("module {module}"))
                && let Some(text) = text
            {
                self.text(&text, Part::Module);
            }
        }
    }
}

/// Whether a query begins after this token. A query that begins with FROM may have no SELECT, and
/// then has all columns.
fn begins_query(before: Option<&Token>) -> bool {
    matches!(before, None | Some(Token::SemiColon | Token::LParen))
}

/// Whether an asterisk after these tokens stands for all columns, and not for a multiplication or
/// in `count(*)`.
fn selects_all(before: &[Token]) -> bool {
    match before.last() {
        Some(Token::Comma | Token::Period) => true,
        Some(Token::Word(word)) => {
            let keywords = ["select", "distinct", "all", "returning"];
            keywords.contains(&word.value.to_lowercase().as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether kernel events, and whether thread states are named.
    fn named(statements: &str) -> (bool, bool) {
        let package = SqlModule {
            name: "own.waits".to_owned(),
            text: "CREATE PERFETTO VIEW waits AS SELECT ts FROM spurious_sched_wakeup;".into(),
        };
        let groups = groups_named(statements, &[package]);
        (groups.contains(TableGroup::KernelEvents), groups.contains(TableGroup::ThreadStates))
    }

    #[test]
    fn common_first_questions_name_neither() {
        for statements in [
            "",
            "SELECT count(*) FROM sched",
            "SELECT * FROM sched LIMIT 3; SELECT dur * 2, max(ts) FROM sched_slice",
            "SELECT *, thread_state, args.ftrace_event FROM sched, sched_slice AS args",
            "SELECT t.name, sum(dur) FROM sched JOIN thread AS t USING (utid) GROUP BY t.name",
            "select name, count(*) n from slice group by 1 -- thread_state",
            "SELECT s.name FROM slice s JOIN thread_track t ON s.track_id = t.id",
            "SELECT 'thread_state'; SELECT name, value FROM stats WHERE severity = 'data_loss'",
        ] {
            assert_eq!(named(statements), (false, false), "{statements}");
        }
    }

    #[test]
    fn tables_are_found_by_all_their_names() {
        assert_eq!(named("SELECT ts FROM ftrace_event"), (true, false));
        assert_eq!(named("SELECT ts FROM raw"), (true, false));
        assert_eq!(named("SELECT key FROM __stored_args"), (true, false));
        assert_eq!(named("SELECT ts FROM \"thread_state\""), (false, true));
        assert_eq!(named("SELECT ts FROM __intrinsic_Spurious_sched_wakeup"), (false, true));
        assert_eq!(named("SELECT 1; SELECT ts FROM args, thread_state"), (true, true));
    }

    #[test]
    fn ids_of_arg_sets_are_of_kernel_events() {
        for statements in [
            "SELECT arg_set_id FROM slice",
            "SELECT source_arg_set_id FROM track",
            "SELECT * FROM slice",
            "SELECT s.*, 1 FROM slice AS s",
            "SELECT 1, * FROM thread",
            "SELECT 1; FROM slice",
            "SUMMARIZE slice",
            "SELECT EXTRACT_ARG(x, 'key') FROM y",
            "SELECT to_ftrace(1)",
        ] {
            assert_eq!(named(statements), (true, false), "{statements}");
        }
        assert_eq!(named("SELECT 3 * dur, count(*) FROM slice"), (false, false));
    }

    #[test]
    fn counts_and_tracks_are_named() {
        let named = |statements: &str| {
            let groups = groups_named(statements, &[]);
            (groups.contains(TableGroup::Counts), groups.contains(TableGroup::Tracks))
        };
        assert_eq!(named("SELECT count(*) FROM sched JOIN thread USING (utid)"), (false, false));
        assert_eq!(named("SELECT ts FROM slice"), (false, true));
        assert_eq!(named("SELECT name FROM thread_track"), (false, true));
        assert_eq!(named("SELECT ts - trace_start() FROM sched"), (false, true));
        assert_eq!(named("SELECT id FROM experimental_slice_layout('1,2')"), (false, true));
        let sets = "SELECT counter_id FROM __intrinsic_profiler_counter_set";
        assert_eq!(named(sets), (false, true));
        assert_eq!(named("SELECT key FROM __intrinsic_trace_diagnostics"), (true, false));
        let of_sample = "__intrinsic_perf_counter_for_sample(id, 'cycles')";
        let of_sample = format!("SELECT {of_sample} FROM __intrinsic_profiler_sample");
        assert_eq!(named(&of_sample), (false, true));
        assert_eq!(named("SELECT name FROM stats"), (true, false));
    }

    #[test]
    fn modules_are_read() {
        assert_eq!(named("INCLUDE PERFETTO MODULE own.waits; SELECT 1"), (false, true));
        assert_eq!(named("include perfetto module own.*;"), (false, true));
        assert_eq!(named("INCLUDE PERFETTO MODULE no.such; SELECT 1"), (false, false));
    }

    #[test]
    fn arguments_of_macros_and_table_functions_may_be_tables() {
        assert_eq!(named("SELECT ts FROM some!(thread_state)"), (false, true));
        let join = "CREATE VIRTUAL TABLE both USING span_join(sched, spurious_sched_wakeup)";
        assert_eq!(named(join), (false, true));
        assert_eq!(named("SELECT ts FROM 'thread_state'"), (false, true));
        assert_eq!(named("SELECT utid IN thread_state FROM sched"), (false, true));
    }

    #[test]
    fn what_cannot_be_read_names_everything() {
        assert_eq!(named("SELECT 'unfinished"), (true, true));
    }
}
