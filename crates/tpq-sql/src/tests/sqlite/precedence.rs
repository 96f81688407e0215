//! Expressions without parentheses, made at random: which operator binds tighter is SQLite's.

use super::{difference, fixture, session};

/// The least random numbers that will do (a linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const BEFORE: &[&str] = &["", "", "", "", "-", "+", "~", "- ~", "NOT "];
const BETWEEN: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "<<",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    "==",
    "<>",
    "!=",
    "IS",
    "IS NOT",
    "IS DISTINCT FROM",
    "IS NOT DISTINCT FROM",
    "AND",
    "OR",
];
const AFTER: &[&str] = &[
    "IS NULL",
    "IS NOT NULL",
    "ISNULL",
    "NOTNULL",
    "NOT NULL",
    "IN (1, 2)",
    "NOT IN (1, 2)",
    "LIKE '1%'",
    "NOT LIKE '1%'",
    "GLOB '1*'",
    "NOT GLOB '1*'",
    "BETWEEN 1 AND 2",
    "NOT BETWEEN 1 AND 2",
];

fn operand(random: &mut Random) -> String {
    format!("{}{}", random.one_of(BEFORE), random.one_of(&["0", "1", "2", "3", "NULL"]))
}

fn expression(random: &mut Random) -> String {
    let mut expression = operand(random);
    for _ in 0..1 + random.below(5) {
        let part = match random.below(5) {
            0 => random.one_of(AFTER).to_owned(),
            _ => format!("{} {}", random.one_of(BETWEEN), operand(random)),
        };
        expression = format!("{expression} {part}");
    }
    expression
}

#[tokio::test]
async fn operators_bind_as_tightly_as_sqlites() {
    let (session, database) = (session(), fixture::database());
    let (mut random, mut wrong) = (Random(7), Vec::new());
    for _ in 0..700 {
        let sql = format!("SELECT {}", expression(&mut random));
        if let Some(difference) = difference(&session, &database, &sql).await {
            wrong.push(format!("{sql}\n    => {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
