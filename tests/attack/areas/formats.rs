//! Files of every format other than Perfetto's, Chrome's JSON and the text of the kernel's tracer.

use tpq_testkit::formats;

use crate::bases::{Base, Packing, plain};

pub fn bases() -> Vec<Base> {
    let files = formats::files();
    let pprof = files.iter().find(|(name, _)| *name == "pprof").map(|(_, bytes)| bytes.clone());
    let in_gzip =
        pprof.map(|bytes| Base { packing: Packing::Gzip, ..plain("pprof in gzip", bytes) });
    files.into_iter().map(|(name, bytes)| plain(name, bytes)).chain(in_gzip).collect()
}
