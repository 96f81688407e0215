//! CTEs that nothing reads: SQLite never looks at their queries, which may name tables that do not
//! exist.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{Query, VisitorMut};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// Takes CTEs out of a statement where their names stand nowhere else in its `tokens`.
pub(in super::super) fn drop_unused_ctes(tree: &mut Tree, tokens: &[TokenWithSpan]) {
    match tree {
        Tree::Statement(statement) => {
            let _: ControlFlow<()> = walk_mut(statement, &mut Queries::of(tokens));
        }
        Tree::Explain(explain) => drop_unused_ctes(&mut explain.statement, tokens),
        _ => {}
    }
}

struct Queries {
    /// How often each word stands in the statement, in lower case.
    words: HashMap<String, usize>,
    /// The texts in it that are queries, in lower case.
    queries: String,
}

impl Queries {
    fn of(tokens: &[TokenWithSpan]) -> Self {
        let mut all = Self { words: HashMap::new(), queries: String::new() };
        for token in tokens {
            match &token.token {
                Token::Word(word) => *all.words.entry(word.value.to_lowercase()).or_default() += 1,
                Token::SingleQuotedString(text) => {
                    let text = text.to_lowercase();
                    if text.contains("select") {
                        all.queries.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// Whether a name stands in the statement once, where the CTE is defined.
    fn stands_once(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.words.get(&name).is_none_or(|count| *count < 2) && !self.queries.contains(&name)
    }
}

impl VisitorMut for Queries {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(with) = &mut query.with {
            with.cte_tables.retain(|cte| !self.stands_once(&cte.alias.name.value));
            if with.cte_tables.is_empty() {
                query.with = None;
            }
        }
        ControlFlow::Continue(())
    }
}
