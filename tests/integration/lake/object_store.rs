//! A lake in an object store: a server of S3, in Python, where there is one.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{out, traces};
use crate::command::{describe, tpq};

/// A server of S3 with a bucket `traces`, which ends with the test.
struct Server {
    process: Child,
    endpoint: String,
}

impl Server {
    /// Starts the server; `None` if there is no Python with moto. `TPQ_MOTO_PYTHON` names one.
    fn start() -> Option<Self> {
        let python = std::env::var("TPQ_MOTO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let has_moto = Command::new(&python)
            .args(["-c", "import moto.server, boto3"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !has_moto.is_ok_and(|status| status.success()) {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(&python)
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, endpoint: format!("http://127.0.0.1:{port}") };
        let bucket = format!(
            "import boto3; boto3.client('s3', endpoint_url='{}', region_name='us-east-1', \
             aws_access_key_id='key', aws_secret_access_key='secret')\
             .create_bucket(Bucket='traces')",
            server.endpoint
        );
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(30) {
            let made = Command::new(&python).args(["-c", &bucket]).stderr(Stdio::null()).status();
            if made.unwrap().success() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        panic!("the server of S3 does not start");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_lake_in_s3_is_a_lake() {
    let Some(server) = Server::start() else {
        eprintln!("skipped: there is no Python with moto[server]; TPQ_MOTO_PYTHON names one");
        return;
    };
    let folder = traces();
    let run = |arguments: &[&str]| {
        let mut command = tpq();
        command
            .current_dir(folder.path(""))
            .env("AWS_ENDPOINT", &server.endpoint)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        let output = command.args(arguments).args(["--lake", "s3://traces/a/lake"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", describe(&output));
        out(&output)
    };
    run(&["ingest", "a.pftrace", "b.pftrace", "c.pftrace", "--partition", "day"]);
    let sums = "SELECT trace_path, sum(dur) AS dur FROM lake.slice GROUP BY 1 ORDER BY 1";
    let rows = "trace_path,dur\na.pftrace,3\nb.pftrace,30\nc.pftrace,15\n";
    assert_eq!(run(&["query", "-q", "-c", sums]), rows);
    let each = [
        "query",
        "-q",
        "-c",
        "SELECT sum(dur) AS dur FROM slice",
        "--then",
        "SELECT trace_path, dur FROM results ORDER BY 1",
    ];
    assert_eq!(run(&each), rows);
    // The traces of one day become one file.
    run(&["lake", "compact"]);
    run(&["lake", "vacuum", "--older-than", "0h"]);
    assert_eq!(run(&["query", "-q", "-c", sums]), rows);
    assert_eq!(run(&each), rows);
    run(&["lake", "delete", "--where", "trace_path = 'b.pftrace'"]);
    assert_eq!(run(&["query", "-q", "-c", sums]), rows.replace("b.pftrace,30\n", ""));
    run(&["ingest", "b.pftrace"]);
    assert_eq!(run(&["query", "-q", "-c", sums]), rows);
}
