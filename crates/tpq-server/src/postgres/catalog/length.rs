//! How long a query of catalogs may be. Tools send a few kilobytes; what is far beyond would take
//! all stack, or hours, to parse, to rewrite and to plan.

use std::ops::ControlFlow;

use datafusion::common::{DataFusionError, Result, plan_datafusion_err, plan_err};
use datafusion::sql::sqlparser::ast::{Select, Statement, Visitor};
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::tokenizer::Tokenizer;
use tpq_sql::{TokenLimits, check_tokens, walk};

/// The most bytes of a query.
const TEXT: usize = 64 << 10;
/// The most words and signs of an expression, and queries in a row between UNIONs.
const TOKENS: TokenLimits = TokenLimits { expression: 2_000, set_operations: 200 };
/// The most tables that all parts of a query read.
const TABLES: usize = 300;

/// Checks the text of a query before it is parsed.
///
/// # Errors
/// When it is too long.
pub(super) fn check_text(sql: &str) -> Result<()> {
    if sql.len() > TEXT {
        return plan_err!("it has more than {TEXT} bytes");
    }
    // A text that has no tokens has no tree either: the parser has the error.
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize().unwrap_or_default();
    check_tokens(&tokens, TOKENS).map_err(|error| plan_datafusion_err!("{error}"))
}

/// Checks how many tables a query reads before it is planned.
///
/// # Errors
/// When there are too many.
pub(super) fn check_tables(query: &Statement) -> Result<()> {
    match walk(query, &mut Tables(0)) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// The number of tables so far.
struct Tables(usize);

impl Visitor for Tables {
    type Break = DataFusionError;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<DataFusionError> {
        self.0 += select.from.iter().map(|table| 1 + table.joins.len()).sum::<usize>();
        match self.0 > TABLES {
            true => ControlFlow::Break(plan_datafusion_err!("it reads more than {TABLES} tables")),
            false => ControlFlow::Continue(()),
        }
    }
}
