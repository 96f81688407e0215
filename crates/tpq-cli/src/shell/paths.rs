//! File names in commands: completion and parsing.

use std::path::PathBuf;

use rustyline::completion::{FilenameCompleter, Pair};

/// The file names that the word before the cursor could become, and the start of that word.
pub fn complete(text: &str, cursor: usize) -> rustyline::Result<(usize, Vec<Pair>)> {
    let completer = FilenameCompleter::new();
    let (start, names) = completer.complete_path(text, cursor)?;
    let word = &text[start..cursor];
    match (word.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => {
            let before = format!("{}{}/{rest}", &text[..start], home.display());
            let (_, names) = completer.complete_path(&before, before.len())?;
            Ok((start, names))
        }
        _ => Ok((start, names)),
    }
}

fn home() -> Option<PathBuf> {
    dirs::home_dir()
}

/// Splits an argument into file names at blanks. A blank in a name is escaped by a backslash or
/// quotes; a leading `~/` is the home folder.
///
/// # Errors
/// When a quote is not closed.
pub fn parse_all(argument: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut names: Vec<String> = Vec::new();
    let mut name: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = argument.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                name.get_or_insert_default();
            }
            ('\\', None | Some('"')) if !cfg!(windows) => {
                name.get_or_insert_default().extend(chars.next());
            }
            (c, None) if c.is_whitespace() => names.extend(name.take()),
            (c, _) => name.get_or_insert_default().push(c),
        }
    }
    anyhow::ensure!(quote.is_none(), "a quote is not closed in {argument}");
    names.extend(name);
    Ok(names.into_iter().map(expand).collect())
}

fn expand(name: String) -> PathBuf {
    match (name.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(name),
    }
}

/// Parses an argument as one name. A name with blanks or a quote needs no quotes around it.
pub fn parse_one(argument: &str) -> PathBuf {
    match parse_all(argument).as_deref() {
        Ok([name]) => name.clone(),
        _ => expand(argument.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_blanks() {
        let names = |argument| -> Vec<String> {
            parse_all(argument).unwrap().iter().map(|name| name.display().to_string()).collect()
        };
        assert_eq!(names("a.pftrace  b.json "), ["a.pftrace", "b.json"]);
        assert_eq!(names(r#"'a b' "c \" d" e\ f"#), ["a b", "c \" d", "e f"]);
        assert_eq!(names("  "), Vec::<String>::new());
        assert_eq!(parse_one("my file.sql"), PathBuf::from("my file.sql"));
        assert_eq!(parse_one("'my file.sql'"), PathBuf::from("my file.sql"));
        assert_eq!(parse_one("bob's.csv"), PathBuf::from("bob's.csv"));
        assert!(parse_all("a bob's.pftrace").is_err());
    }

    #[test]
    fn names_of_files_complete() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one.sql", "other.sql", "two.sql"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let text = format!(".read {}/o", folder.path().display());
        let (start, names) = complete(&text, text.len()).unwrap();
        assert_eq!(start, ".read ".len());
        let found: Vec<&str> =
            names.iter().map(|name| name.replacement.rsplit('/').next().unwrap()).collect();
        assert_eq!(found, ["one.sql", "other.sql"]);
    }
}
