use std::io::Write;

use serde_json::json;

use super::*;

mod archives;
mod hostile;
mod manifests;
mod merges;

/// Two packets.
const TRACE: &[u8] = &[0x0a, 4, 0x40, 1, 0x50, 1, 0x0a, 4, 0x40, 2, 0x50, 1];
const JSON: &[u8] = b"{\"traceEvents\": []}";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn zip_with(method: zip::CompressionMethod, members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(zip::CompressionMethod::DEFLATE, members)
}

fn manifest(body: serde_json::Value) -> Vec<u8> {
    let mut all = json!({ "version": 1 });
    all.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    json!({ "perfetto_manifest": all }).to_string().into_bytes()
}

/// Opens files with these names and contents. The paths have a temporary folder before the names.
fn open_all(files: &[(&str, &[u8])]) -> Result<Inputs, SourceError> {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        paths.push(path);
    }
    Inputs::open(&paths, 1 << 20, |_| ())
}

/// Opens one file.
fn open(bytes: &[u8]) -> Result<Inputs, SourceError> {
    open_all(&[("input", bytes)])
}

/// The entries as rows of `trace_file`.
fn rows(inputs: &Inputs) -> Vec<(Option<usize>, &str, &str, u64)> {
    inputs
        .entries()
        .iter()
        .map(|entry| {
            let name = entry.name().unwrap_or("NULL");
            (entry.parent(), name, entry.format().name(), entry.size())
        })
        .collect()
}

/// The names of the traces.
fn traces(inputs: &Inputs) -> Vec<&str> {
    inputs.traces().map(|(_, entry)| entry.name().unwrap()).collect()
}

/// The message of an error, without the folder of the test.
fn message(result: Result<Inputs, SourceError>) -> String {
    let message = result.unwrap_err().to_string();
    let temporary = std::env::temp_dir().display().to_string();
    let mut short = String::new();
    let mut rest = message.as_str();
    while let Some((before, after)) = rest.split_once(&temporary) {
        short.push_str(before);
        // The temporary folder, a separator, the folder of the test, a separator.
        rest = after.splitn(3, '/').nth(2).unwrap();
    }
    short + rest
}

#[cfg(unix)]
#[test]
fn a_file_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("a.pftrace"), folder.path().join("b.pftrace"));
    std::fs::write(&file, TRACE).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let opened = Inputs::open(&[file, link], 1 << 20, |_| ());
    assert_eq!(message(opened), "a.pftrace and b.pftrace are one file; name it once");
}

#[test]
fn plain_and_compressed_files_give_the_same_bytes() {
    for bytes in [TRACE.to_vec(), gzip(TRACE), zstd(TRACE), gzip(&zstd(TRACE))] {
        let inputs = open(&bytes).unwrap();
        let (_, trace) = inputs.traces().next().unwrap();
        assert_eq!(trace.bytes(), TRACE);
        assert_eq!(trace.size(), 12);
        assert!(trace.cut().is_none());
    }
}

#[test]
fn a_single_input_has_no_name() {
    assert_eq!(rows(&open(TRACE).unwrap()), [(None, "NULL", "proto", 12)]);
    let packed = gzip(TRACE);
    let inputs = open(&packed).unwrap();
    let size = packed.len() as u64;
    assert_eq!(rows(&inputs), [(None, "NULL", "gzip", size), (Some(0), "", "proto", 12)]);
    assert!(inputs.entries()[1].shown().ends_with("/input"));
}

#[test]
fn a_cut_gzip_keeps_the_data_before_the_cut() {
    let whole: Vec<u8> = TRACE.iter().copied().cycle().take(600_000).collect();
    let packed = gzip(&whole);
    let inputs = open(&packed[..packed.len() - 20]).unwrap();
    let (_, trace) = inputs.traces().next().unwrap();
    assert!(trace.cut().is_some());
    assert!(!trace.bytes().is_empty() && whole.starts_with(trace.bytes()));
}

#[test]
fn files_that_are_no_trace_are_errors() {
    let wanted = |start: &str| {
        let formats = Format::trace_names();
        format!(
            "not a trace that tpq reads; it begins with \"{start}\". tpq reads {formats}; each plain, \
             in gzip or zstd, or in a ZIP or TAR archive"
        )
    };
    let (hello, zeros) = (wanted("hello\\n"), wanted(&"\\x00".repeat(24)));
    let empty = "input is empty: the recording may have failed or not been written yet";
    let cases: &[(Vec<u8>, String)] = &[
        (b"".to_vec(), empty.to_owned()),
        (gzip(b""), empty.to_owned()),
        (b"hello\n".to_vec(), format!("input: text, {hello}")),
        (gzip(b"hello\n"), format!("input: text, {hello}")),
        (vec![0; 64], format!("input: unknown data, {zeros}")),
        (vec![0x1f, 0x8b, 1, 2], "input: not valid gzip: unexpected end of file".to_owned()),
    ];
    for (bytes, expected) in cases {
        assert_eq!(message(open(bytes)), *expected);
    }
    let others: &[(&str, &[u8])] = &[("b.pftrace", TRACE), ("a.txt", b"text")];
    assert_eq!(message(open_all(others)), format!("a.txt: text, {}", wanted("text")));
}

#[test]
fn files_that_cannot_be_opened_are_errors() {
    let open = |paths: &[&str]| {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        Inputs::open(&paths, 1, |_| ()).unwrap_err().to_string()
    };
    assert_eq!(open(&["/"]), "/ is a directory; name the trace files in it");
    assert!(open(&["/no/such/file"]).starts_with("cannot open /no/such/file: "));
    assert_eq!(open(&[]), "no trace is named");
    assert_eq!(
        open(&["-", "-"]),
        "`-` is given more than once; standard input can be read only once"
    );
}

/// `cp` and `rsync --inplace` overwrite a file like this.
#[test]
fn a_file_that_is_overwritten_after_it_was_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    let trace: Vec<u8> = TRACE.repeat(10_000);
    std::fs::write(&path, &trace).unwrap();
    let inputs = Inputs::open(std::slice::from_ref(&path), 1, |_| ()).unwrap();
    assert!(inputs.check_intact().is_ok());
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    file.write_all(TRACE).unwrap();
    assert!(inputs.check_intact().is_ok(), "a recorder appends");
    std::thread::sleep(std::time::Duration::from_millis(50));
    std::fs::write(&path, &trace).unwrap();
    let error = inputs.check_intact().unwrap_err().to_string();
    let expected = "was overwritten while it was read; open it again once nothing writes to it";
    assert!(error.ends_with(expected), "{error}");
}
