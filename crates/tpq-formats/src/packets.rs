//! Perfetto traces: packets, which `tpq-ingest` reads and `tpq-decode` decodes.

use tpq_clock::BOOTTIME;
use tpq_decode::PacketRouter;
use tpq_ingest::Batcher;

use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: true,
    default_clock: DefaultClock::OfPackets(BOOTTIME),
    is_windowed: true,
    has_kernel: true,
    has_deferred_args: true,
    prescan: None,
    open,
};

fn open(OpenFile { bytes, file, timeline, left_out, .. }: OpenFile<'_>) -> OpenedFile<'_> {
    let router = Box::new(PacketRouter::new(left_out));
    OpenedFile { reader: Box::new(Batcher::new(bytes, file, timeline, router)), work: None }
}
