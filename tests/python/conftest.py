"""The binary that the package `perfetto` starts, servers to connect to, and traces.

`TPQ_BINARY` names the binary; otherwise it is that of the last build in `target/`.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional

import pytest

ROOT = Path(__file__).parents[2]
TESTDATA = ROOT / "testdata"

#: How long a server may take to start, in seconds.
START_TIMEOUT = 60.0


def pytest_ignore_collect(collection_path: Path) -> Optional[bool]:
    """Without the package, its tests cannot even be imported."""
    if collection_path.name.startswith("test_") and missing_package() is not None:
        return True
    return None


def missing_package() -> Optional[str]:
    for name in ("perfetto", "pandas"):
        try:
            __import__(name)
        except ImportError:
            return name
    return None


def pytest_terminal_summary(terminalreporter) -> None:
    missing = missing_package()
    if missing is not None:
        terminalreporter.write_line(f"not run: the package {missing} is not installed")


def pytest_sessionfinish(session) -> None:
    """Tests that cannot run here are no failure."""
    if missing_package() is not None and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK


def found_binary() -> Optional[Path]:
    named = os.environ.get("TPQ_BINARY")
    if named:
        return Path(named).resolve()
    built = [ROOT / "target" / profile / "tpq" for profile in ("debug", "release")]
    built = [path for path in built if path.exists()]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


def no_binary() -> str:
    return "no binary; build tpq or set TPQ_BINARY"


@pytest.fixture(scope="session")
def binary() -> str:
    """The path of a tpq that can be a server."""
    path = found_binary()
    if path is None or not path.exists():
        pytest.skip(no_binary())
    helped = subprocess.run([path, "serve", "--help"], capture_output=True, text=True)
    # Without the command, `serve` is the name of a trace, and the help is that of all commands.
    if not re.search(r"^Usage: \S+ serve\b", helped.stdout, re.MULTILINE):
        pytest.skip(f"{path} has no command `serve`")
    return str(path)


@pytest.fixture
def config(binary):
    """How the package starts tpq."""
    from perfetto.trace_processor import TraceProcessorConfig

    return TraceProcessorConfig(bin_path=binary)


@pytest.fixture
def testdata() -> Path:
    return TESTDATA


@pytest.fixture
def trace_path() -> str:
    return str(TESTDATA / "track_events.pftrace")


@pytest.fixture
def tp(config, trace_path):
    """The package, with a tpq that it started."""
    from perfetto.trace_processor import TraceProcessor

    with TraceProcessor(trace=trace_path, config=config) as processor:
        yield processor


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def end(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def serve(binary: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [binary, "serve", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(process: subprocess.Popen, is_ready) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while not is_ready():
        if process.poll() is not None:
            raise AssertionError(f"tpq ended: {process.stderr.read()}")
        if time.monotonic() > deadline:
            end(process)
            raise AssertionError("tpq did not start in time")
        time.sleep(0.05)


@pytest.fixture
def address(binary, trace_path) -> Iterator[str]:
    """The address of a server with a trace."""
    port = free_port()
    process = serve(binary, trace_path, *port_option(binary, port))

    def answers() -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5).read()
        except OSError:
            return False
        return True

    wait_until(process, answers)
    yield f"localhost:{port}"
    end(process)


class Wires(NamedTuple):
    """The addresses of a server for clients of databases, and the token that they need."""

    postgres: str
    flight_sql: str
    token: str


@pytest.fixture
def wires(binary, trace_path, monkeypatch) -> Iterator[Wires]:
    """A server with a trace for clients of databases."""
    token = "s3cret-s3cret"
    monkeypatch.setenv("TPQ_TOKEN", token)
    process = serve(
        binary, trace_path, "--port", "0", "--postgres", "0", "--flight-sql", "0",
    )
    said = ""
    while "listening on" not in said:
        said = process.stderr.readline()
        if not said:
            raise AssertionError(f"tpq ended with {process.wait()}")
    ports = dict(re.findall(r"(\w+)://127\.0\.0\.1:(\d+)", said))
    yield Wires(
        postgres=f"host=127.0.0.1 port={ports['postgres']} user=me password={token} dbname=tpq",
        flight_sql=f"grpc://127.0.0.1:{ports['grpc']}",
        token=token,
    )
    end(process)


@pytest.fixture
def socket_path(binary, trace_path, tmp_path) -> Iterator[str]:
    """The path of the socket of a server with a trace."""
    path = tmp_path / "tpq.sock"
    process = serve(binary, trace_path, *port_option(binary, free_port()), "--socket", str(path))
    wait_until(process, path.exists)
    yield str(path)
    end(process)


def port_option(binary: str, port: int) -> List[str]:
    """The option of `tpq serve` for the port, which its help names."""
    text = subprocess.run([binary, "serve", "--help"], capture_output=True, text=True).stdout
    option = re.search(r"--(?:http-)?port\b", text)
    return [option.group() if option else "--port", str(port)]
