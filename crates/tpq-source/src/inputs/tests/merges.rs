//! Several inputs.

use super::*;

#[test]
fn inputs_have_the_names_that_were_typed() {
    let inputs = open_all(&[("b.pftrace", TRACE), ("a.pftrace", TRACE)]).unwrap();
    let names = traces(&inputs);
    assert!(names[0].ends_with("/a.pftrace") && names[1].ends_with("/b.pftrace"));
    let shown: Vec<&str> = inputs.entries().iter().map(Entry::shown).collect();
    assert_eq!(shown, names);
}

#[test]
fn the_order_of_arguments_does_not_matter() {
    let manifest = manifest(json!({}));
    let packed = gzip(TRACE);
    let archive = tar(&[("z.json", JSON), ("y.pftrace", TRACE)]);
    let mut files: Vec<(&str, &[u8])> =
        vec![("d", &manifest), ("c", &packed), ("b", &archive), ("a", TRACE)];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    for _ in 0..files.len() {
        files.rotate_left(1);
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        let inputs = Inputs::open(&paths, 1 << 20, |_| ()).unwrap();
        let last = |name: &str| name.rsplit('/').next().unwrap().to_owned();
        let rows: Vec<_> = rows(&inputs)
            .into_iter()
            .map(|(parent, name, format, _)| (parent, last(name), format))
            .collect();
        let row = |parent, name: &str, format| (parent, name.to_owned(), format);
        let expected = [
            row(None, "d", "perfetto_manifest"),
            row(None, "a", "proto"),
            row(None, "b", "tar"),
            row(Some(2), "y.pftrace", "proto"),
            row(Some(2), "z.json", "json"),
            row(None, "c", "gzip"),
            row(Some(5), "", "proto"),
        ];
        assert_eq!(rows, expected);
        for (index, entry) in inputs.entries().iter().enumerate() {
            assert_eq!(entry.processing_order() as usize, index);
        }
    }
}

#[test]
fn archives_named_themselves_may_hold_several_traces() {
    let a = tar(&[("1", TRACE), ("2", TRACE)]);
    let b = zip(&[("1", TRACE), ("2", TRACE)]);
    let inputs = open_all(&[("a.tar", &a), ("b.zip", &b)]).unwrap();
    assert_eq!(traces(&inputs), ["1", "2", "1", "2"]);
}

#[test]
fn progress_counts_all_compressed_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let packed = gzip(TRACE);
    let paths = [folder.path().join("a"), folder.path().join("b")];
    for path in &paths {
        std::fs::write(path, &packed).unwrap();
    }
    let mut reported = 0;
    Inputs::open(&paths, 1 << 20, |read| reported = read).unwrap();
    assert_eq!(reported, 2 * packed.len() as u64);
}
