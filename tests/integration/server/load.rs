//! Several clients at once. `tests/soak/clients.py` is the same with more of them, for longer.

use std::time::{Duration, Instant};

use tpq_proto::message::QueryResult;

use super::client::{TestServer, rows};

/// How long the clients ask.
const TIME: Duration = Duration::from_secs(3);
/// Clients of HTTP, and as many of WebSockets.
const CLIENTS: usize = 3;

/// Statements with results of a row, of thousands of rows in several batches, and an error.
const STATEMENTS: [&str; 5] = [
    "SELECT count(*), sum(dur), min(ts) FROM sched",
    "SELECT utid, count(*) AS n FROM sched GROUP BY utid ORDER BY utid",
    "SELECT x, x * 0.5, 'text ' || x, NULL FROM generate_series(1, 20000) AS a(x) ORDER BY x",
    "SELECT s.ts, t.name FROM sched s LEFT JOIN thread t USING (utid) ORDER BY s.id LIMIT 500",
    "SELECT nothing FROM nowhere",
];

/// A result as text: its rows, or its error.
fn described(result: &QueryResult) -> String {
    match &result.error {
        Some(error) => error.clone(),
        None => rows(result).join("\n"),
    }
}

#[test]
fn clients_at_once_get_the_answers_that_one_gets() {
    let server = TestServer::start(&["testdata/sched.pftrace", "--max-queries", "2"]);
    let expected = STATEMENTS.map(|sql| described(&server.query(sql)));
    assert_eq!(expected[2].lines().count(), 20_000);
    let check = |client: usize, run: usize, answer: &mut dyn FnMut(&str) -> QueryResult| {
        let number = (client + run) % STATEMENTS.len();
        let found = described(&answer(STATEMENTS[number]));
        assert!(found == expected[number], "client {client}: {}", STATEMENTS[number]);
    };
    let begin = Instant::now();
    let answered: usize = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..2 * CLIENTS)
            .map(|client| {
                let (server, check) = (&server, &check);
                scope.spawn(move || {
                    let mut pipe = (client % 2 == 0).then(|| server.websocket());
                    let mut answer = |sql: &str| match &mut pipe {
                        Some(pipe) => pipe.query(sql),
                        None => server.query(sql),
                    };
                    let mut runs = 0;
                    while runs < STATEMENTS.len() || begin.elapsed() < TIME {
                        check(client, runs, &mut answer);
                        runs += 1;
                    }
                    runs
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    assert!(answered >= 2 * CLIENTS * STATEMENTS.len());
}
