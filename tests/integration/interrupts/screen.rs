//! The screen of a terminal: completed file names, a pager, a screenful of rows, and progress.

use super::terminal::Terminal;
use super::trace;
use crate::command::Folder;

/// More rows than the terminal has lines: the numbers from 700000 to 700059.
const ROWS: &str = "SELECT 700000 + id AS n FROM slice WHERE id < 60 ORDER BY n";

/// Types a command and the first letters of a file, completes its name by Tab, and runs the line.
fn run_completed(shell: &mut Terminal, command: &str, folder: &Folder, name: &str) {
    let letters = &name[..3];
    let typed = format!("{command} {}", folder.path(letters).display());
    shell.type_keys(&typed);
    shell.wait_for(&typed[typed.len() - 8..]);
    shell.type_keys("\t");
    shell.wait_for(name);
    shell.type_keys("\r");
}

#[test]
fn tab_completes_file_names() {
    let events = std::fs::read(trace()).unwrap();
    let folder = Folder::of(&[
        ("statements.sql", b"SELECT 31000 + 31 AS n;\n"),
        ("results.csv", b"before"),
        ("another.json", &events),
    ]);
    let mut shell = Terminal::shell();
    run_completed(&mut shell, ".read", &folder, "statements.sql");
    shell.wait_for("31031");
    shell.wait_for_prompt();
    run_completed(&mut shell, ".output", &folder, "results.csv");
    shell.wait_for_prompt();
    shell.type_keys("SELECT 32000 + 32 AS n;\r");
    shell.wait_for("1 row in");
    shell.wait_for_prompt();
    shell.type_keys(".output\r");
    shell.wait_for_prompt();
    assert_eq!(String::from_utf8_lossy(&folder.read("results.csv")), "n\n32032\n");
    run_completed(&mut shell, ".open", &folder, "another.json");
    shell.wait_for("opened ");
    shell.wait_for_prompt();
    shell.answers();
}

/// The pager writes what it gets to a file, and nothing to the screen.
#[test]
fn a_pager_shows_what_does_not_fit_the_screen() {
    let folder = Folder::of(&[]);
    let paged = folder.path("paged");
    let pager = format!("cat > {}", paged.display());
    let mut shell = Terminal::start_with(&["shell", trace(), "--threads", "2"], |command| {
        command.env("PAGER", pager);
    });
    shell.wait_for_prompt();
    shell.type_keys(".limit off\r");
    shell.wait_for_prompt();
    shell.answers();
    assert!(!paged.exists(), "a pager ran for one row");
    shell.type_keys(&format!("{ROWS};\r"));
    shell.wait_for("60 rows in");
    shell.wait_for_prompt();
    let text = std::fs::read_to_string(&paged).unwrap();
    assert!(text.contains("700000") && text.contains("700059"), "{text}");
    assert!(!shell.has_shown("700059"));
    // Without a pager everything is on the screen.
    std::fs::remove_file(&paged).unwrap();
    shell.type_keys(".pager off\r");
    shell.wait_for_prompt();
    shell.type_keys(&format!("{ROWS};\r"));
    shell.wait_for("700059");
    shell.wait_for_prompt();
    assert!(!paged.exists(), "a pager ran although it was off");
}

#[test]
fn a_query_shows_a_screenful_unless_all_rows_are_wanted() {
    let mut query = Terminal::start(&["query", trace(), "-c", ROWS]);
    query.wait_for("700000");
    query.wait_for("--all shows all");
    assert_eq!(query.end().code(), Some(0));
    // 40 lines, of which 7 are not for rows.
    assert!(query.has_shown("700032") && !query.has_shown("700033"));
    let mut query = Terminal::start(&["query", trace(), "--all", "-c", ROWS]);
    query.wait_for("700059");
    assert_eq!(query.end().code(), Some(0));
    assert!(query.has_shown("700000") && query.has_shown("700033"));
}

/// Each statement has more rows to compute, until one takes more than a second.
#[test]
fn a_long_statement_shows_its_progress_until_it_ends() {
    let mut shell = Terminal::shell();
    for rows in [200, 800, 3_200, 12_800] {
        shell.type_keys(&format!(
            "SELECT sum(length(CAST(a.ts + b.ts AS VARCHAR))) AS n FROM slice a, slice b \
             WHERE b.id < {rows};\r"
        ));
        let before = shell.passed().len();
        shell.wait_for("1 row in");
        if let Some((line, after)) = shell.passed()[before..].rsplit_once("; Ctrl-C cancels") {
            assert!(line.contains(" rows so far, "), "{line:?}");
            // Its end clears the line.
            assert!(after.contains("\x1b[2K"), "{after:?}");
            return;
        }
        shell.wait_for_prompt();
    }
    panic!("no statement took a second");
}
